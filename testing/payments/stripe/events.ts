import { createHmac } from 'node:crypto';

/** The header `Stripe-Signature`, by the documented scheme: HMAC-SHA256 of `{seconds}.{body}`. */
export function sign(body: string, { secret, now }: { secret: string; now: number }): string {
  const seconds = Math.floor(now / 1000);
  const digest = createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex');
  return `t=${seconds},v1=${digest}`;
}

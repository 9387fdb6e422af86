import { createHmac, randomBytes } from 'node:crypto';
import type { Context } from '../../context.ts';
import type { WebhookRow } from '../../platform/db/schema.ts';
import { openSealedText, sealText } from '../../platform/lib/sealed-text.ts';

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;
const PURPOSE = 'webhook-secret';

/** A new secret, as its owner is shown it and as it is stored. */
export function makeSecret({ secret }: Pick<Context, 'secret'>): { shown: string; sealed: string } {
  const shown = PREFIX + randomBytes(SECRET_BYTES).toString('base64');
  return { shown, sealed: sealText({ secret, purpose: PURPOSE }, shown) };
}

/** undefined when the server's own secret is another one by now. */
export function readSecret({ secret }: Pick<Context, 'secret'>, sealed: string): string | undefined {
  return openSealedText({ secret, purpose: PURPOSE }, sealed);
}

type Signed = { id: string; timestamp: number; body: string };

/**
 * The header `webhook-signature` of Standard Webhooks: one signature, and within a day of a change one of the old
 * secret as well. `timestamp` is in seconds. undefined when the secret cannot be read.
 */
export function sign(
  context: Pick<Context, 'secret' | 'clock'>,
  webhook: Pick<WebhookRow, 'secret' | 'oldSecret' | 'oldSecretUntil'>,
  signed: Signed,
): string | undefined {
  const current = readSecret(context, webhook.secret);
  if (current === undefined) return undefined;
  const secrets = [current];
  const { oldSecret, oldSecretUntil } = webhook;
  if (oldSecret !== null && oldSecretUntil !== null && oldSecretUntil > context.clock.now())
    secrets.push(readSecret(context, oldSecret) ?? current);
  return secrets.map((secret) => `v1,${signWith(secret, signed)}`).join(' ');
}

function signWith(secret: string, { id, timestamp, body }: Signed): string {
  const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
  return createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
}

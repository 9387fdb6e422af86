import { createHmac, randomBytes } from 'node:crypto';
import type { Context } from '../../context.ts';
import type { WebhookRow } from '../../platform/db/schema.ts';
import type { Secrets } from '../../platform/http/security/signed-value.ts';
import { defineResealJob } from '../../platform/jobs/reseal-job.ts';
import { openSealedText, sealText } from '../../platform/lib/sealed-text.ts';
import { TARGET_PURPOSE } from './formats/target.ts';

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;
const PURPOSE = 'webhook-secret';

export function makeSecret({ secret }: Pick<Context, 'secret'>): { shown: string; sealed: string } {
  const shown = PREFIX + randomBytes(SECRET_BYTES).toString('base64');
  return { shown, sealed: sealText({ secret, purpose: PURPOSE }, shown) };
}

/** Returns undefined if SESSION_SECRET has changed and the previous one isn't configured. */
export function readSecret({ secret, previousSecret }: Secrets, sealed: string): string | undefined {
  return openSealedText({ secret, previousSecret, purpose: PURPOSE }, sealed);
}

export const resealJob = defineResealJob('webhooks.reseal-secrets', [
  { table: 'webhooks', key: 'id', column: 'secret', purpose: PURPOSE },
  { table: 'webhooks', key: 'id', column: 'oldSecret', purpose: PURPOSE },
  { table: 'webhooks', key: 'id', column: 'sealedTarget', purpose: TARGET_PURPOSE },
]);

type Signed = { id: string; timestamp: number; body: string };

/**
 * The `webhook-signature` header of Standard Webhooks, with a second signature by the old secret for a day after a
 * rotation. `timestamp` is in seconds. Returns undefined if the secret can't be read.
 */
export function sign(
  context: Secrets & Pick<Context, 'clock'>,
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

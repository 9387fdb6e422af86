import { createHmac, randomBytes } from 'node:crypto';
import type { Context } from '../../context.ts';
import type { Db } from '../../platform/db/open.ts';
import type { WebhookRow } from '../../platform/db/schema.ts';
import type { Secrets } from '../../platform/http/security/signed-value.ts';
import { openSealedText, sealText } from '../../platform/lib/sealed-text.ts';
import { listSealedSecrets, replaceSealed } from './queries.ts';

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

const RESEAL_BATCH = 200;

/**
 * Reseals with the current SESSION_SECRET what the previous one sealed, so that the operator can remove the previous
 * one. Skips secrets that are rotated meanwhile. Returns the number of webhooks changed.
 */
export async function resealSecrets(context: Secrets & { db: Db }, signal: AbortSignal): Promise<number> {
  let changed = 0;
  for (let after = ''; context.previousSecret !== undefined && !signal.aborted; ) {
    const rows = await listSealedSecrets(context.db, { after, limit: RESEAL_BATCH });
    for (const row of rows) {
      const secret = resealSecret(context, row.secret);
      const oldSecret = resealSecret(context, row.oldSecret);
      if (secret === undefined && oldSecret === undefined) continue;
      const sealed = { secret: secret ?? row.secret, oldSecret: oldSecret ?? row.oldSecret };
      if (await replaceSealed(context.db, row, sealed)) changed += 1;
    }
    if (rows.length < RESEAL_BATCH) break;
    after = rows.at(-1)!.id;
  }
  return changed;
}

/** Returns undefined if it needs no resealing. */
function resealSecret({ secret, previousSecret }: Secrets, sealed: string | null): string | undefined {
  if (sealed === null || previousSecret === undefined) return undefined;
  if (openSealedText({ secret, purpose: PURPOSE }, sealed) !== undefined) return undefined;
  const shown = openSealedText({ secret: previousSecret, purpose: PURPOSE }, sealed);
  return shown === undefined ? undefined : sealText({ secret, purpose: PURPOSE }, shown);
}

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

import type { FastifyRequest } from 'fastify';
import { Secret, TOTP } from 'otpauth';
import { MINUTE_MS } from '../../../../contracts/values/durations.ts';
import type { Context } from '../../../context.ts';
import type { Trx } from '../../../platform/db/open.ts';
import type { UserRow } from '../../../platform/db/schema.ts';
import { transaction } from '../../../platform/db/transaction.ts';
import { requireWithinLimit } from '../../../platform/http/limits/rate-limits.ts';
import type { Identity } from '../../../platform/http/routing/identity.ts';
import type { SealedColumn } from '../../../platform/jobs/reseal-job.ts';
import { AppError } from '../../../platform/lib/app-error.ts';
import { openSealedText, sealText } from '../../../platform/lib/sealed-text.ts';
import { createAlertLink } from '../events/account-alerts.ts';
import { recordAccountEvent } from '../events/events.ts';
import { strengthenSession } from '../sign-in/step-up.ts';
import { lockAccount } from '../users/user-queries.ts';
import { enqueueFactorMail } from './factor-mails.ts';
import { settleFactors } from './factors.ts';
import { issueRecoveryCodesIfNone } from './recovery-codes.ts';
import { confirmSecret, deleteSecret, findSecret, saveSecret, useStep } from './totp-queries.ts';
import type { VerifiedFactor } from './verified-factor.ts';

const PURPOSE = 'totp-secret';
const APP = { details: { method: 'totp' } } as const;
const ISSUER = 'Sendwell';
/** RFC 4226 recommends 160 bits. */
const SECRET_BYTES = 20;
/** RFC 6238 with the values that all apps support. */
const PARAMETERS = { algorithm: 'SHA1', digits: 6, period: 30 } as const;
/** Steps before and after the current one, for clocks that differ (RFC 6238, section 5.2). */
const WINDOW = 1;
const CONFIRMATIONS = { limit: 20, windowMs: 15 * MINUTE_MS };

/**
 * Makes a secret that counts once a code has confirmed it; replaces one that was never confirmed. Throws AppError
 * `totp_exists`.
 */
export async function beginTotp(
  { db, clock, secret: key, config }: Pick<Context, 'db' | 'clock' | 'secret' | 'config'>,
  { id: userId, email }: Pick<UserRow, 'id' | 'email'>,
): Promise<{ secret: string; uri: string }> {
  const secret = new Secret({ size: SECRET_BYTES });
  const sealedSecret = sealText({ secret: key, purpose: PURPOSE }, secret.base32);
  const isSaved = await saveSecret(db, { userId, sealedSecret, createdAt: clock.now() });
  if (!isSaved) throw new AppError('totp_exists');
  const issuer = `${ISSUER} (${new URL(config.publicUrl).host})`;
  const uri = new TOTP({ ...PARAMETERS, issuer, label: email, secret }).toString();
  return { secret: secret.base32, uri };
}

/**
 * Adds the app with a first code of it. Returns recovery codes if this is the account's first factor. Throws AppError
 * `wrong_factor`, `totp_exists`, and `too_many_requests` after 20 tries in 15 minutes.
 */
export async function confirmTotp(
  context: Context,
  { user, sessionId }: Pick<Identity, 'user' | 'sessionId'>,
  { code, request }: { code: string; request: FastifyRequest },
): Promise<{ recoveryCodes?: string[] }> {
  await requireWithinLimit(context, { key: `totp:confirm:${user.id}`, ...CONFIRMATIONS });
  const row = await findSecret(context.db, user.id);
  if (row?.confirmedAt) throw new AppError('totp_exists');
  const step = row && findStep(open(context, row.sealedSecret), code, context.clock.now());
  if (!row || step === undefined) throw wrongCode();
  return transaction(context.db, async (trx) => {
    const deps = { ...context, db: trx };
    const locked = await lockAccount(trx, user.id);
    const now = context.clock.now();
    if (!locked || !(await confirmSecret(trx, { ...row, step, now }))) throw wrongCode();
    await settleFactors(trx, user.id);
    await recordAccountEvent(deps, { ...APP, userId: user.id, kind: 'second-factor-added', request });
    if (sessionId) await strengthenSession(deps, sessionId, 'totp');
    const recoveryCodes = await issueRecoveryCodesIfNone(deps, user.id);
    const secureUrl = await createAlertLink(deps, locked);
    await enqueueFactorMail(trx, locked, { change: 'app-added', secureUrl, createdAt: now });
    return recoveryCodes ? { recoveryCodes } : {};
  });
}

/** Also removes a secret that was never confirmed. */
export async function removeTotp(context: Context, userId: string, request: FastifyRequest): Promise<void> {
  await transaction(context.db, async (trx) => {
    const user = await lockAccount(trx, userId);
    const removed = user && (await deleteSecret(trx, userId));
    if (!user || !removed?.confirmedAt) return;
    await settleFactors(trx, userId);
    const deps = { ...context, db: trx };
    await recordAccountEvent(deps, { ...APP, userId, kind: 'second-factor-removed', request });
    const secureUrl = await createAlertLink(deps, user);
    const createdAt = context.clock.now();
    await enqueueFactorMail(trx, user, { change: 'app-removed', secureUrl, createdAt });
  });
}

/** Throws AppError `wrong_factor`. */
export async function checkTotp(
  context: Pick<Context, 'db' | 'clock' | 'secret' | 'previousSecret'>,
  { id: userId }: Pick<UserRow, 'id'>,
  { code }: { code: string },
): Promise<VerifiedFactor> {
  const row = await findSecret(context.db, userId);
  const now = context.clock.now();
  const step = row?.confirmedAt ? findStep(open(context, row.sealedSecret), code, now) : undefined;
  if (step === undefined) throw wrongCode();
  return { method: 'totp', use: (trx: Trx) => useStep(trx, { userId, step, now }) };
}

export const SEALED_TOTP_SECRET: SealedColumn = {
  table: 'totpSecrets',
  key: 'userId',
  column: 'sealedSecret',
  purpose: PURPOSE,
};

/** The time step of a code; undefined if the code is wrong. */
export function findStep(secret: Secret | undefined, code: string, now: number): number | undefined {
  if (!secret) return undefined;
  const totp = new TOTP({ ...PARAMETERS, secret });
  const delta = totp.validate({ token: code, timestamp: now, window: WINDOW });
  return delta === null ? undefined : totp.counter({ timestamp: now }) + delta;
}

function open(
  { secret, previousSecret }: Pick<Context, 'secret' | 'previousSecret'>,
  sealed: string,
): Secret | undefined {
  const base32 = openSealedText({ secret, previousSecret, purpose: PURPOSE }, sealed);
  return base32 === undefined ? undefined : Secret.fromBase32(base32);
}

function wrongCode(): AppError {
  return new AppError('wrong_factor');
}

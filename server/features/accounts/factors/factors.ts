import type { Factors } from '../../../../contracts/accounts/sign-in/factors.ts';
import type { SecondFactor } from '../../../../contracts/accounts/sign-in/sign-in.ts';
import { MINUTE_MS } from '../../../../contracts/values/durations.ts';
import type { Context } from '../../../context.ts';
import type { Db, Trx } from '../../../platform/db/open.ts';
import type { Instant } from '../../../platform/db/schema/column-types.ts';
import type { UserRow } from '../../../platform/db/schema.ts';
import { AppError } from '../../../platform/lib/app-error.ts';
import { toIso } from '../../../platform/lib/clock.ts';
import { createAlertLink } from '../events/account-alerts.ts';
import { recordAccountEvent } from '../events/events.ts';
import { UNKNOWN_USER_HASH } from '../passwords/passwords.ts';
import { deleteAttemptsOf } from '../sign-in/attempts.ts';
import { lockAccount } from '../users/user-queries.ts';
import { enqueueFactorMail } from './factor-mails.ts';
import { listPasskeys, presentPasskey } from './passkeys/passkey-queries.ts';
import { countRecoveryCodes, deleteRecoveryCodes } from './recovery-code-queries.ts';
import { findSecret } from './totp-queries.ts';

/** The second factors with which a user can sign in, the strongest first. */
export async function listFactorMethods(db: Db, userId: string): Promise<SecondFactor[]> {
  const { passkeys, apps, codes } = await db
    .selectNoFrom((eb) => [
      eb.exists(eb.selectFrom('passkeys').select('id').where('userId', '=', userId)).as('passkeys'),
      eb
        .exists(
          eb
            .selectFrom('totpSecrets')
            .select('userId')
            .where('userId', '=', userId)
            .where('confirmedAt', 'is not', null),
        )
        .as('apps'),
      eb
        .exists(
          eb
            .selectFrom('recoveryCodes')
            .select('id')
            .where('userId', '=', userId)
            .where('usedAt', 'is', null),
        )
        .as('codes'),
    ])
    .executeTakeFirstOrThrow();
  return [
    ...(passkeys ? (['passkey'] as const) : []),
    ...(apps ? (['totp'] as const) : []),
    ...(codes ? (['recovery-code'] as const) : []),
  ];
}

export async function listFactors(
  { db }: Pick<Context, 'db'>,
  { id: userId, passwordHash }: Pick<UserRow, 'id' | 'passwordHash'>,
): Promise<Factors> {
  const app = await findSecret(db, userId);
  return {
    hasPassword: passwordHash !== UNKNOWN_USER_HASH,
    passkeys: (await listPasskeys(db, userId)).map(presentPasskey),
    app: app?.confirmedAt
      ? { since: toIso(app.confirmedAt), lastUsedAt: app.lastUsedAt === null ? null : toIso(app.lastUsedAt) }
      : null,
    recoveryCodes: await countRecoveryCodes(db, userId),
  };
}

/**
 * Writes `users.hasSecondFactor` after a factor was added or removed, and deletes the recovery codes with the last
 * factor. The caller's transaction must hold the user's row lock.
 */
export async function settleFactors(trx: Trx, userId: string): Promise<void> {
  const methods = await listFactorMethods(trx, userId);
  const hasSecondFactor = methods.some((method) => method !== 'recovery-code');
  await trx
    .updateTable('users')
    .set({ hasSecondFactor: hasSecondFactor ? 1 : 0 })
    .where('id', '=', userId)
    .execute();
  if (!hasSecondFactor) await deleteRecoveryCodes(trx, userId);
}

/** So that the factor whose own mail reports it is deleted, although its mail was written a moment later. */
const SLACK_MS = MINUTE_MS;

/**
 * Deletes what somebody added to sign in with at or after `since`: passkeys, an authenticator app, which
 * counts from its confirmation, and recovery codes. The caller's transaction must hold the user's row lock.
 */
export async function deleteFactorsAddedSince(trx: Trx, userId: string, since: Instant): Promise<void> {
  const from = since - SLACK_MS;
  for (const table of ['passkeys', 'recoveryCodes'] as const)
    await trx.deleteFrom(table).where('userId', '=', userId).where('createdAt', '>=', from).execute();
  await trx
    .deleteFrom('totpSecrets')
    .where('userId', '=', userId)
    .where((eb) => eb.or([eb('createdAt', '>=', from), eb('confirmedAt', '>=', from)]))
    .execute();
  await settleFactors(trx, userId);
}

/**
 * Deletes the second factors and recovery codes of a user who lost them, and notifies the user by email. The password
 * stays. Throws AppError `user_not_found`, `user_has_no_second_factor`.
 */
export async function resetFactors(
  deps: Pick<Context, 'clock' | 'config'> & { db: Trx },
  userId: string,
): Promise<UserRow> {
  const { db: trx, clock } = deps;
  const user = await lockAccount(trx, userId);
  if (!user) throw new AppError('user_not_found');
  if (!user.hasSecondFactor) throw new AppError('user_has_no_second_factor');
  for (const table of FACTOR_TABLES) await trx.deleteFrom(table).where('userId', '=', userId).execute();
  await settleFactors(trx, userId);
  await deleteAttemptsOf(trx, userId);
  await recordAccountEvent(deps, { userId, kind: 'second-factor-reset' });
  const secureUrl = await createAlertLink(deps, user);
  await enqueueFactorMail(trx, user, { change: 'factors-reset', secureUrl, createdAt: clock.now() });
  return { ...user, hasSecondFactor: 0 };
}

const FACTOR_TABLES = ['passkeys', 'totpSecrets', 'recoveryCodes'] as const;

export async function deleteFactorsOf(trx: Trx, userId: string): Promise<void> {
  for (const table of [...FACTOR_TABLES, 'accountEvents'] as const)
    await trx.deleteFrom(table).where('userId', '=', userId).execute();
}

import { RETENTION } from '../../../../contracts/transfers/retention.ts';
import { DAY_MS, MINUTE_MS } from '../../../../contracts/values/durations.ts';
import type { Context } from '../../../context.ts';
import type { Db, Trx } from '../../../platform/db/open.ts';
import type { Instant } from '../../../platform/db/schema/column-types.ts';
import type { UserRow } from '../../../platform/db/schema.ts';
import { transaction } from '../../../platform/db/transaction.ts';
import { isAppError } from '../../../platform/lib/app-error.ts';
import { findLatestEmailChange } from '../mailed-token-queries.ts';
import { findUserByKey, lockUnverifiedUser, updateUser } from '../users/user-queries.ts';
import { takenError } from '../users/users.ts';

const REMOVED_AFTER_MS = RETENTION.unverifiedAccountDays * DAY_MS;
/** While its code is valid, a registration has exclusive use of its username and address. */
const UNCONTESTED_MS = 15 * MINUTE_MS;
const BATCH = 100;

const CLAIM = 'claim:';

/**
 * Returns the unique keys of a new registration. A name or address that an unverified account has held for longer than
 * `UNCONTESTED_MS` is claimed, not refused: both registrations wait, and the first to verify its address gets it
 * (`settleClaims`). So a stranger cannot block an address by registering it first. Throws AppError `username_taken`,
 * `email_taken`.
 */
export async function claimKeys(
  { db, clock }: { db: Db } & Pick<Context, 'clock'>,
  { id, usernameKey, emailKey }: Pick<UserRow, 'id' | 'usernameKey' | 'emailKey'>,
): Promise<Pick<UserRow, 'usernameKey' | 'emailKey' | 'isClaiming'>> {
  const before = clock.now() - UNCONTESTED_MS;
  const claim = async (column: 'usernameKey' | 'emailKey', key: string) => {
    const holder = await findUserByKey(db, column, key);
    if (!holder) return key;
    if (!isContestable(holder, column, before)) throw takenError(column);
    return `${CLAIM}${id}`;
  };
  const keys = {
    usernameKey: await claim('usernameKey', usernameKey),
    emailKey: await claim('emailKey', emailKey),
  };
  const isClaiming = keys.usernameKey !== usernameKey || keys.emailKey !== emailKey;
  return { ...keys, isClaiming: isClaiming ? 1 : 0 };
}

/** An account that was ever verified keeps its name, but its new address is contestable until verified. */
function isContestable(
  { emailVerified, firstVerifiedAt, createdAt }: UserRow,
  column: 'usernameKey' | 'emailKey',
  before: number,
): boolean {
  if (emailVerified || createdAt > before) return false;
  return column === 'emailKey' || firstVerifiedAt === null;
}

/**
 * Gives a user who has just verified the address the claimed name and address, in the same transaction. An unverified
 * registration with them is deleted; an account that changed its address to this one gets its old address back. Throws
 * AppError `username_taken` and `email_taken` when another user was verified first, or when that account cannot get its
 * old address back.
 */
export async function settleClaims(trx: Trx, user: UserRow): Promise<UserRow> {
  if (user.isClaiming === 0) return user;
  const keys = { usernameKey: user.username.toLowerCase(), emailKey: user.email.toLowerCase() };
  for (const column of ['emailKey', 'usernameKey'] as const) {
    const holder = user[column] === keys[column] ? undefined : await findUserByKey(trx, column, keys[column]);
    if (holder) await release(trx, holder, column);
  }
  return updateUser(trx, user.id, { ...keys, isClaiming: 0 });
}

async function release(trx: Trx, holder: UserRow, column: 'usernameKey' | 'emailKey'): Promise<void> {
  if (await deleteUnverifiedUser(trx, holder.id)) return;
  const isReleasable = column === 'emailKey' && (await lockUnverifiedUser(trx, holder.id));
  if (!isReleasable) throw takenError(column);
  const change = await findLatestEmailChange(trx, holder.id);
  const oldKey = change?.oldEmail.toLowerCase();
  if (!change || !oldKey || (await findUserByKey(trx, 'emailKey', oldKey))) throw takenError(column);
  await updateUser(trx, holder.id, { email: change.oldEmail, emailKey: oldKey, emailVerified: 1 });
}

export async function removeUnverifiedAccounts(
  { db }: Pick<Context, 'db'>,
  { now, signal }: { now: number; signal: AbortSignal },
): Promise<void> {
  await settleVerifiedClaims(db);
  let after = { createdAt: 0, id: '' };
  while (!signal.aborted) {
    const users = await listUnverifiedUsers(db, { before: now - REMOVED_AFTER_MS, after, limit: BATCH });
    for (const { id } of users) await transaction(db, (trx) => deleteUnverifiedUser(trx, id));
    const last = users.at(-1);
    if (!last || users.length < BATCH) return;
    after = last;
  }
}

export async function freeAddress(
  { db: trx, clock }: { db: Trx } & Pick<Context, 'clock'>,
  emailKey: string,
): Promise<void> {
  const holder = await findUserByKey(trx, 'emailKey', emailKey);
  if (!holder) return;
  const isAbandoned = isContestable(holder, 'usernameKey', clock.now() - UNCONTESTED_MS);
  if (!isAbandoned || !(await deleteUnverifiedUser(trx, holder.id))) throw takenError('emailKey');
}

/** For users verified by the previous release, which doesn't settle claims and may run beside this one. */
async function settleVerifiedClaims(db: Db): Promise<void> {
  for (const user of await listVerifiedClaims(db, BATCH))
    await transaction(db, (trx) => settleClaims(trx, user)).catch((error) => {
      if (!isAppError(error)) throw error;
    });
}

type Position = Pick<UserRow, 'createdAt' | 'id'>;

function listUnverifiedUsers(
  db: Db,
  { before, after, limit }: { before: Instant; after: Position; limit: number },
): Promise<Position[]> {
  return (
    db
      .selectFrom('users')
      .select(['id', 'createdAt'])
      // A literal, so that SQLite uses the partial index.
      .where((eb) => eb('emailVerified', '=', eb.lit(0)))
      .where('createdAt', '<', before)
      .where('createdAt', '>=', after.createdAt)
      .where((eb) => eb.or([eb('createdAt', '>', after.createdAt), eb('id', '>', after.id)]))
      .orderBy('createdAt')
      .orderBy('id')
      .limit(limit)
      .execute()
  );
}

function listVerifiedClaims(db: Db, limit: number): Promise<UserRow[]> {
  return db
    .selectFrom('users')
    .selectAll()
    .where((eb) => eb('isClaiming', '=', eb.lit(1)))
    .where('emailVerified', '=', 1)
    .limit(limit)
    .execute();
}

/**
 * Deletes a user who never verified an address, with sessions, codes and mails. Keeps users with other belongings:
 * they were verified before the column `firstVerifiedAt` existed. Returns false when no row matches.
 */
async function deleteUnverifiedUser(trx: Trx, id: string): Promise<boolean> {
  const row = await trx
    .deleteFrom('users')
    .where('id', '=', id)
    .where('emailVerified', '=', 0)
    .where('firstVerifiedAt', 'is', null)
    .where('deletedAt', 'is', null)
    .where('isAdmin', '=', 0)
    .where('tier', '=', 'free')
    .where('paymentCustomerId', 'is', null)
    .where(({ not, exists, selectFrom, or }) =>
      not(
        or([
          exists(selectFrom('transfers').select('id').whereRef('transfers.userId', '=', 'users.id')),
          exists(selectFrom('monthlyUsage').select('month').whereRef('monthlyUsage.userId', '=', 'users.id')),
          exists(selectFrom('apiKeys').select('id').whereRef('apiKeys.userId', '=', 'users.id')),
          exists(selectFrom('webhooks').select('id').whereRef('webhooks.userId', '=', 'users.id')),
          exists(
            selectFrom('uploadInvitations')
              .select('id')
              .whereRef('uploadInvitations.senderId', '=', 'users.id'),
          ),
          exists(
            selectFrom('userPreferences').select('id').whereRef('userPreferences.userId', '=', 'users.id'),
          ),
          exists(selectFrom('emailChanges').select('id').whereRef('emailChanges.userId', '=', 'users.id')),
        ]),
      ),
    )
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

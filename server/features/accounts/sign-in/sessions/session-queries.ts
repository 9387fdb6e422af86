import type { Insertable } from 'kysely';
import type { Db, Trx } from '../../../../platform/db/open.ts';
import { prepare } from '../../../../platform/db/queries/prepared.ts';
import type { SessionsTable } from '../../../../platform/db/schema/accounts.ts';
import type { Instant } from '../../../../platform/db/schema/column-types.ts';
import type { SessionRow } from '../../../../platform/db/schema.ts';

/**
 * Runs on every request of a signed-in user, so it is a single query. `since` ends sessions by their age, because the
 * previous release extends `expiresAt` at every use.
 */
export const findSessionWithUser = prepare((db, tokenHash: string, now: Instant, since: Instant) =>
  db
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.userId')
    .selectAll('users')
    .select([
      'sessions.id as sessionId',
      'sessions.lastSeenAt as sessionSeenAt',
      'sessions.methods as sessionMethods',
      'sessions.authenticatedAt as authenticatedAt',
      'sessions.createdAt as sessionCreatedAt',
    ])
    .where('sessions.tokenHash', '=', tokenHash)
    .where('sessions.expiresAt', '>', now)
    .where('sessions.createdAt', '>', since)
    .where('users.deletedAt', 'is', null),
);

export function listActiveSessions(
  db: Db,
  { userId, now, since }: { userId: string; now: Instant; since: Instant },
): Promise<Pick<SessionRow, 'id' | 'ipAddress' | 'userAgent' | 'methods' | 'createdAt' | 'lastSeenAt'>[]> {
  return db
    .selectFrom('sessions')
    .select(['id', 'ipAddress', 'userAgent', 'methods', 'createdAt', 'lastSeenAt'])
    .where('userId', '=', userId)
    .where('expiresAt', '>', now)
    .where('createdAt', '>', since)
    .orderBy('lastSeenAt', 'desc')
    .orderBy('createdAt', 'desc')
    .orderBy('id')
    .execute();
}

export async function insertSession(db: Db, row: Insertable<SessionsTable>): Promise<void> {
  await db.insertInto('sessions').values(row).execute();
}

export async function deleteOldestSessions(
  db: Db,
  { userId, keep }: { userId: string; keep: number },
): Promise<void> {
  await db
    .deleteFrom('sessions')
    .where('userId', '=', userId)
    .where((eb) =>
      eb(
        'id',
        'in',
        eb
          .selectFrom('sessions')
          .select('id')
          .where('userId', '=', userId)
          .orderBy('createdAt', 'desc')
          .orderBy('id', 'desc')
          .limit(OLDEST_PER_STATEMENT)
          .offset(keep),
      ),
    )
    .execute();
}

/** Accounts created before the limit may exceed it. The next sign-in deletes the rest. */
const OLDEST_PER_STATEMENT = 500;

/** Only one of several parallel requests writes. */
export async function recordSessionUse(
  db: Db,
  { id, seenAt, now }: { id: string; seenAt: Instant; now: Instant },
): Promise<void> {
  await db
    .updateTable('sessions')
    .set({ lastSeenAt: now })
    .where('id', '=', id)
    .where('lastSeenAt', '=', seenAt)
    .execute();
}

export async function deleteSession(db: Db, tokenHash: string): Promise<void> {
  await db.deleteFrom('sessions').where('tokenHash', '=', tokenHash).execute();
}

export async function deleteSessionById(
  db: Db,
  { id, userId, now }: { id: string; userId: string; now: Instant },
): Promise<boolean> {
  const row = await db
    .deleteFrom('sessions')
    .where('id', '=', id)
    .where('userId', '=', userId)
    .where('expiresAt', '>', now)
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

/** Returns how many there were. */
export async function deleteSessionsOf(
  trx: Trx,
  userId: string,
  { except }: { except?: string | null } = {},
): Promise<number> {
  const rows = await trx
    .deleteFrom('sessions')
    .where('userId', '=', userId)
    .$if(Boolean(except), (query) => query.where('id', '!=', except!))
    .returning('id')
    .execute();
  return rows.length;
}

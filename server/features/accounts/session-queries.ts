import type { Insertable } from 'kysely';
import type { Db, Trx } from '../../platform/db/open.ts';
import { prepare } from '../../platform/db/prepared.ts';
import type { Instant, SessionRow, SessionsTable } from '../../platform/db/schema.ts';

/** A living session with its user, in one look: every request of a signed-in user asks this. */
export const selectSessionWithUser = prepare((db, tokenHash: string, now: Instant) =>
  db
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.userId')
    .selectAll('users')
    .select(['sessions.id as sessionId', 'sessions.lastSeenAt as sessionSeenAt'])
    .where('sessions.tokenHash', '=', tokenHash)
    .where('sessions.expiresAt', '>', now)
    .where('users.deletedAt', 'is', null),
);

/** A user's living sessions, the one used last first; without the hashes. */
export function listLivingSessions(
  db: Db,
  userId: string,
  now: Instant,
): Promise<Omit<SessionRow, 'userId' | 'tokenHash' | 'expiresAt'>[]> {
  return db
    .selectFrom('sessions')
    .select(['id', 'ipAddress', 'userAgent', 'createdAt', 'lastSeenAt'])
    .where('userId', '=', userId)
    .where('expiresAt', '>', now)
    .orderBy('lastSeenAt', 'desc')
    .orderBy('createdAt', 'desc')
    .orderBy('id')
    .execute();
}

export async function insertSession(db: Db, row: Insertable<SessionsTable>): Promise<void> {
  await db.insertInto('sessions').values(row).execute();
}

/** Of parallel requests one writes. */
export async function prolongSession(
  db: Db,
  { id, seenAt }: { id: string; seenAt: Instant },
  { now, expiresAt }: { now: Instant; expiresAt: Instant },
): Promise<void> {
  await db
    .updateTable('sessions')
    .set({ lastSeenAt: now, expiresAt })
    .where('id', '=', id)
    .where('lastSeenAt', '=', seenAt)
    .execute();
}

export async function deleteSession(db: Db, tokenHash: string): Promise<void> {
  await db.deleteFrom('sessions').where('tokenHash', '=', tokenHash).execute();
}

/** False when there is no such living session of this user. */
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

/** All of a user's sessions, or all but one. */
export async function deleteSessionsOf(
  trx: Trx,
  userId: string,
  { except }: { except?: string | null } = {},
): Promise<void> {
  await trx
    .deleteFrom('sessions')
    .where('userId', '=', userId)
    .$if(Boolean(except), (query) => query.where('id', '!=', except!))
    .execute();
}

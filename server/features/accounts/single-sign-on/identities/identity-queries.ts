import type { Insertable } from 'kysely';
import type { Db, Trx } from '../../../../platform/db/open.ts';
import type { ExternalIdentitiesTable } from '../../../../platform/db/schema/accounts.ts';
import type { Instant } from '../../../../platform/db/schema/column-types.ts';
import type { ExternalIdentityRow } from '../../../../platform/db/schema.ts';

type Subject = Pick<ExternalIdentityRow, 'providerId' | 'issuer' | 'subject'>;

export async function findIdentity(
  db: Db,
  { providerId, issuer, subject }: Subject,
): Promise<ExternalIdentityRow | undefined> {
  return db
    .selectFrom('externalIdentities')
    .selectAll()
    .where('providerId', '=', providerId)
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .executeTakeFirst();
}

export async function findIdentityOf(
  db: Db,
  { id, userId }: Pick<ExternalIdentityRow, 'id' | 'userId'>,
): Promise<ExternalIdentityRow | undefined> {
  return db
    .selectFrom('externalIdentities')
    .selectAll()
    .where('id', '=', id)
    .where('userId', '=', userId)
    .executeTakeFirst();
}

export function listIdentitiesOf(db: Db, userId: string): Promise<ExternalIdentityRow[]> {
  return db
    .selectFrom('externalIdentities')
    .selectAll()
    .where('userId', '=', userId)
    .orderBy('createdAt')
    .orderBy('id')
    .execute();
}

/** Throws a unique violation if the identity is linked already. */
export async function insertIdentity(
  trx: Trx,
  row: Insertable<ExternalIdentitiesTable>,
): Promise<ExternalIdentityRow> {
  return trx.insertInto('externalIdentities').values(row).returningAll().executeTakeFirstOrThrow();
}

/** Locks the row; false if it was unlinked meanwhile. */
export async function recordIdentityUse(
  trx: Trx,
  { id, userId, now }: Pick<ExternalIdentityRow, 'id' | 'userId'> & { now: Instant },
): Promise<boolean> {
  const used = await trx
    .updateTable('externalIdentities')
    .set({ lastUsedAt: now })
    .where('id', '=', id)
    .where('userId', '=', userId)
    .returning('id')
    .executeTakeFirst();
  return used !== undefined;
}

export async function deleteIdentityOf(
  trx: Trx,
  { id, userId }: Pick<ExternalIdentityRow, 'id' | 'userId'>,
): Promise<ExternalIdentityRow | undefined> {
  return trx
    .deleteFrom('externalIdentities')
    .where('id', '=', id)
    .where('userId', '=', userId)
    .returningAll()
    .executeTakeFirst();
}

export async function deleteIdentitiesOf(trx: Trx, userId: string): Promise<void> {
  await trx.deleteFrom('externalIdentities').where('userId', '=', userId).execute();
}

export async function deleteIdentitiesAddedSince(trx: Trx, userId: string, since: Instant): Promise<void> {
  await trx
    .deleteFrom('externalIdentities')
    .where('userId', '=', userId)
    .where('createdAt', '>=', since)
    .execute();
}

export async function deleteIdentitiesOfProvider(trx: Trx, providerId: string): Promise<void> {
  await trx.deleteFrom('externalIdentities').where('providerId', '=', providerId).execute();
}

type SessionFilter = { providerId: string; userId?: string; sid?: string; except?: string | null };

/** Returns the users whose sessions ended. */
export async function deleteSessionsOfProvider(
  trx: Trx,
  { providerId, userId, sid, except }: SessionFilter,
): Promise<string[]> {
  const rows = await trx
    .deleteFrom('sessions')
    .where('providerId', '=', providerId)
    .$if(userId !== undefined, (query) => query.where('userId', '=', userId!))
    .$if(sid !== undefined, (query) => query.where('providerSession', '=', sid!))
    .$if(Boolean(except), (query) => query.where('id', '!=', except!))
    .returning('userId')
    .execute();
  return [...new Set(rows.map((row) => row.userId))];
}

export async function findProviderOfSession(db: Db, tokenHash: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('sessions')
    .select('providerId')
    .where('tokenHash', '=', tokenHash)
    .executeTakeFirst();
  return row?.providerId ?? undefined;
}

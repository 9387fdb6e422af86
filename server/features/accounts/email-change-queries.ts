import type { Insertable, Selectable } from 'kysely';
import type { Db, Trx } from '../../platform/db/open.ts';
import type { EmailChangesTable, Instant } from '../../platform/db/schema.ts';

export type EmailChange = Selectable<EmailChangesTable>;

export async function insertEmailChange(trx: Trx, row: Insertable<EmailChangesTable>): Promise<void> {
  await trx.insertInto('emailChanges').values(row).execute();
}

export async function selectEmailChange(
  db: Db,
  tokenHash: string,
  now: Instant,
): Promise<EmailChange | undefined> {
  return db
    .selectFrom('emailChanges')
    .selectAll()
    .where('tokenHash', '=', tokenHash)
    .where('expiresAt', '>', now)
    .executeTakeFirst();
}

/** The first change that a user made since an instant and that can still be undone. */
export async function findEmailChangeSince(
  trx: Trx,
  { userId, since, now }: { userId: string; since: Instant; now: Instant },
): Promise<EmailChange | undefined> {
  return trx
    .selectFrom('emailChanges')
    .selectAll()
    .where('userId', '=', userId)
    .where('createdAt', '>=', since)
    .where('expiresAt', '>', now)
    .orderBy('createdAt')
    .limit(1)
    .executeTakeFirst();
}

/** Changes of this user that can still be undone, the oldest first. */
export async function listEmailChanges(
  trx: Trx,
  { userId, now }: { userId: string; now: Instant },
): Promise<EmailChange[]> {
  return trx
    .selectFrom('emailChanges')
    .selectAll()
    .where('userId', '=', userId)
    .where('expiresAt', '>', now)
    .orderBy('createdAt')
    .limit(LISTED_MAX)
    .execute();
}

/** More than anybody makes in the week that they can be undone. */
const LISTED_MAX = 500;

/** The newest change of this user. */
export async function findLatestEmailChange(trx: Trx, userId: string): Promise<EmailChange | undefined> {
  return trx
    .selectFrom('emailChanges')
    .selectAll()
    .where('userId', '=', userId)
    .orderBy('createdAt', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** When the newest change of this user that can be undone was made. */
export async function findNewestEmailChange(trx: Trx, userId: string): Promise<Instant | undefined> {
  const { newest } = await trx
    .selectFrom('emailChanges')
    .select(({ fn }) => fn.max('createdAt').as('newest'))
    .where('userId', '=', userId)
    .executeTakeFirstOrThrow();
  return newest === null ? undefined : Number(newest);
}

/** False when it was undone meanwhile, by itself or with an older one. */
export async function deleteEmailChange(trx: Trx, id: string): Promise<boolean> {
  const row = await trx.deleteFrom('emailChanges').where('id', '=', id).returning('id').executeTakeFirst();
  return row !== undefined;
}

export async function deleteNewerEmailChanges(
  trx: Trx,
  { userId, createdAt }: Pick<EmailChange, 'userId' | 'createdAt'>,
): Promise<void> {
  await trx
    .deleteFrom('emailChanges')
    .where('userId', '=', userId)
    .where('createdAt', '>', createdAt)
    .execute();
}

export async function deleteEmailChangesOf(trx: Trx, userId: string): Promise<void> {
  await trx.deleteFrom('emailChanges').where('userId', '=', userId).execute();
}

import { randomId } from '../lib/tokens.ts';
import type { Db } from './open.ts';
import type { Instant } from './schema.ts';

const KEY = 'lastBackupAt';

/** Records that a complete backup holds the rows as they were at `at`, so that monitoring sees its age. */
export async function recordLastBackup(db: Db, at: Instant): Promise<void> {
  const row = { value: String(at), updatedAt: at };
  await db
    .insertInto('settings')
    .values({ id: randomId(), key: KEY, ...row })
    .onConflict((conflict) => conflict.column('key').doUpdateSet(row))
    .execute();
}

/** When the newest complete backup was started; undefined if the `backup` command never completed one. */
export async function findLastBackup(db: Db): Promise<Instant | undefined> {
  const row = await db.selectFrom('settings').select('value').where('key', '=', KEY).executeTakeFirst();
  return row && Number(row.value);
}

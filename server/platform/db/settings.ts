import { randomId } from '../lib/tokens.ts';
import type { Db, Trx } from './open.ts';
import { prepare } from './queries/prepared.ts';
import type { Instant } from './schema/column-types.ts';
import type { SettingsTable } from './schema/platform.ts';

export const selectSetting = prepare((db, key: string) =>
  db.selectFrom('settings').select('value').where('key', '=', key),
);

export async function upsertSetting(trx: Trx, row: SettingsTable): Promise<void> {
  const { value, updatedAt } = row;
  await trx
    .insertInto('settings')
    .values(row)
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value, updatedAt }))
    .execute();
}

const LAST_BACKUP_KEY = 'lastBackupAt';

/** `at` is when the backup's data was read. */
export async function recordLastBackup(db: Db, at: Instant): Promise<void> {
  const row = { value: String(at), updatedAt: at };
  await db
    .insertInto('settings')
    .values({ id: randomId(), key: LAST_BACKUP_KEY, ...row })
    .onConflict((conflict) => conflict.column('key').doUpdateSet(row))
    .execute();
}

export async function findLastBackup(db: Db): Promise<Instant | undefined> {
  const row = await db
    .selectFrom('settings')
    .select('value')
    .where('key', '=', LAST_BACKUP_KEY)
    .executeTakeFirst();
  return row && Number(row.value);
}

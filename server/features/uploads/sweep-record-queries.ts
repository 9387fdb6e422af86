import type { Db, Trx } from '../../platform/db/open.ts';
import { randomId } from '../../platform/lib/tokens.ts';

type Setting = { key: string; value: string; now: number };

export async function readSetting(db: Db | Trx, key: string): Promise<string | undefined> {
  const row = await db.selectFrom('settings').select('value').where('key', '=', key).executeTakeFirst();
  return row?.value;
}

export async function writeSetting(db: Db, { key, value, now }: Setting): Promise<void> {
  const row = { value, updatedAt: now };
  await db
    .insertInto('settings')
    .values({ id: randomId(), key, ...row })
    .onConflict((conflict) => conflict.column('key').doUpdateSet(row))
    .execute();
}

/** False when the setting exists. */
export async function insertSetting(db: Db, { key, value, now }: Setting): Promise<boolean> {
  const inserted = await db
    .insertInto('settings')
    .values({ id: randomId(), key, value, updatedAt: now })
    .onConflict((conflict) => conflict.column('key').doNothing())
    .returning('key')
    .executeTakeFirst();
  return inserted !== undefined;
}

/** False when the setting is no longer `old`. */
export async function replaceSetting(
  db: Db | Trx,
  { key, value, old, now }: Setting & { old: string },
): Promise<boolean> {
  const updated = await db
    .updateTable('settings')
    .set({ value, updatedAt: now })
    .where('key', '=', key)
    .where('value', '=', old)
    .returning('key')
    .executeTakeFirst();
  return updated !== undefined;
}

/** False when the setting is no longer `old`. */
export async function deleteSetting(db: Db, { key, old }: { key: string; old: string }): Promise<boolean> {
  const deleted = await db
    .deleteFrom('settings')
    .where('key', '=', key)
    .where('value', '=', old)
    .returning('key')
    .executeTakeFirst();
  return deleted !== undefined;
}

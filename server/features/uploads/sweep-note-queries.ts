import type { Db } from '../../platform/db/open.ts';
import { randomId } from '../../platform/lib/tokens.ts';

export async function readSetting(db: Db, key: string): Promise<string | undefined> {
  const row = await db.selectFrom('settings').select('value').where('key', '=', key).executeTakeFirst();
  return row?.value;
}

export async function writeSetting(
  db: Db,
  { key, value, now }: { key: string; value: string; now: number },
): Promise<void> {
  const row = { value, updatedAt: now };
  await db
    .insertInto('settings')
    .values({ id: randomId(), key, ...row })
    .onConflict((conflict) => conflict.column('key').doUpdateSet(row))
    .execute();
}

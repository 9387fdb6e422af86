import type { Trx } from '../../platform/db/open.ts';
import { prepare } from '../../platform/db/prepared.ts';
import type { SettingsTable } from '../../platform/db/schema.ts';

/** A setting's text by its key. */
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

import type { Trx } from './open.ts';
import { prepare } from './prepared.ts';
import type { SettingsTable } from './schema.ts';

/** A setting's text by its key: no row, or one. */
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

import { prepare } from '../../platform/db/prepared.ts';

/** A setting's text by its key. */
export const selectSetting = prepare((db, key: string) =>
  db.selectFrom('settings').select('value').where('key', '=', key),
);

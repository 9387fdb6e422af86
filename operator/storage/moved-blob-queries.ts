import type { Db } from '../../server/platform/db/open.ts';

/** Whether an open upload may still write to the blob, alone or among others of a pack. */
export async function isWrittenTo(db: Db, storageKey: string): Promise<boolean> {
  const row = await db
    .selectFrom('uploads')
    .select('id')
    .where('storageKey', '=', storageKey)
    .where('state', '=', 'open')
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

import type { Preferences } from '../../../contracts/accounts/settings.ts';
import type { Db } from '../../platform/db/open.ts';
import type { Flag, Instant } from '../../platform/db/schema.ts';

export type PreferenceFlags = Record<keyof Preferences, Flag>;

export async function selectPreferences(db: Db, userId: string): Promise<PreferenceFlags | undefined> {
  return db
    .selectFrom('userPreferences')
    .select(['emailOnDownload', 'emailOnView', 'emailOnExpiry'])
    .where('userId', '=', userId)
    .executeTakeFirst();
}

/** Changes only what is named; a new row has the column's defaults for the rest. */
export async function upsertPreferences(
  db: Db,
  key: { id: string; userId: string },
  changes: Partial<PreferenceFlags> & { updatedAt: Instant },
): Promise<PreferenceFlags> {
  return db
    .insertInto('userPreferences')
    .values({ ...key, ...changes })
    .onConflict((conflict) => conflict.column('userId').doUpdateSet(changes))
    .returning(['emailOnDownload', 'emailOnView', 'emailOnExpiry'])
    .executeTakeFirstOrThrow();
}

export async function deletePreferences(db: Db, userId: string): Promise<void> {
  await db.deleteFrom('userPreferences').where('userId', '=', userId).execute();
}

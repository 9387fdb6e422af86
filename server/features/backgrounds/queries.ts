import type { Db, Trx } from '../../platform/db/open.ts';
import type { UserRow } from '../../platform/db/schema.ts';

const BACKGROUND = [
  'tier',
  'backgroundStorageKey',
  'backgroundSizeBytes',
  'backgroundSmallSizeBytes',
] as const satisfies (keyof UserRow)[];

export type BackgroundOwner = Pick<UserRow, (typeof BACKGROUND)[number]>;

export async function findOwner(db: Db, userId: string): Promise<BackgroundOwner | undefined> {
  return db
    .selectFrom('users')
    .select(BACKGROUND)
    .where('id', '=', userId)
    .where('deletedAt', 'is', null)
    .executeTakeFirst();
}

export async function findOwnerByKey(db: Db, storageKey: string): Promise<BackgroundOwner | undefined> {
  return db
    .selectFrom('users')
    .select(BACKGROUND)
    .where('backgroundStorageKey', '=', storageKey)
    .executeTakeFirst();
}

export async function lockOwner(trx: Trx, userId: string): Promise<BackgroundOwner | undefined> {
  return trx
    .updateTable('users')
    .set((eb) => ({ backgroundStorageKey: eb.ref('backgroundStorageKey') }))
    .where('id', '=', userId)
    .where('deletedAt', 'is', null)
    .returning(BACKGROUND)
    .executeTakeFirst();
}

type BackgroundColumns = Pick<
  UserRow,
  | 'backgroundStorageKey'
  | 'backgroundFilename'
  | 'backgroundMimeType'
  | 'backgroundSizeBytes'
  | 'backgroundSmallSizeBytes'
>;

/** The caller's transaction must hold the user's row lock. */
export async function updateBackground(trx: Trx, userId: string, columns: BackgroundColumns): Promise<void> {
  await trx.updateTable('users').set(columns).where('id', '=', userId).execute();
}

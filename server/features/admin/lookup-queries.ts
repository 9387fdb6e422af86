import type { Db } from '../../platform/db/open.ts';

const OF_TRANSFER = [
  'id',
  'userId',
  'status',
  'createdAt',
  'expiresAt',
  'scheduledAvailableAt',
  'takenDownAt',
  'scanState',
  'reservedBytes',
] as const;

export function findTransfer(db: Db, by: 'id' | 'token', value: string) {
  return db.selectFrom('transfers').select(OF_TRANSFER).where(by, '=', value).executeTakeFirst();
}
export type FoundTransfer = NonNullable<Awaited<ReturnType<typeof findTransfer>>>;

export function findUpload(db: Db, id: string) {
  return db
    .selectFrom('uploads')
    .select([
      'id',
      'userId',
      'transferId',
      'state',
      'sizeBytes',
      'receivedBytes',
      'createdAt',
      'lastActivityAt',
    ])
    .where('id', '=', id)
    .executeTakeFirst();
}
export type FoundUpload = NonNullable<Awaited<ReturnType<typeof findUpload>>>;

/** A file has the id of the upload that brought it. */
export function findFile(db: Db, id: string) {
  return db
    .selectFrom('files')
    .select(['id', 'transferId', 'sizeBytes', 'uploadedAt'])
    .where('id', '=', id)
    .executeTakeFirst();
}

export async function findUsername(db: Db, id: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('users')
    .select('username')
    .where('id', '=', id)
    .where('deletedAt', 'is', null)
    .executeTakeFirst();
  return row?.username;
}

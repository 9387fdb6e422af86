import type { Db } from '../../platform/db/open.ts';
import type { UploadRow } from '../../platform/db/schema.ts';
import type { Scope } from './uploader.ts';

export type TusUpload = UploadRow & { metadata: string; wishes: string };

export async function insertTusUpload(
  db: Db,
  row: { uploadId: string; metadata: string; wishes: string },
): Promise<void> {
  await db.insertInto('tusUploads').values(row).execute();
}

/** The caller's upload that a tus client announced, unless its transfer is being deleted. */
export async function findTusUpload(
  db: Db,
  { userId, visitorKey }: Scope,
  uploadId: string,
): Promise<TusUpload | undefined> {
  return db
    .selectFrom('uploads')
    .innerJoin('tusUploads', 'tusUploads.uploadId', 'uploads.id')
    .innerJoin('transfers', 'transfers.id', 'uploads.transferId')
    .selectAll('uploads')
    .select(['tusUploads.metadata', 'tusUploads.wishes'])
    .where('uploads.id', '=', uploadId)
    .where('uploads.userId', '=', userId)
    .where('uploads.visitorKey', 'is not distinct from', visitorKey)
    .where('transfers.status', '!=', 'deleting')
    .executeTakeFirst();
}

/** What was wished for has been decided; it is not kept twice. */
export async function forgetWishes(db: Db, uploadId: string): Promise<void> {
  await db.updateTable('tusUploads').set({ wishes: '{}' }).where('uploadId', '=', uploadId).execute();
}

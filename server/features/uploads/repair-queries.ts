import type { Trx } from '../../platform/db/open.ts';
import type { FileRow, UploadRow } from '../../platform/db/schema.ts';

type RepairedFile = Pick<
  FileRow,
  | 'id'
  | 'position'
  | 'originalName'
  | 'relativePath'
  | 'mimeType'
  | 'sizeBytes'
  | 'crc32'
  | 'storageKey'
  | 'damagedAt'
>;

export async function findRepairedFile(
  trx: Trx,
  { transferId, fileId }: { transferId: string; fileId: string },
): Promise<RepairedFile | undefined> {
  return await trx
    .selectFrom('files')
    .select([
      'id',
      'position',
      'originalName',
      'relativePath',
      'mimeType',
      'sizeBytes',
      'crc32',
      'storageKey',
      'damagedAt',
    ])
    .where('id', '=', fileId)
    .where('transferId', '=', transferId)
    .executeTakeFirst();
}

type Replacement = { fileId: string; upload: UploadRow & { crc32: number } };

/**
 * Lets a damaged file lie where the upload does, if that has the same length and CRC-32. It stays damaged until the
 * new bytes have been read and compared, for which it becomes unchecked. Returns whether it did.
 */
export async function replacePlace(trx: Trx, { fileId, upload }: Replacement): Promise<boolean> {
  const { storageKey, offset, firstSlot, chunkSize, chunkCount } = upload;
  const row = await trx
    .updateTable('files')
    .set({ storageKey, offset, checkedAt: null })
    .where('id', '=', fileId)
    .where('transferId', '=', upload.transferId)
    .where('damagedAt', 'is not', null)
    .where('sizeBytes', '=', upload.sizeBytes)
    .where('crc32', '=', upload.crc32)
    .returning('id')
    .executeTakeFirst();
  if (!row) return false;
  // The upload that first brought the file must not keep naming the old blob.
  await trx
    .updateTable('uploads')
    .set({ storageKey, offset, firstSlot, chunkSize, chunkCount })
    .where('id', '=', fileId)
    .execute();
  await trx
    .updateTable('transfers')
    .set((eb) => ({ repairCount: eb('repairCount', '+', 1) }))
    .where('id', '=', upload.transferId)
    .execute();
  return true;
}

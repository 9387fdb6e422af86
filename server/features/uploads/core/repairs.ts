import { z } from 'zod';
import type { UploadRequest } from '../../../../contracts/transfers/uploads/uploads.ts';
import type { Context } from '../../../context.ts';
import type { Trx } from '../../../platform/db/open.ts';
import type { FileRow, UploadRow } from '../../../platform/db/schema.ts';
import { defineJob } from '../../../platform/jobs/define-job.ts';
import { enqueue } from '../../../platform/jobs/queue.ts';
import { AppError } from '../../../platform/lib/app-error.ts';
import { monthOf } from '../../../platform/lib/clock.ts';
import { randomId } from '../../../platform/lib/tokens.ts';
import { enqueueCheck } from '../../checksums/index.ts';
import { isExpired, lockOwnTransfer, requireComplete } from '../../transfers/index.ts';
import { findNamedKeys } from '../sweep/queries.ts';
import { planFile, prepareOrDiscard } from './announcements.ts';
import { reserveDiskSpace } from './disk-reservations.ts';
import { allocatePlaces } from './places.ts';
import { insertUploads } from './queries.ts';
import { scopeOf, type Uploader } from './uploader.ts';

/** Removes damaged bytes that were replaced, unless other files share their blob. */
export const removeReplacedBlobJob = defineJob<Context, { storageKey: string }>({
  name: 'remove-replaced-blob',
  payload: z.object({ storageKey: z.string() }),
  removesBytes: true,
  run: async ({ db, blobs }, { storageKey }) => {
    if (!(await findNamedKeys(db, [storageKey])).has(storageKey)) await blobs.remove(storageKey);
  },
});

/** Sealing a file twice gives different bytes, because each segment has a random nonce. */
const SEALED_ANEW =
  'Encrypted files differ each time they are sent, so this one cannot be repaired. Add the file to the transfer again.';

type Repair = { transferId: string; fileId: string; file: UploadRequest };

/**
 * Opens an upload that will replace the bytes of a damaged file. It uses no quota, because the file already counts.
 * Throws AppError `not_allowed` (a visitor), `wrong_total_chunks`, `transfer_not_found`, `still_arriving`,
 * `transfer_expired`, `file_not_found`, `file_not_damaged`, `repair_differs` (another length, or an encrypted
 * transfer), `storage_full`.
 */
export async function announceRepair(
  context: Context,
  uploader: Uploader,
  { transferId, fileId, file }: Repair,
): Promise<UploadRow> {
  if (uploader.visitor) throw new AppError('not_allowed');
  const plan = planFile(file, '');
  const now = context.clock.now();
  const row = await reserveDiskSpace(context, plan.sizeBytes, async (trx) => {
    const transfer = await lockOwnTransfer(trx, uploader.owner.id, transferId);
    requireComplete(transfer);
    if (isExpired(transfer, now)) throw new AppError('transfer_expired');
    if (transfer.encryption !== null) throw new AppError('repair_differs', { message: SEALED_ANEW });
    const repaired = await findRepairedFile(trx, { transferId, fileId });
    if (!repaired) throw new AppError('file_not_found');
    if (repaired.damagedAt === null) throw new AppError('file_not_damaged');
    if (repaired.sizeBytes !== plan.sizeBytes) throw new AppError('repair_differs');
    // Never in a pack: bytes next to the damaged ones may be damaged, too.
    const [place] = await allocatePlaces(trx, { transferId, plans: [plan], packs: false });
    const upload: UploadRow = {
      ...place!,
      id: randomId(),
      ...scopeOf(uploader),
      transferId,
      state: 'open',
      fileName: repaired.originalName,
      relativePath: repaired.relativePath,
      mimeType: repaired.mimeType,
      modifiedAt: null,
      isExecutable: 0,
      position: repaired.position,
      usageMonth: monthOf(now),
      createdAt: now,
      lastActivityAt: now,
      receivedBytes: 0,
      repairsFileId: fileId,
      manifestRevision: null,
    };
    await insertUploads(trx, [upload]);
    return upload;
  });
  await prepareOrDiscard(context, [row]);
  return row;
}

/**
 * Points damaged files at the bytes of these complete uploads. Everything else stays, also the ETag, because the
 * content is the same. The files are offered again once a job has read the new bytes. Throws AppError `conflict` (an
 * upload for another transfer), `file_not_found`, `file_not_damaged`, `repair_differs`.
 */
export async function repairFiles(
  trx: Trx,
  transferId: string,
  uploads: (UploadRow & { crc32: number })[],
): Promise<void> {
  for (const upload of uploads) {
    if (upload.transferId !== transferId) throw new AppError('conflict');
    const fileId = upload.repairsFileId!;
    const file = await findRepairedFile(trx, { transferId, fileId });
    if (!file) throw new AppError('file_not_found');
    if (file.damagedAt === null) throw new AppError('file_not_damaged');
    if (!(await replacePlace(trx, { fileId, upload }))) throw new AppError('repair_differs');
    const { storageKey } = file;
    await enqueue(trx, removeReplacedBlobJob, { storageKey }, { uniqueKey: storageKey });
  }
  await enqueueCheck(trx, transferId);
}

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

async function findRepairedFile(
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

/** The file stays damaged until a job has verified the new bytes. Returns false if they differ. */
async function replacePlace(trx: Trx, { fileId, upload }: Replacement): Promise<boolean> {
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
  // The upload that first stored the file must not keep naming the old blob.
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

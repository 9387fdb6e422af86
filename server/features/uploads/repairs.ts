import { z } from 'zod';
import type { UploadRequest } from '../../../contracts/transfers/uploads.ts';
import type { Context } from '../../context.ts';
import type { Trx } from '../../platform/db/open.ts';
import type { UploadRow } from '../../platform/db/schema.ts';
import { defineJob } from '../../platform/jobs/define-job.ts';
import { enqueue } from '../../platform/jobs/queue.ts';
import { AppError } from '../../platform/lib/app-error.ts';
import { monthOf } from '../../platform/lib/clock.ts';
import { randomId } from '../../platform/lib/tokens.ts';
import { enqueueCheck } from '../checksums/index.ts';
import { holdOwnTransfer, isExpired } from '../transfers/index.ts';
import { planFile, prepareOrGiveUp } from './announcements.ts';
import { reserveDiskSpace } from './disk-reservations.ts';
import { allocatePlaces } from './places.ts';
import { insertUploads } from './queries.ts';
import { findRepairedFile, replacePlace } from './repair-queries.ts';
import { findNamedKeys } from './sweep-queries.ts';
import { scopeOf, type Uploader } from './uploader.ts';

/** Removes the damaged bytes that an upload has replaced, unless other files share their blob. */
export const removeReplacedBlobJob = defineJob<Context, { storageKey: string }>({
  name: 'remove-replaced-blob',
  payload: z.object({ storageKey: z.string() }),
  removesBytes: true,
  run: async ({ db, blobs }, { storageKey }) => {
    if (!(await findNamedKeys(db, [storageKey])).has(storageKey)) await blobs.remove(storageKey);
  },
});

type Repair = { transferId: string; fileId: string; file: UploadRequest };

/**
 * Opens an upload whose bytes are to replace those of a damaged file. It counts against no limit: the file has been
 * counted. Throws AppError `not_allowed` (a visitor), `wrong_total_chunks`, `transfer_not_found`,
 * `transfer_expired`, `file_not_found`, `file_not_damaged`, `repair_differs` (another length), `storage_full`.
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
    const transfer = await holdOwnTransfer(trx, uploader.owner.id, transferId);
    if (transfer.status !== 'ready') throw new AppError('transfer_not_found');
    if (isExpired(transfer, now)) throw new AppError('transfer_expired');
    const repaired = await findRepairedFile(trx, { transferId, fileId });
    if (!repaired) throw new AppError('file_not_found');
    if (repaired.damagedAt === null) throw new AppError('file_not_damaged');
    if (repaired.sizeBytes !== plan.sizeBytes) throw new AppError('repair_differs');
    // Never in a pack: what lies beside the damaged bytes may be damaged, too.
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
      position: repaired.position,
      usageMonth: monthOf(now),
      createdAt: now,
      lastActivityAt: now,
      receivedBytes: 0,
      repairsFileId: fileId,
    };
    await insertUploads(trx, [upload]);
    return upload;
  });
  await prepareOrGiveUp(context, [row]);
  return row;
}

/**
 * Lets damaged files lie where these whole uploads do; id, position, counts and links stay, and the ETag too, because
 * the content is the same. The files are offered once a job has read the new bytes. Throws AppError `conflict` (an
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

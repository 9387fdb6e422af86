import type { z } from 'zod';
import type { FateCause } from '../../../../contracts/admin/lookup.ts';
import { RETENTION } from '../../../../contracts/transfers/retention.ts';
import {
  type ListUploadsQuery,
  type UnfinishedUpload,
  UPLOADS_PER_PAGE_MAX,
} from '../../../../contracts/transfers/uploads/uploads.ts';
import { HOUR_MS } from '../../../../contracts/values/durations.ts';
import type { Page } from '../../../../contracts/values/paging.ts';
import type { Context } from '../../../context.ts';
import type { Trx } from '../../../platform/db/open.ts';
import type { TransferRow, UploadRow } from '../../../platform/db/schema.ts';
import { transaction } from '../../../platform/db/transaction.ts';
import { AppError, isAppError } from '../../../platform/lib/app-error.ts';
import { cutPage, type Position, readCursor } from '../../../platform/lib/cursor.ts';
import type { BlobStore } from '../../../platform/storage/blob-store.ts';
import {
  becomeReadyIfComplete,
  changeAnnouncedFiles,
  lockOwnTransfer,
  recordTransferFates,
  recordUploadFates,
  releaseBytes,
  removeEmptyDraft,
} from '../../transfers/index.ts';
import { arrivalsOf } from '../arriving/arrivals.ts';
import { canSendDirectly } from '../chunks/direct-chunks.ts';
import { lockUploads } from '../chunks/shared-gate.ts';
import { gateKey } from '../chunks/upload-gate.ts';
import { listPackKeys, placeOf } from './places.ts';
import { presentUnfinished } from './presenter.ts';
import {
  deleteOpenUploads,
  findChunkTarget,
  findOwner,
  listOpenUploads,
  type OpenUpload,
  selectOwnUploads,
  type UploadPlace,
} from './queries.ts';
import { enqueueReadyJobs } from './ready-jobs.ts';
import type { Scope } from './uploader.ts';

/** Unfinished uploads, drafts and blobs without a row expire this long after their last activity. */
export const UNFINISHED_LIFETIME_MS = RETENTION.unfinishedUploadHours * HOUR_MS;

const LISTED_AT_ONCE = 16;

export async function listReceivedChunks(
  { db, blobs }: Context,
  scope: Scope,
  uploadId: string,
): Promise<number[]> {
  const target = await findChunkTarget(db, scope, uploadId);
  if (!target) throw new AppError('upload_not_found');
  if (target.state === 'complete') return Array.from({ length: target.chunkCount }, (_, index) => index);
  return listIndexes(blobs, target);
}

/** Oldest first. Throws AppError `invalid_input` for an unknown cursor. */
export async function listUnfinishedUploads(
  context: Context,
  scope: Scope,
  query: z.output<typeof ListUploadsQuery>,
): Promise<Page<UnfinishedUpload>> {
  const { db, blobs } = context;
  const { limit = UPLOADS_PER_PAGE_MAX, cursor } = query;
  const after = readCursor(cursor, SORT, { isText: true });
  const rows = await listOpenUploads(db, scope, { after: after && toUploadPlace(after), limit: limit + 1 });
  const { shown: uploads, nextCursor } = cutPage(rows.map(withSortKey), { sort: SORT, limit });
  const answers: UnfinishedUpload[] = [];
  const waiting = uploads.entries();
  const listNext = async () => {
    for (const [position, upload] of waiting) {
      const receivedChunks = await listIndexes(blobs, upload);
      answers[position] = presentUnfinished(upload, {
        receivedChunks,
        direct: canSendDirectly(context, upload),
      });
    }
  };
  await Promise.all(Array.from({ length: LISTED_AT_ONCE }, listNext));
  return { items: answers, nextCursor };
}

const SORT = 'oldest';
const SORT_KEY = /^(\d{1,15})-(\d{1,9})$/;

/** Files announced together share a timestamp; their position breaks the tie. */
function withSortKey(upload: OpenUpload): OpenUpload & { sortKey: string } {
  return { ...upload, sortKey: `${upload.createdAt}-${upload.position}` };
}

function toUploadPlace({ id, key }: Position): UploadPlace {
  const [, createdAt, position] = SORT_KEY.exec(String(key)) ?? [];
  return { id, createdAt: Number(createdAt ?? 0), position: Number(position ?? 0) };
}

export async function abortUpload(context: Context, scope: Scope, uploadId: string): Promise<void> {
  const [upload] = await selectOwnUploads(context.db, scope, [uploadId]);
  if (!upload) throw new AppError('upload_not_found');
  if (upload.state === 'complete') throw new AppError('upload_closed');
  if (await discardUpload(context, upload, { cause: 'aborted' })) return;
  const [remaining] = await selectOwnUploads(context.db, scope, [uploadId]);
  throw new AppError(remaining ? 'upload_closed' : 'upload_not_found');
}

/** Ignores uploads that are complete, unknown or somebody else's. */
export async function abortUploads(context: Context, scope: Scope, uploadIds: string[]): Promise<void> {
  const uploads = await selectOwnUploads(context.db, scope, [...new Set(uploadIds)]);
  const open = uploads.filter(({ state }) => state === 'open');
  for (const ofTransfer of Map.groupBy(open, ({ transferId }) => transferId).values())
    await discardUploads(context, ofTransfer, { cause: 'aborted' }).catch(ignoreDeleted);
}

function ignoreDeleted(error: unknown): void {
  if (!isAppError(error, 'transfer_not_found')) throw error;
}

type Removable = Pick<UploadRow, 'id' | 'userId' | 'visitorKey' | 'transferId'>;
type Reason = { cause: FateCause; idleSince?: number };
type Removal = { uploads: UploadRow[]; packKeys: string[] };

/**
 * Deletes an open upload with its reservations and bytes, and its draft if that contains nothing else. Returns false if
 * it is no longer open or, with `idleSince`, if it was active after that instant.
 */
export async function discardUpload(context: Context, upload: Removable, reason: Reason): Promise<boolean> {
  return (await discardUploads(context, [upload], reason)) > 0;
}

/** All of the same transfer. Returns how many it deleted. */
async function discardUploads(
  context: Context,
  candidates: Removable[],
  { cause, idleSince }: Reason,
): Promise<number> {
  const { db, blobs } = context;
  const lock = await lockUploads(context, candidates.map(gateKey));
  try {
    if (idleSince === undefined) await lock.stopWriters();
    else if (lock.busy.length > 0) return 0;
    const removal = await transaction(db, (trx) =>
      removeOpenUploads({ ...context, db: trx }, candidates, { cause, idleSince }),
    );
    if (!removal) return 0;
    const arrivals = arrivalsOf(context);
    for (const { id } of removal.uploads) arrivals.withdraw(id);
    // If this is interrupted, the sweep finds the blobs without a row.
    await removeBytes(blobs, removal);
    return removal.uploads.length;
  } finally {
    await lock.release();
  }
}

async function removeOpenUploads(
  context: Context & { db: Trx },
  candidates: Removable[],
  { cause, idleSince }: { cause: FateCause; idleSince: number | undefined },
): Promise<Removal | undefined> {
  const { db: trx } = context;
  const { userId, transferId } = candidates[0]!;
  const transfer = await lockOwnTransfer(trx, userId, transferId);
  const ids = candidates.map(({ id }) => id);
  const uploads = await deleteOpenUploads(trx, { ids, transferId, idleSince });
  if (uploads.length === 0) return undefined;
  await releaseBytes(trx, { userId, transferId, uploads });
  await recordUploadFates(context, cause, uploads);
  await changeAnnouncedFiles(trx, transferId, -uploads.length);
  const packKeys = await listPackKeys(trx, transferId);
  if (!(await removeEmptyDraft(trx, transferId))) {
    await settleWithdrawal(trx, context, transfer);
    return { uploads, packKeys: [] };
  }
  await recordTransferFates(context, cause === 'idle' ? 'idle' : 'empty-draft', [transfer]);
  return { uploads, packKeys };
}

/** The withdrawn file may have been the last one that had not arrived. */
async function settleWithdrawal(trx: Trx, context: Context, transfer: TransferRow): Promise<void> {
  if (transfer.status !== 'arriving') return;
  if (!(await becomeReadyIfComplete(trx, context, transfer.id))) return;
  const owner = await findOwner(trx, transfer.userId);
  await enqueueReadyJobs(trx, { owner, transfer, now: context.clock.now() });
}

async function removeBytes(blobs: BlobStore, { uploads, packKeys }: Removal): Promise<void> {
  for (const upload of uploads) {
    if (upload.chunkCount > 0 && !packKeys.includes(upload.storageKey)) await blobs.discard(placeOf(upload));
    // Discarding a small upload leaves its bytes in the pack; a repair has its own blob.
    if (upload.repairsFileId !== null) await blobs.remove(upload.storageKey);
  }
  for (const key of packKeys) await blobs.remove(key);
}

async function listIndexes(blobs: BlobStore, row: Parameters<typeof placeOf>[0]): Promise<number[]> {
  if (row.chunkCount === 0) return [];
  return (await blobs.listChunks(placeOf(row))).map(({ index }) => index);
}

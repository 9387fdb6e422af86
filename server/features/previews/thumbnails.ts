import { z } from 'zod';
import { MIB } from '../../../contracts/values/sizes.ts';
import type { Context } from '../../context.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { PictureError } from '../../platform/images/picture-error.ts';
import type { Picture } from '../../platform/images/renderer.ts';
import { defineJob, type JobRun } from '../../platform/jobs/define-job.ts';
import { isAppError } from '../../platform/lib/app-error.ts';
import { randomId } from '../../platform/lib/tokens.ts';
import { writeBlob } from '../../platform/storage/write-blob.ts';
import {
  claimWaiting,
  findStoredFile,
  insertThumbnail,
  MAX_ATTEMPTS,
  refundAttempt,
  type StoredFile,
  updateState,
} from './queries.ts';
import { readBlocks } from './stored-bytes.ts';

/** Pixels of the longer side. */
const THUMBNAIL_SIDE = 480;
export const PREVIEW_SIDE = 2_048;
const BOXES = [THUMBNAIL_SIDE, PREVIEW_SIDE].map((side) => ({ width: side, height: side }));

/** Larger files get no picture, because rendering needs a copy on disk. */
const LARGEST_BYTES = { image: 200 * MIB, pdf: 200 * MIB, video: 500 * MIB } as const;

/**
 * Renders the pictures of all waiting files one by one. A single job, so that rendering uses one worker and one CPU.
 */
export const renderPicturesJob = defineJob<Context, object>({
  name: 'render-pictures',
  payload: z.object({}),
  oneAtATime: true,
  run: renderPictures,
});

export function isSmallEnough(kind: string, sizeBytes: number): boolean {
  return kind in LARGEST_BYTES && sizeBytes <= LARGEST_BYTES[kind as keyof typeof LARGEST_BYTES];
}

async function renderPictures(context: Context, _payload: object, { signal }: JobRun): Promise<void> {
  for (;;) {
    signal.throwIfAborted();
    const claimed = await claimWaiting(context.db);
    if (!claimed) return;
    const file = await findStoredFile(context.db, claimed.fileId);
    if (file) await renderFile(context, { file, signal, isLastAttempt: claimed.attempts >= MAX_ATTEMPTS });
  }
}

type Rendering = { file: StoredFile; signal: AbortSignal; isLastAttempt: boolean };

/**
 * Renders a file and records the outcome. A failure that isn't the file's fault throws and doesn't count as an attempt.
 */
async function renderFile(context: Context, { file, signal, isLastAttempt }: Rendering): Promise<void> {
  const { db, blobs, images, log } = context;
  try {
    const bytes = readBlocks(blobs, file);
    const pictures = await images.render({
      owner: file.id,
      bytes,
      kinds: ['image', 'pdf', 'video'],
      boxes: BOXES,
      signal,
    });
    await storePictures(context, file, pictures);
  } catch (error) {
    if (signal.aborted || isTransient(error)) {
      await refundAttempt(db, file.id);
      throw error;
    }
    log.info({ fileId: file.id, reason: String(error) }, 'Could not render a picture of a file.');
    const mayRetry = !(error instanceof PictureError) || error.fault === 'killed';
    if (isLastAttempt || !mayRetry) await updateState(db, file.id, 'failed');
  }
}

/** Makes the blobs durable before writing the row that names them. */
async function storePictures(
  { db, blobs, clock }: Context,
  file: StoredFile,
  [thumbnail, preview]: Picture[],
): Promise<void> {
  const [storageKey, previewStorageKey] = [randomId(), randomId()];
  await writeBlob(blobs, storageKey, thumbnail!.bytes);
  await writeBlob(blobs, previewStorageKey, preview!.bytes);
  const isKept = await transaction(db, async (trx) => {
    await updateState(trx, file.id, 'done');
    return insertThumbnail(trx, {
      id: randomId(),
      fileId: file.id,
      storageKey,
      mimeType: 'image/webp',
      width: thumbnail!.width,
      height: thumbnail!.height,
      sizeBytes: thumbnail!.bytes.length,
      createdAt: clock.now(),
      previewStorageKey,
      previewSizeBytes: preview!.bytes.length,
    });
  });
  if (isKept) return;
  await blobs.remove(storageKey);
  await blobs.remove(previewStorageKey);
}

/** A full disk or unreachable storage says nothing about the file. */
function isTransient(error: unknown): boolean {
  if (isAppError(error)) return error.status >= 500;
  return (error as NodeJS.ErrnoException).code === 'ENOSPC';
}

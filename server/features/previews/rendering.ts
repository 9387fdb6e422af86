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
  findPlaced,
  insertThumbnail,
  MAX_TRIES,
  type PlacedFile,
  returnTry,
  updateState,
} from './queries.ts';
import { readBlocks } from './stored-bytes.ts';

/** Pixels of the longer side. */
const THUMBNAIL_SIDE = 480;
const PREVIEW_SIDE = 2_048;
const BOXES = [THUMBNAIL_SIDE, PREVIEW_SIDE].map((side) => ({ width: side, height: side }));

/** Larger files get no picture: a copy of each lies on the disk while it is made. */
const LARGEST_BYTES = { image: 200 * MIB, pdf: 200 * MIB, video: 500 * MIB } as const;

/**
 * Makes the pictures of all files that wait for one, one after another. There is one such job, whatever there is
 * to do: rendering never takes more than one place of the worker, nor more than one processor.
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
    const file = await findPlaced(context.db, claimed.fileId);
    if (file) await renderFile(context, { file, signal, isLastTry: claimed.attempts >= MAX_TRIES });
  }
}

type Rendering = { file: PlacedFile; signal: AbortSignal; isLastTry: boolean };

/** Notes how it ended. Throws when the fault is not the file's: then the try does not count. */
async function renderFile(context: Context, { file, signal, isLastTry }: Rendering): Promise<void> {
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
    await keepPictures(context, file, pictures);
  } catch (error) {
    if (signal.aborted || isPassing(error)) {
      await returnTry(db, file.id);
      throw error;
    }
    log.info({ fileId: file.id, reason: String(error) }, 'a file has no picture');
    const mayFareBetter = !(error instanceof PictureError) || error.fault === 'killed';
    if (isLastTry || !mayFareBetter) await updateState(db, file.id, 'failed');
  }
}

/** The blobs first, durably, then the row that names them. */
async function keepPictures(
  { db, blobs, clock }: Context,
  file: PlacedFile,
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

/** A full disk or a store that does not answer says nothing about the file. */
function isPassing(error: unknown): boolean {
  if (isAppError(error)) return error.status >= 500;
  return (error as NodeJS.ErrnoException).code === 'ENOSPC';
}

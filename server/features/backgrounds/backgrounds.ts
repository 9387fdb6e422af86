import { createReadStream } from 'node:fs';
import { normaliseFileName } from '../../../contracts/values/names/file-names.ts';
import type { Context } from '../../context.ts';
import type { Trx } from '../../platform/db/open.ts';
import type { UserRow } from '../../platform/db/schema.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { PictureError, UNREADABLE_PICTURE } from '../../platform/images/picture-error.ts';
import { defineBlobRemoval, enqueueBlobRemoval } from '../../platform/jobs/blob-removal.ts';
import { AppError } from '../../platform/lib/app-error.ts';
import { randomId } from '../../platform/lib/tokens.ts';
import { writeBlob } from '../../platform/storage/write-blob.ts';
import { requireFeature } from '../tiers/index.ts';
import { lockOwner, updateBackground } from './queries.ts';

const NONE = {
  backgroundStorageKey: null,
  backgroundFilename: null,
  backgroundMimeType: null,
  backgroundSizeBytes: null,
  backgroundSmallSizeBytes: null,
};

/** Pixels. The small one is for phones in portrait orientation. */
const BOXES = [
  { width: 2_560, height: 2_560 },
  { width: 1_080, height: 1_920 },
];

/**
 * Sets or replaces the background of a user's download pages. Of two concurrent uploads the later commit wins, and the
 * bytes of the other are removed. Throws AppError `tier_required`, `invalid_image`, `not_signed_in` (the account was
 * deleted meanwhile), `unavailable`, `storage_full`.
 */
export async function setBackground(
  context: Context,
  user: Pick<UserRow, 'id'>,
  picture: { path: string; fileName: string },
): Promise<void> {
  const pictures = await renderPictures(context, user.id, picture.path);
  const storageKey = randomId();
  await writeBlob(context.blobs, storageKey, Buffer.concat([pictures.large, pictures.small]));
  try {
    await transaction(context.db, (trx) =>
      replaceBackground(trx, user.id, toColumns(storageKey, picture.fileName, pictures)),
    );
  } catch (error) {
    await context.blobs.remove(storageKey);
    throw error;
  }
}

/** Works even if the plan no longer includes backgrounds. Does nothing without one. */
export async function removeBackground({ db }: Pick<Context, 'db'>, userId: string): Promise<void> {
  await transaction(db, async (trx) => {
    const owner = await lockOwner(trx, userId);
    if (!owner?.backgroundStorageKey) return;
    await updateBackground(trx, userId, NONE);
    await enqueueBackgroundRemoval(trx, owner.backgroundStorageKey);
  });
}

export function enqueueBackgroundRemoval(trx: Trx, storageKey: string | null): Promise<void> {
  return enqueueBlobRemoval(trx, removeBackgroundBlobJob, storageKey);
}

const removeBackgroundBlobJob = defineBlobRemoval('remove-background-blob');

/** Checks the plan in the transaction, because it may have changed during the upload. */
async function replaceBackground(
  trx: Trx,
  userId: string,
  columns: ReturnType<typeof toColumns>,
): Promise<void> {
  const owner = await lockOwner(trx, userId);
  if (!owner) throw new AppError('not_signed_in');
  requireFeature(owner.tier, 'background');
  await updateBackground(trx, userId, columns);
  await enqueueBackgroundRemoval(trx, owner.backgroundStorageKey);
}

/** Both pictures are in one blob, the small one after the large one, so that a background has one key. */
function toColumns(storageKey: string, fileName: string, { large, small }: Pictures) {
  return {
    backgroundStorageKey: storageKey,
    backgroundFilename: normaliseFileName(fileName),
    backgroundMimeType: 'image/webp',
    backgroundSizeBytes: large.length,
    backgroundSmallSizeBytes: small.length,
  };
}

type Pictures = { large: Buffer; small: Buffer };

/** Detects the type from the bytes. Throws AppError `invalid_image`, `unavailable`. */
async function renderPictures(
  { images }: Pick<Context, 'images'>,
  owner: string,
  path: string,
): Promise<Pictures> {
  try {
    const [large, small] = await images.render({
      owner,
      bytes: createReadStream(path),
      kinds: ['image'],
      boxes: BOXES,
    });
    return { large: large!.bytes, small: small!.bytes };
  } catch (error) {
    if (!(error instanceof PictureError)) throw error;
    if (error.fault === 'unsupported') throw new AppError('invalid_image', { cause: error });
    throw new AppError('invalid_image', { message: UNREADABLE_PICTURE, cause: error });
  }
}

export const backgroundJobs = [removeBackgroundBlobJob];

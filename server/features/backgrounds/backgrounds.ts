import { z } from 'zod';
import { normaliseFileName } from '../../../contracts/values/file-names.ts';
import type { Context } from '../../context.ts';
import type { Trx } from '../../platform/db/open.ts';
import type { UserRow } from '../../platform/db/schema.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { defineJob } from '../../platform/jobs/define-job.ts';
import { enqueue } from '../../platform/jobs/queue.ts';
import { AppError } from '../../platform/lib/app-error.ts';
import { randomId } from '../../platform/lib/tokens.ts';
import { writeBlob } from '../../platform/storage/write-blob.ts';
import { requireFeature } from '../tiers/index.ts';
import { type Pictures, renderPictures } from './pictures.ts';
import { holdOwner, updateBackground } from './queries.ts';

const NONE = {
  backgroundStorageKey: null,
  backgroundFilename: null,
  backgroundMimeType: null,
  backgroundSizeBytes: null,
  backgroundSmallSizeBytes: null,
};

/** The blob of a background that nobody shows any more. Harmless to repeat. */
export const removeBackgroundBlobJob = defineJob<Context, { storageKey: string }>({
  name: 'remove-background-blob',
  payload: z.object({ storageKey: z.string() }),
  removesBytes: true,
  run: ({ blobs }, { storageKey }) => blobs.remove(storageKey),
});

/**
 * Makes a picture the background of a user's download pages, in place of the one before. Of two at once the later
 * commit stays, and the other's bytes go. Throws AppError `tier_required`, `invalid_image`, `not_signed_in` (the
 * account was deleted meanwhile), `unavailable`, `storage_full`.
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
      replaceBackground(trx, user.id, describe(storageKey, picture.fileName, pictures)),
    );
  } catch (error) {
    await context.blobs.remove(storageKey);
    throw error;
  }
}

/** Removes a user's background, if there is one; also for those whose plan includes it no longer. */
export async function removeBackground({ db }: Pick<Context, 'db'>, userId: string): Promise<void> {
  await transaction(db, async (trx) => {
    const owner = await holdOwner(trx, userId);
    if (!owner?.backgroundStorageKey) return;
    await updateBackground(trx, userId, NONE);
    await enqueueBackgroundRemoval(trx, owner.backgroundStorageKey);
  });
}

/** Has the bytes removed of a background that no row names once the transaction is committed. */
export async function enqueueBackgroundRemoval(trx: Trx, storageKey: string | null): Promise<void> {
  if (storageKey === null) return;
  await enqueue(trx, removeBackgroundBlobJob, { storageKey }, { uniqueKey: storageKey });
}

/** The rights at this moment decide, not those at the upload's beginning (race 16). */
async function replaceBackground(
  trx: Trx,
  userId: string,
  columns: ReturnType<typeof describe>,
): Promise<void> {
  const owner = await holdOwner(trx, userId);
  if (!owner) throw new AppError('not_signed_in');
  requireFeature(owner.tier, 'background');
  await updateBackground(trx, userId, columns);
  await enqueueBackgroundRemoval(trx, owner.backgroundStorageKey);
}

/** The small picture lies behind the large one, so that a background is one blob with one key. */
function describe(storageKey: string, fileName: string, { large, small }: Pictures) {
  return {
    backgroundStorageKey: storageKey,
    backgroundFilename: normaliseFileName(fileName),
    backgroundMimeType: 'image/webp',
    backgroundSizeBytes: large.length,
    backgroundSmallSizeBytes: small.length,
  };
}

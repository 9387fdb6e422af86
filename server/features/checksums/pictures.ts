import type { Context } from '../../context.ts';
import type { JobRun } from '../../platform/jobs/define-job.ts';
import { Pace } from './pace.ts';
import { PICTURE_LISTS, type PictureBlob } from './picture-queries.ts';
import { continueReading } from './read-sums.ts';

const PAGE = 200;

/**
 * Looks whether thumbnails, previews, backgrounds and ads are there in their full length; no checksum of them is
 * known. What is missing is logged in each run until it is replaced. Nothing is marked: pages do without a picture.
 * Throws when the storage does not answer.
 */
export async function checkPictures(context: Context, run: Pick<JobRun, 'signal'>): Promise<void> {
  if (context.config.scrubBytesPerSecond === undefined) return;
  const { db, blobs, log } = context;
  const pace = new Pace();
  let missing = 0;
  for (const list of PICTURE_LISTS) {
    for (let after = ''; ; ) {
      const page = await list(db, { after, limit: PAGE });
      for (const blob of page) {
        if (await isWhole(context, blob, { pace, signal: run.signal })) continue;
        await blobs.check();
        missing += 1;
        log.warn({ storageKey: blob.storageKey }, 'A picture’s stored bytes are missing or too few.');
      }
      if (page.length < PAGE) break;
      after = page.at(-1)!.storageKey;
    }
  }
  if (missing > 0) log.error({ missing }, 'Pictures are missing from the storage.');
}

/** Reads the last byte. */
async function isWhole(
  { blobs }: Context,
  { storageKey, sizeBytes }: PictureBlob,
  options: { pace: Pace; signal: AbortSignal },
): Promise<boolean> {
  if (sizeBytes === 0) return true;
  const place = { storageKey, offset: sizeBytes - 1, sizeBytes: 1 };
  const block = Buffer.alloc(1);
  const from = { doneBytes: 0, crc32: 0 };
  return (await continueReading(blobs, place, { ...options, block, from })) !== undefined;
}

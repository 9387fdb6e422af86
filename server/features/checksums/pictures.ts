import type { Context } from '../../context.ts';
import type { Db } from '../../platform/db/open.ts';
import type { JobRun } from '../../platform/jobs/define-job.ts';
import { Pace } from './pace.ts';
import { continueReading } from './read-sums.ts';

const PAGE = 200;

/**
 * Checks that thumbnails, previews, backgrounds, ads and sealed documents exist in full length. Logs
 * missing ones on each run until they are replaced. Throws if the storage is unreachable.
 */
export async function checkPictures(context: Context, run: Pick<JobRun, 'signal'>): Promise<void> {
  if (context.config.scrubBytesPerSecond === undefined) return;
  const { db, blobs, log } = context;
  const pace = new Pace();
  let missing = 0;
  for await (const blob of listPictureBlobs(db)) {
    if (await isWhole(context, blob, { pace, signal: run.signal })) continue;
    await blobs.check();
    missing += 1;
    log.warn({ storageKey: blob.storageKey }, 'The stored bytes of a picture are missing or too few.');
  }
  if (missing > 0) log.error({ missing }, 'Pictures are missing from the storage.');
}

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

type PictureBlob = { storageKey: string; sizeBytes: number };

/**
 * Lists thumbnails, previews, backgrounds, ads and sealed documents, page by page. Leaves out transfers that are being
 * deleted.
 */
export async function* listPictureBlobs(db: Db): AsyncGenerator<PictureBlob> {
  for (const list of PICTURE_LISTS) {
    for (let after = ''; ; ) {
      const page = await list(db, { after, limit: PAGE });
      yield* page;
      if (page.length < PAGE) break;
      after = page.at(-1)!.storageKey;
    }
  }
}

type Page = { after: string; limit: number };

const PICTURE_LISTS: ((db: Db, page: Page) => Promise<PictureBlob[]>)[] = [
  listThumbnails,
  listPreviews,
  listBackgrounds,
  listAds,
  listSealedDocuments,
];

async function listThumbnails(db: Db, { after, limit }: Page): Promise<PictureBlob[]> {
  return await ofReadyTransfers(db)
    .select(['fileThumbnails.storageKey', 'fileThumbnails.sizeBytes'])
    .where('fileThumbnails.storageKey', '>', after)
    .orderBy('fileThumbnails.storageKey')
    .limit(limit)
    .execute();
}

/**
 * Leaves out transfers that are being deleted, whose blobs are removed before their rows. With a join, SQLite would
 * scan all ready transfers and sort the result.
 */
function ofReadyTransfers(db: Db) {
  return db
    .selectFrom('fileThumbnails')
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('files')
          .innerJoin('transfers', 'transfers.id', 'files.transferId')
          .select('files.id')
          .whereRef('files.id', '=', 'fileThumbnails.fileId')
          .where('transfers.status', '=', 'ready'),
      ),
    );
}

async function listPreviews(db: Db, { after, limit }: Page): Promise<PictureBlob[]> {
  const rows = await ofReadyTransfers(db)
    .select(['previewStorageKey as storageKey', 'previewSizeBytes as sizeBytes'])
    .where('previewStorageKey', '>', after)
    .orderBy('previewStorageKey')
    .limit(limit)
    .execute();
  return rows.map(({ storageKey, sizeBytes }) => ({ storageKey: storageKey!, sizeBytes: Number(sizeBytes) }));
}

async function listBackgrounds(db: Db, { after, limit }: Page): Promise<PictureBlob[]> {
  const rows = await db
    .selectFrom('users')
    .select(({ eb }) => [
      'backgroundStorageKey as storageKey',
      eb('backgroundSizeBytes', '+', eb.ref('backgroundSmallSizeBytes')).as('sizeBytes'),
    ])
    .where('backgroundStorageKey', '>', after)
    .orderBy('backgroundStorageKey')
    .limit(limit)
    .execute();
  return rows.map(({ storageKey, sizeBytes }) => ({ storageKey: storageKey!, sizeBytes: Number(sizeBytes) }));
}

async function listAds(db: Db, { after, limit }: Page): Promise<PictureBlob[]> {
  const rows = await db
    .selectFrom('ads')
    .select(['storageKey', 'sizeBytes'])
    .where('storageKey', '>', after)
    .orderBy('storageKey')
    .limit(limit)
    .execute();
  return rows.map(({ storageKey, sizeBytes }) => ({ storageKey: storageKey!, sizeBytes: Number(sizeBytes) }));
}

async function listSealedDocuments(db: Db, { after, limit }: Page): Promise<PictureBlob[]> {
  const rows = await db
    .selectFrom('sealedDocuments')
    .select(['storageKey', 'sizeBytes'])
    .where('storageKey', '>', after)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('transfers')
          .select('transfers.id')
          .whereRef('transfers.id', '=', 'sealedDocuments.transferId')
          .where('transfers.status', '!=', 'deleting'),
      ),
    )
    .orderBy('storageKey')
    .limit(limit)
    .execute();
  return rows.map(({ storageKey, sizeBytes }) => ({ storageKey, sizeBytes: Number(sizeBytes) }));
}

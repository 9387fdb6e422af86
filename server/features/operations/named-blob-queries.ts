import type { Db } from '../../platform/db/open.ts';

/** A blob that rows name, of which they promise the first `sizeBytes`. */
export type NamedBlob = {
  storageKey: string;
  sizeBytes: number;
  /** Another one when other files of the blob are whole than before: a pack grows. */
  version: string;
};

const PAGE = 1000;

/**
 * All blobs of what is whole and not being deleted: files, previews, backgrounds, ads. Memory does not grow with
 * their number. Open uploads are not whole.
 */
export async function* listNamedBlobs(db: Db): AsyncGenerator<NamedBlob> {
  for (const selectPage of [
    selectFileBlobs,
    selectThumbnails,
    selectPreviews,
    selectBackgrounds,
    selectAds,
  ]) {
    for (let after = ''; ; ) {
      const page = await selectPage(db, after);
      yield* page;
      if (page.length < PAGE) break;
      after = page.at(-1)!.storageKey;
    }
  }
}

/** Files that are known to be damaged are promised to nobody. */
async function selectFileBlobs(db: Db, after: string): Promise<NamedBlob[]> {
  const rows = await db
    .selectFrom('files')
    .innerJoin('transfers', 'transfers.id', 'files.transferId')
    .select(({ fn, eb }) => [
      'storageKey',
      fn.max(eb('offset', '+', eb.ref('sizeBytes'))).as('sizeBytes'),
      fn.countAll<number>().as('count'),
      fn.max('uploadedAt').as('newest'),
    ])
    .where('storageKey', '>', after)
    .where('sizeBytes', '>', 0)
    .where('damagedAt', 'is', null)
    .where('transfers.status', '<>', 'deleting')
    .groupBy('storageKey')
    .orderBy('storageKey')
    .limit(PAGE)
    .execute();
  return rows.map(({ storageKey, sizeBytes, count, newest }) => ({
    storageKey,
    sizeBytes: Number(sizeBytes),
    version: `${Number(count).toString(36)}-${Number(newest).toString(36)}`,
  }));
}

/** What is written once and never changes. */
const once = (rows: { storageKey: string | null; sizeBytes: number | null }[]): NamedBlob[] =>
  rows.map(({ storageKey, sizeBytes }) => ({
    storageKey: storageKey!,
    sizeBytes: Number(sizeBytes),
    version: '0',
  }));

async function selectThumbnails(db: Db, after: string): Promise<NamedBlob[]> {
  return once(
    await ofFilesThatStay(db)
      .select(['fileThumbnails.storageKey', 'fileThumbnails.sizeBytes'])
      .where('fileThumbnails.storageKey', '>', after)
      .orderBy('fileThumbnails.storageKey')
      .limit(PAGE)
      .execute(),
  );
}

async function selectPreviews(db: Db, after: string): Promise<NamedBlob[]> {
  return once(
    await ofFilesThatStay(db)
      .select(['previewStorageKey as storageKey', 'previewSizeBytes as sizeBytes'])
      .where('previewStorageKey', '>', after)
      .orderBy('previewStorageKey')
      .limit(PAGE)
      .execute(),
  );
}

function ofFilesThatStay(db: Db) {
  return db
    .selectFrom('fileThumbnails')
    .innerJoin('files', 'files.id', 'fileThumbnails.fileId')
    .innerJoin('transfers', 'transfers.id', 'files.transferId')
    .where('transfers.status', '<>', 'deleting');
}

async function selectBackgrounds(db: Db, after: string): Promise<NamedBlob[]> {
  return once(
    await db
      .selectFrom('users')
      .select(({ eb }) => [
        'backgroundStorageKey as storageKey',
        eb('backgroundSizeBytes', '+', eb.ref('backgroundSmallSizeBytes')).as('sizeBytes'),
      ])
      .where('backgroundStorageKey', '>', after)
      .orderBy('backgroundStorageKey')
      .limit(PAGE)
      .execute(),
  );
}

async function selectAds(db: Db, after: string): Promise<NamedBlob[]> {
  return once(
    await db
      .selectFrom('ads')
      .select(['storageKey', 'sizeBytes'])
      .where('storageKey', '>', after)
      .orderBy('storageKey')
      .limit(PAGE)
      .execute(),
  );
}

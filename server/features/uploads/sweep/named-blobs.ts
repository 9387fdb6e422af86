import type { Db } from '../../../platform/db/open.ts';

/** A blob that is named by rows, with at least `sizeBytes` bytes according to them. */
export type NamedBlob = {
  storageKey: string;
  /** Whether it contains files, whose CRC-32 is in their rows; previews, backgrounds and ads have none. */
  hasFiles: boolean;
  sizeBytes: number;
  /** Changes when files are added to the blob, because packs grow. */
  version: string;
};

const PAGE = 1000;

/**
 * Lists the blobs of files, previews, backgrounds and ads that are complete and not being deleted. Files marked as
 * damaged are left out by default. Memory use does not depend on the number of blobs.
 */
export async function* listNamedBlobs(
  db: Db,
  { withDamaged = false }: { withDamaged?: boolean } = {},
): AsyncGenerator<NamedBlob> {
  for (const selectPage of [
    (each: Db, after: string) => selectFileBlobs(each, after, { withDamaged }),
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

async function selectFileBlobs(
  db: Db,
  after: string,
  { withDamaged }: { withDamaged: boolean },
): Promise<NamedBlob[]> {
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
    .$if(!withDamaged, (query) => query.where('damagedAt', 'is', null))
    .where('transfers.status', '<>', 'deleting')
    .groupBy('storageKey')
    .orderBy('storageKey')
    .limit(PAGE)
    .execute();
  return rows.map(({ storageKey, sizeBytes, count, newest }) => ({
    storageKey,
    hasFiles: true,
    sizeBytes: Number(sizeBytes),
    version: `${Number(count).toString(36)}-${Number(newest).toString(36)}`,
  }));
}

/** Blobs that never change once written. */
const once = (rows: { storageKey: string | null; sizeBytes: number | null }[]): NamedBlob[] =>
  rows.map(({ storageKey, sizeBytes }) => ({
    storageKey: storageKey!,
    hasFiles: false,
    sizeBytes: Number(sizeBytes),
    version: '0',
  }));

async function selectThumbnails(db: Db, after: string): Promise<NamedBlob[]> {
  return once(
    await ofKeptFiles(db)
      .select(['fileThumbnails.storageKey', 'fileThumbnails.sizeBytes'])
      .where('fileThumbnails.storageKey', '>', after)
      .orderBy('fileThumbnails.storageKey')
      .limit(PAGE)
      .execute(),
  );
}

async function selectPreviews(db: Db, after: string): Promise<NamedBlob[]> {
  return once(
    await ofKeptFiles(db)
      .select(['previewStorageKey as storageKey', 'previewSizeBytes as sizeBytes'])
      .where('previewStorageKey', '>', after)
      .orderBy('previewStorageKey')
      .limit(PAGE)
      .execute(),
  );
}

function ofKeptFiles(db: Db) {
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

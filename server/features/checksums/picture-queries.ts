import type { Db } from '../../platform/db/open.ts';

/** A blob without a noted checksum: only its length is known. */
export type PictureBlob = { storageKey: string; sizeBytes: number };

type Page = { after: string; limit: number };

/** Each lists the blobs of one kind in the order of their keys. */
export const PICTURE_LISTS: ((db: Db, page: Page) => Promise<PictureBlob[]>)[] = [
  listThumbnails,
  listPreviews,
  listBackgrounds,
  listAds,
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
 * Without those of a transfer that is being deleted, which go before their rows do. A join would let SQLite begin
 * with all ready transfers and sort what it finds.
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

import type { Db } from '../../../platform/db/open.ts';
import { listPictureBlobs } from '../../checksums/index.ts';

export type NamedBlob = {
  storageKey: string;
  /** Previews, backgrounds and ads are not files and have no CRC-32. */
  hasFiles: boolean;
  sizeBytes: number;
  /** Changes when a pack grows. */
  version: string;
};

const PAGE = 1000;

/** Leaves out damaged files by default. Memory use does not depend on the number of blobs. */
export async function* listNamedBlobs(
  db: Db,
  { withDamaged = false }: { withDamaged?: boolean } = {},
): AsyncGenerator<NamedBlob> {
  for (let after = ''; ; ) {
    const page = await selectFileBlobs(db, after, { withDamaged });
    yield* page;
    if (page.length < PAGE) break;
    after = page.at(-1)!.storageKey;
  }
  for await (const blob of listPictureBlobs(db)) yield { ...blob, hasFiles: false, version: '0' };
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

import type { Db } from '../../platform/db/open.ts';
import type { FileRow } from '../../platform/db/schema.ts';

export type StoredFile = Pick<FileRow, 'id' | 'storageKey' | 'offset' | 'sizeBytes' | 'crc32'>;

const PAGE = 1000;

/** All files with bytes that are not being deleted nor known to be damaged, in an order that reads packs in one go. */
export async function* listStoredFiles(db: Db): AsyncGenerator<StoredFile> {
  let after: Pick<FileRow, 'id' | 'storageKey'> = { storageKey: '', id: '' };
  for (;;) {
    const { storageKey, id } = after;
    const page = await db
      .selectFrom('files')
      .innerJoin('transfers', 'transfers.id', 'files.transferId')
      .select(['files.id', 'storageKey', 'offset', 'sizeBytes', 'crc32'])
      .where((eb) =>
        eb.or([
          eb('storageKey', '>', storageKey),
          eb.and([eb('storageKey', '=', storageKey), eb('files.id', '>', id)]),
        ]),
      )
      .where('sizeBytes', '>', 0)
      .where('damagedAt', 'is', null)
      .where('transfers.status', '<>', 'deleting')
      .orderBy('storageKey')
      .orderBy('files.id')
      .limit(PAGE)
      .execute();
    yield* page;
    if (page.length < PAGE) return;
    after = page.at(-1)!;
  }
}

import type { Db } from '../../server/platform/db/open.ts';
import type { FileRow } from '../../server/platform/db/schema.ts';

const STORED = [
  'id',
  'storageKey',
  'offset',
  'sizeBytes',
  'crc32',
  'sha256',
  'checkedAt',
  'suspectedAt',
  'damagedAt',
] as const satisfies (keyof FileRow)[];

export type StoredFile = Pick<FileRow, (typeof STORED)[number]>;

const PAGE = 1000;

/** All files with bytes that are not being deleted nor known to be damaged, in an order that reads packs in one go. */
export async function* listStoredFiles(db: Db): AsyncGenerator<StoredFile> {
  let after: Pick<FileRow, 'id' | 'storageKey'> = { storageKey: '', id: '' };
  for (;;) {
    const { storageKey, id } = after;
    const page = await selectStored(db)
      .where((eb) =>
        eb.or([
          eb('storageKey', '>', storageKey),
          eb.and([eb('storageKey', '=', storageKey), eb('files.id', '>', id)]),
        ]),
      )
      .where('sizeBytes', '>', 0)
      .where('damagedAt', 'is', null)
      .orderBy('storageKey')
      .orderBy('files.id')
      .limit(PAGE)
      .execute();
    yield* page;
    if (page.length < PAGE) return;
    after = page.at(-1)!;
  }
}

/** All files that are known to be damaged, those found first first. */
export async function* listDamagedFiles(db: Db): AsyncGenerator<StoredFile> {
  let [afterAt, afterId] = [0, ''];
  for (;;) {
    const [at, id] = [afterAt, afterId];
    const page = await selectStored(db)
      .where('damagedAt', 'is not', null)
      .where('damagedAt', '>=', at)
      .where((eb) => eb.or([eb('damagedAt', '>', at), eb('files.id', '>', id)]))
      .orderBy('damagedAt')
      .orderBy('files.id')
      .limit(PAGE)
      .execute();
    yield* page;
    if (page.length < PAGE) return;
    [afterAt, afterId] = [page.at(-1)!.damagedAt!, page.at(-1)!.id];
  }
}

/** The files of one blob that have bytes and are not known to be damaged. */
export async function listFilesOfBlob(db: Db, storageKey: string): Promise<StoredFile[]> {
  return await selectStored(db)
    .where('storageKey', '=', storageKey)
    .where('sizeBytes', '>', 0)
    .where('damagedAt', 'is', null)
    .orderBy('offset')
    .execute();
}

function selectStored(db: Db) {
  return db
    .selectFrom('files')
    .innerJoin('transfers', 'transfers.id', 'files.transferId')
    .select(STORED.map((column) => `files.${column}` as const))
    .where('transfers.status', '<>', 'deleting');
}

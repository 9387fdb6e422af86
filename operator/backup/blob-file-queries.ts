import type { Db } from '../../server/platform/db/open.ts';
import type { FileRow } from '../../server/platform/db/schema.ts';

/** A file's place in its blob, and the CRC-32 its bytes had when they were uploaded. */
export type BlobFile = Pick<FileRow, 'id' | 'offset' | 'sizeBytes' | 'crc32' | 'damagedAt'>;

const PAGE = 1000;
/** Ids in one statement. */
const IDS_AT_ONCE = 500;

/** Lists the files of a blob in the order of their bytes, without empty ones. */
export async function* listBlobFiles(db: Db, storageKey: string): AsyncGenerator<BlobFile> {
  for (let after = -1; ; ) {
    const page = await db
      .selectFrom('files')
      .select(['id', 'offset', 'sizeBytes', 'crc32', 'damagedAt'])
      .where('storageKey', '=', storageKey)
      .where('offset', '>', after)
      .where('sizeBytes', '>', 0)
      .orderBy('offset')
      .limit(PAGE)
      .execute();
    for (const row of page)
      yield {
        ...row,
        offset: Number(row.offset),
        sizeBytes: Number(row.sizeBytes),
        crc32: Number(row.crc32),
      };
    if (page.length < PAGE) return;
    after = Number(page.at(-1)!.offset);
  }
}

/** What a person needs to recognize a file. */
export type FileLabel = { id: string; path: string; transferId: string; transferTitle: string | null };

export async function listFileLabels(db: Db, ids: readonly string[]): Promise<FileLabel[]> {
  const labels: FileLabel[] = [];
  for (let at = 0; at < ids.length; at += IDS_AT_ONCE)
    labels.push(
      ...(await db
        .selectFrom('files')
        .innerJoin('transfers', 'transfers.id', 'files.transferId')
        .select(['files.id', 'relativePath as path', 'transferId', 'transfers.title as transferTitle'])
        .where('files.id', 'in', ids.slice(at, at + IDS_AT_ONCE))
        .execute()),
    );
  return labels;
}

/** Marks files as damaged so that they are not served. */
export async function markFilesDamaged(db: Db, ids: readonly string[], now: number): Promise<void> {
  for (let at = 0; at < ids.length; at += IDS_AT_ONCE)
    await db
      .updateTable('files')
      .set({ damagedAt: now, checkedAt: now })
      .where('id', 'in', ids.slice(at, at + IDS_AT_ONCE))
      .where('damagedAt', 'is', null)
      .execute();
}

/** Serves files again whose bytes turned out to be right; the check computes a missing SHA-256 afterwards. */
export async function clearFilesDamage(db: Db, ids: readonly string[]): Promise<void> {
  for (let at = 0; at < ids.length; at += IDS_AT_ONCE)
    await db
      .updateTable('files')
      .set({ damagedAt: null, checkedAt: null })
      .where('id', 'in', ids.slice(at, at + IDS_AT_ONCE))
      .execute();
}

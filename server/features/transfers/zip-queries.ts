import type { Db } from '../../platform/db/open.ts';
import { prepare } from '../../platform/db/prepared.ts';
import type { FileRow, TransferRow } from '../../platform/db/schema.ts';

const ZIPPED = [
  'id',
  'position',
  'relativePath',
  'sizeBytes',
  'crc32',
  'storageKey',
  'offset',
  'uploadedAt',
] as const satisfies (keyof FileRow)[];

export type ZippedFile = Pick<FileRow, (typeof ZIPPED)[number]>;

/** What a zip needs of the files at positions in `(after, upTo]`, in order. */
export const listZippedFiles = prepare((db, transferId: string, after: number, upTo: number) =>
  db
    .selectFrom('files')
    .select(ZIPPED)
    .where('transferId', '=', transferId)
    .where('position', '>', after)
    .where('position', '<=', upTo)
    .orderBy('position'),
);

/** The same of the files at these positions, in order. */
export function listZippedFilesAt(db: Db, transferId: string, positions: number[]): Promise<ZippedFile[]> {
  return db
    .selectFrom('files')
    .select(ZIPPED)
    .where('transferId', '=', transferId)
    .where('position', 'in', positions)
    .orderBy('position')
    .execute();
}

/** The number of files of a ready transfer. Files are only ever added to it, so it names the state of its zip. */
export async function findFileCount(db: Db, transferId: string): Promise<number | undefined> {
  const row = await db
    .selectFrom('transfers')
    .select('fileCount')
    .where('id', '=', transferId)
    .where('status', '=', 'ready')
    .executeTakeFirst();
  return row?.fileCount;
}

/** The facts of a transfer's zip in its row, as of `zipFileCount` files. */
export type ZipSummaryColumns = Pick<
  TransferRow,
  'zipSizeBytes' | 'zipTag' | 'zipModifiedAt' | 'zipFileCount'
>;

/** No effect when files have been added since. */
export async function updateZipSummary(
  db: Db,
  transferId: string,
  summary: ZipSummaryColumns & { zipFileCount: number },
): Promise<void> {
  await db
    .updateTable('transfers')
    .set(summary)
    .where('id', '=', transferId)
    .where('fileCount', '=', summary.zipFileCount)
    .execute();
}

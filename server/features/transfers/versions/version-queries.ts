import type { ExpressionBuilder } from 'kysely';
import type { Db } from '../../../platform/db/open.ts';
import { findNextPosition, WINDOW } from '../../../platform/db/queries/file-windows.ts';
import type { TransferVersionsTable } from '../../../platform/db/schema/transfers.ts';
import type { Database, FileRow, HeldFileRow } from '../../../platform/db/schema.ts';
import { allVersionsOf } from './earlier-files.ts';

type Version = { transferId: string; version: number };

/** Newest first, without the current one. */
export function listEndedVersions(db: Db, transferId: string): Promise<TransferVersionsTable[]> {
  return db
    .selectFrom('transferVersions')
    .selectAll()
    .where('transferId', '=', transferId)
    .orderBy('version', 'desc')
    .execute();
}

const SHOWN = [
  'id',
  'originalName',
  'relativePath',
  'mimeType',
  'sizeBytes',
  'uploadedAt',
  'downloadCount',
  'zipBase',
  'position',
  'sha256',
  'damagedAt',
  'crc32',
  'storageKey',
  'offset',
  'announcedAt',
  'modifiedAt',
  'isExecutable',
] as const satisfies (keyof FileRow)[];

export type VersionFile = Pick<FileRow, (typeof SHOWN)[number]> & { heldState: HeldFileRow['state'] | null };

/** Positions in `(after, upTo]`. */
function listInWindow(
  db: Db,
  { transferId, version }: Version,
  { after, upTo }: { after: number; upTo: number },
): Promise<VersionFile[]> {
  return db
    .selectFrom('files')
    .leftJoin('heldFiles', 'heldFiles.fileId', 'files.id')
    .select(SHOWN.map((column) => `files.${column}` as const))
    .select('heldFiles.state as heldState')
    .where('files.transferId', 'in', allVersionsOf(transferId))
    .where('position', '>', after)
    .where('position', '<=', upTo)
    .where(isIn(version))
    .orderBy('position')
    .execute();
}

const isIn = (version: number) => (eb: ExpressionBuilder<Database, 'files'>) =>
  eb.and([
    eb('sinceVersion', '<=', version),
    eb.or([eb('untilVersion', 'is', null), eb('untilVersion', '>', version)]),
  ]);

export function findDamagedInVersion(
  db: Db,
  { transferId, version }: Version,
): Promise<Pick<FileRow, 'originalName'> | undefined> {
  return (
    db
      .selectFrom('files')
      .select('originalName')
      .where('transferId', 'in', allVersionsOf(transferId))
      // `> 0` instead of `is not null`, and no order, so that the index is used.
      .where('damagedAt', '>', 0)
      .where(isIn(version))
      .limit(1)
      .executeTakeFirst()
  );
}

/** Whether a file of the version waits for the scanner or is blocked. */
export async function isVersionHeld(db: Db, { transferId, version }: Version): Promise<boolean> {
  const row = await db
    .selectFrom('heldFiles')
    .innerJoin('files', 'files.id', 'heldFiles.fileId')
    .select('heldFiles.fileId')
    .where('heldFiles.transferId', 'in', allVersionsOf(transferId))
    .where(isIn(version))
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * A version's files by position, in pages. A page costs the same however many files there are, so that a version can be
 * listed from any place.
 */
export async function* readVersionFiles(
  db: Db,
  { after = -1, ...version }: Version & { after?: number | undefined },
): AsyncGenerator<VersionFile[], void, void> {
  for (let from = after; ; ) {
    const upTo = from + WINDOW;
    const rows = await listInWindow(db, version, { after: from, upTo });
    if (rows.length > 0) yield rows;
    const next = await findPositionAfter(db, version.transferId, upTo);
    if (next === undefined) return;
    from = next - 1;
  }
}

/** Of a file in any version. One query per holder, because only then does SQLite stop at the first row. */
async function findPositionAfter(db: Db, transferId: string, after: number): Promise<number | undefined> {
  const found: number[] = [];
  for (const holder of allVersionsOf(transferId)) {
    const next = await findNextPosition(db, holder, after);
    if (next !== undefined) found.push(next);
  }
  return found.length > 0 ? Math.min(...found) : undefined;
}

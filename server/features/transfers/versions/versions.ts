import type { TransferFile } from '../../../../contracts/transfers/transfers.ts';
import type { TransferVersion } from '../../../../contracts/transfers/versions.ts';
import { FILES_PER_PAGE } from '../../../../contracts/values/paging.ts';
import type { Context } from '../../../context.ts';
import type { Db } from '../../../platform/db/open.ts';
import type { TransferRow } from '../../../platform/db/schema.ts';
import { AppError } from '../../../platform/lib/app-error.ts';
import { toIso, toIsoOrNull } from '../../../platform/lib/clock.ts';
import { readCursor, writeCursor } from '../../../platform/lib/cursor.ts';
import { planZip, type ZipPlan } from '../zip-plans.ts';
import { listEndedVersions, readVersionFiles, type VersionFile } from './version-queries.ts';

export type Versioned = Pick<
  TransferRow,
  'id' | 'version' | 'createdAt' | 'readyAt' | 'fileCount' | 'totalBytes'
>;

/** Newest first, the current one included. */
export async function listVersionsOf(
  { db }: Pick<Context, 'db'>,
  transfer: Versioned,
): Promise<TransferVersion[]> {
  const ended = await listEndedVersions(db, transfer.id);
  const startedAt = ended[0]?.endedAt ?? transfer.readyAt ?? transfer.createdAt;
  return [{ ...transfer, startedAt }, ...ended].map(({ version, startedAt: at, fileCount, totalBytes }) => ({
    version,
    startedAt: toIso(at),
    fileCount,
    totalSize: totalBytes,
  }));
}

/** Throws AppError `version_not_found`. */
export function requireVersion({ version }: Pick<TransferRow, 'version'>, text: string): number {
  const wanted = /^[1-9]\d{0,4}$/.test(text) ? Number(text) : 0;
  if (wanted < 1 || wanted > version) throw new AppError('version_not_found');
  return wanted;
}

type Version = { transferId: string; version: number };

/** Throws AppError `invalid_input` for an unknown cursor. */
export async function listVersionPage(
  { db }: Pick<Context, 'db'>,
  version: Version,
  cursor: string | undefined,
): Promise<{ files: TransferFile[]; nextCursor: string | undefined }> {
  const after = Number(readCursor(cursor, 'position')?.key ?? -1);
  const rows: VersionFile[] = [];
  for await (const some of readVersionFiles(db, { ...version, after })) {
    rows.push(...some);
    if (rows.length > FILES_PER_PAGE) break;
  }
  const shown = rows.slice(0, FILES_PER_PAGE);
  const last = rows.length > FILES_PER_PAGE ? shown.at(-1)! : undefined;
  return {
    files: shown.map(presentVersionFile),
    nextCursor: last && writeCursor('position', { id: last.id, key: last.position }),
  };
}

function presentVersionFile(row: VersionFile): TransferFile {
  return {
    id: row.id,
    originalName: row.originalName,
    relativePath: row.relativePath,
    mimeType: row.mimeType,
    size: row.sizeBytes,
    uploadedAt: toIso(row.uploadedAt),
    modifiedAt: toIsoOrNull(row.modifiedAt),
    isExecutable: row.isExecutable === 1,
    downloadCount: row.downloadCount,
    position: row.position,
    sha256: row.damagedAt === null ? row.sha256 : null,
    isDamaged: row.damagedAt !== null,
    isChecking: row.heldState !== null,
    preview: null,
    thumbnail: false,
  };
}

/** The caller refuses damaged files and those that wait for the scanner. Throws AppError `version_not_found`. */
export async function planVersionZip(db: Db, version: Version): Promise<ZipPlan> {
  const plan = await planZip(readVersionFiles(db, version));
  if (plan.layout.entries.count === 0) throw new AppError('version_not_found');
  return plan;
}

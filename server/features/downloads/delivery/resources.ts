import { decodeSelection } from '../../../../contracts/transfers/downloads/selection.ts';
import { nameTransfer } from '../../../../contracts/transfers/names.ts';
import type { TransferFile } from '../../../../contracts/transfers/transfers.ts';
import { normaliseFileName } from '../../../../contracts/values/names/file-names.ts';
import { layOutFiles } from '../../../../contracts/zip/file-zip.ts';
import { endOfEntry } from '../../../../contracts/zip/layout.ts';
import type { Context } from '../../../context.ts';
import type { Db } from '../../../platform/db/open.ts';
import { readFileWindows } from '../../../platform/db/queries/file-windows.ts';
import type { BytesHead } from '../../../platform/http/bytes/send-bytes.ts';
import { AppError } from '../../../platform/lib/app-error.ts';
import {
  type BlobSlice,
  type ByteSource,
  blobSource,
  verifiedSource,
} from '../../../platform/lib/byte-source.ts';
import { zipSource } from '../../../platform/zip/stream.ts';
import { recordSuspicion } from '../../checksums/index.ts';
import {
  findDamagedInVersion,
  isVersionHeld,
  lastModifiedAt,
  readZipSummary,
  toAnnouncedFile,
  type ZipPlan,
} from '../../transfers/index.ts';
import {
  findDamagedAt,
  findDamagedFile,
  findFile,
  findFileIdAt,
  hasHeldFile,
  hasPendingChecksum,
  isFileHeld,
  isHeldAt,
  listFileSums,
  type Share,
  type StoredFile,
} from '../queries.ts';
import { readSelectedVersion } from '../version-downloads.ts';
import { openArrivingFile, openArrivingZip } from './arriving-resources.ts';
import { nameBagFolder } from './bag.ts';
import type { ZipCache } from './zip-cache.ts';

const SCAN_RETRY_SECONDS = 10;

export type DownloadResource = {
  source: ByteSource;
  head: BytesHead;
  /** Only if the response is exactly these stored bytes. */
  stored?: BlobSlice;
  /** Does the slow work needed before the first byte. May throw, so call it before counting the download. */
  prepare: () => Promise<Prepared>;
};

type Prepared = {
  /** A client with all bytes before this offset has a whole file. */
  firstFileEnd: number;
};

type Deps = Pick<Context, 'db' | 'blobs' | 'clock' | 'log' | 'leases' | 'config'>;

/** Throws AppError `file_not_found`, `file_damaged`, `file_checking`. */
export async function openFile(context: Deps, share: Share, fileId: string): Promise<DownloadResource> {
  const { db, blobs } = context;
  const file = await findFile(db, { transferId: share.id, fileId });
  if (!file && share.status === 'arriving') return openUnfinished(context, share, fileId);
  if (!file) throw new AppError('file_not_found');
  if (file.damagedAt !== null) throw new AppError('file_damaged');
  if (file.heldState !== null) throw fileCheckingError();
  return {
    source: verifiedSource(blobSource(blobs, file), {
      crc32: file.crc32,
      onWrongBytes: async () => void (await recordSuspicion(context, file.id)),
    }),
    stored: file,
    prepare: async () => ({ firstFileEnd: file.sizeBytes }),
    head: {
      ...fileTags(file),
      lastModifiedAt: lastModifiedAt(file),
      contentType: plainMimeType(file.mimeType),
      fileName: file.originalName,
    },
  };
}

/** Throws AppError `file_not_found`, and what `openArrivingFile` throws. */
async function openUnfinished(context: Deps, share: Share, fileId: string): Promise<DownloadResource> {
  const arriving = await openArrivingFile(context, share, fileId);
  if (!arriving) {
    // It may have been completed since.
    if (!(await findFile(context.db, { transferId: share.id, fileId }))) throw new AppError('file_not_found');
    return openFile(context, share, fileId);
  }
  const { upload, source } = arriving;
  return {
    source,
    prepare: async () => ({ firstFileEnd: upload.sizeBytes }),
    head: {
      etag: fileTag(upload),
      lastModifiedAt: lastModifiedAt(toAnnouncedFile(upload)),
      contentType: plainMimeType(upload.mimeType),
      fileName: upload.fileName,
    },
  };
}

const POSITIONS_PER_QUERY = 1_000;

type ZipOptions = {
  share: Share;
  selection: string | null;
  /** As a bag (RFC 8493). */
  isBag: boolean;
  admit: () => Promise<void>;
};

/**
 * Returns the selected files of a transfer, or all of them, as a zip that depends only on the files. For a long list,
 * reads only the stored summary until bytes are needed. Throws AppError `invalid_selection`, `file_not_found`,
 * `file_damaged`, `file_checking`, `encrypted_bag`, and what `ZipCache.open` throws.
 */
export async function openZip(
  context: Deps,
  zips: ZipCache,
  { share, selection, isBag, admit }: ZipOptions,
): Promise<DownloadResource> {
  const { db, blobs } = context;
  if (share.status === 'arriving')
    return openUnfinishedZip(context, zips, { share, selection, isBag, admit });
  // The server has only the checksums of the ciphertext.
  if (isBag && share.encryption !== null) throw new AppError('encrypted_bag');
  const bagName = isBag ? nameBagFolder(nameArchive(share, selection)) : undefined;
  const openPlan = () => zips.open({ db }, { share, selection, bagName, admit });
  const known = selection === null && !isBag ? readZipSummary(share) : undefined;
  let plan = known ? undefined : await openPlan();
  const { sizeBytes, etag, formerTag, lastModifiedAt } = known ?? plan!;
  await requireUndamaged({ db }, share, selection);
  await requireScanned({ db }, share, selection);
  const preparePlan = async () => {
    plan ??= await openPlan();
    // Files were added since the summary was read: the client retries and gets the zip with them.
    if (plan.etag !== etag) throw new AppError('unavailable', { retryAfterSeconds: 1 });
    return plan;
  };
  return {
    source: {
      sizeBytes,
      open: async (start, end) => {
        const { layout, bag } = await preparePlan();
        const suspect = (index: number) =>
          recordSuspicionAt(context, share.id, layout.entries.positionOf(index));
        return zipSource(bag?.over(blobs) ?? blobs, layout, suspect).open(start, end);
      },
    },
    prepare: async () => {
      const { layout } = await preparePlan();
      // After planning, because the plan includes files that were added meanwhile.
      await requireScanned({ db }, share, selection);
      return { firstFileEnd: endOfEntry(layout, 0) };
    },
    head: {
      etag,
      formerTag,
      lastModifiedAt,
      contentType: 'application/zip',
      fileName: normaliseFileName(`${bagName ?? nameArchive(share, selection)}.zip`),
    },
  };
}

/** The same bytes and tag as the zip of the complete transfer. */
async function openUnfinishedZip(
  context: Deps,
  zips: ZipCache,
  { share, selection, isBag, admit }: ZipOptions,
): Promise<DownloadResource> {
  // A bag begins with the SHA-256 of all files.
  if (isBag) throw new AppError('checksums_pending', { retryAfterSeconds: CHECKSUM_RETRY_SECONDS });
  const plan = await zips.openArriving(context, { share, selection, admit });
  await requireUndamaged(context, share, selection);
  await requireScanned(context, share, selection);
  const { source, firstFileEnd } = openArrivingZip(context, plan);
  const { etag, lastModifiedAt } = plan;
  return {
    source,
    prepare: async () => ({ firstFileEnd }),
    head: {
      etag,
      lastModifiedAt,
      contentType: 'application/zip',
      fileName: normaliseFileName(`${nameArchive(share, selection)}.zip`),
    },
  };
}

async function recordSuspicionAt(context: Deps, transferId: string, position: number): Promise<void> {
  const fileId = await findFileIdAt(context.db, transferId, position);
  if (fileId) await recordSuspicion(context, fileId);
}

/** A damaged file would corrupt the zip. The intact files can be downloaded one by one or as a selection. */
async function requireUndamaged(
  { db }: Pick<Deps, 'db'>,
  share: Share,
  selection: string | null,
): Promise<void> {
  const found = await findDamagedIn(db, share.id, selection);
  if (!found) return;
  const message = `The stored bytes of “${found.originalName}” are damaged. Please ask the sender to send it again.`;
  throw new AppError('file_damaged', { message });
}

export async function requireScannedFile({ db }: Pick<Deps, 'db'>, fileId: string): Promise<void> {
  if (await isFileHeld(db, fileId)) throw fileCheckingError();
}

/**
 * Refuses a zip with files that haven't been scanned. Queries the database, because the share read by the gate may be
 * older than the files.
 */
async function requireScanned(
  { db }: Pick<Deps, 'db'>,
  { id }: Share,
  selection: string | null,
): Promise<void> {
  const version = selection === null ? undefined : readSelectedVersion(selection);
  if (version !== undefined) {
    if (await isVersionHeld(db, { transferId: id, version })) throw fileCheckingError();
    return;
  }
  if (!(await hasHeldFile(db, id))) return;
  if (selection === null || (await isSelectionHeld(db, id, selection))) throw fileCheckingError();
}

function fileCheckingError(): AppError {
  return new AppError('file_checking', { retryAfterSeconds: SCAN_RETRY_SECONDS });
}

async function isSelectionHeld(db: Db, transferId: string, selection: string): Promise<boolean> {
  const positions = decodeSelection(selection) ?? [];
  for (let start = 0; start < positions.length; start += POSITIONS_PER_QUERY)
    if (await isHeldAt(db, transferId, positions.slice(start, start + POSITIONS_PER_QUERY))) return true;
  return false;
}

async function findDamagedIn(db: Db, transferId: string, selection: string | null) {
  const version = selection === null ? undefined : readSelectedVersion(selection);
  if (version !== undefined) return findDamagedInVersion(db, { transferId, version });
  const damaged = await findDamagedFile(db, transferId);
  return damaged && selection !== null ? findDamagedSelected(db, transferId, selection) : damaged;
}

async function findDamagedSelected(db: Db, transferId: string, selection: string) {
  const positions = decodeSelection(selection) ?? [];
  for (let start = 0; start < positions.length; start += POSITIONS_PER_QUERY) {
    const some = positions.slice(start, start + POSITIONS_PER_QUERY);
    const found = await findDamagedAt(db, transferId, some);
    if (found) return found;
  }
  return undefined;
}

function nameArchive(share: Share, selection: string | null): string {
  const name = nameTransfer(share);
  const version = selection === null ? undefined : readSelectedVersion(selection);
  if (version !== undefined) return `${name} (version ${version})`;
  const positions = selection === null ? undefined : decodeSelection(selection);
  return positions ? `${name} (${countFiles(positions.length)})` : name;
}

function countFiles(files: number): string {
  return files === 1 ? '1 file' : `${files} files`;
}

type MeasuredFile = Pick<TransferFile, 'relativePath' | 'size' | 'modifiedAt'>;

export function measureZip(files: readonly MeasuredFile[]): number {
  const facts = files.map(({ relativePath, size, modifiedAt }) => ({
    path: relativePath,
    sizeBytes: size,
    crc32: 0,
    modifiedAt: Date.parse(modifiedAt ?? ''),
    isTimeKnown: modifiedAt !== null,
  }));
  return layOutFiles(facts).sizeBytes;
}

/**
 * Content never changes under an id; the size is included as a safeguard. The tag of the previous release also had the
 * CRC-32; remove it one release after decision 0044.
 */
function fileTags({ id, sizeBytes, crc32 }: StoredFile): Pick<BytesHead, 'etag' | 'formerTag'> {
  return {
    etag: fileTag({ id, sizeBytes }),
    formerTag: `"${id}-${sizeBytes.toString(36)}-${crc32.toString(16)}"`,
  };
}

function fileTag({ id, sizeBytes }: Pick<StoredFile, 'id' | 'sizeBytes'>): string {
  return `"${id}-${sizeBytes.toString(36)}"`;
}

/** Without parameters: the sender's charset is a guess, and arbitrary text could break the header. */
function plainMimeType(mimeType: string): string {
  const [type] = /^[\w.+-]+\/[\w.+-]+/.exec(mimeType) ?? [];
  return type ?? 'application/octet-stream';
}

const CHECKSUM_RETRY_SECONDS = 10;

export async function requireChecksums({ db }: Pick<Context, 'db'>, transferId: string): Promise<void> {
  if (await hasPendingChecksum(db, transferId))
    throw new AppError('checksums_pending', { retryAfterSeconds: CHECKSUM_RETRY_SECONDS });
}

/**
 * The SHA-256 of every file in the format of `sha256sum --check`, page by page, with the file names of the zip. Damaged
 * files become comments. Files added since the zip was planned are left out.
 */
export async function* listChecksums(
  { db }: Pick<Context, 'db'>,
  transferId: string,
  { layout: { entries } }: ZipPlan,
): AsyncGenerator<string> {
  const read = (after: number, upTo: number) => listFileSums(db, transferId, after, upTo);
  let index = 0;
  for await (const rows of readFileWindows(db, { transferId, after: -1, read })) {
    let lines = '';
    for (const { position, sha256, damagedAt } of rows) {
      if (index === entries.count || entries.positionOf(index) !== position) continue;
      const name = entries.nameAt(index);
      lines +=
        sha256 === null || damagedAt !== null ? `# damaged: ${escapeName(name)}\n` : formatSum(sha256, name);
      index += 1;
    }
    yield lines;
  }
  // The transfer was deleted meanwhile: don't end with a list that looks complete.
  if (index < entries.count) throw new AppError('transfer_not_found');
}

/** As in GNU coreutils: a leading `\` marks a line whose name is escaped. */
export function formatSum(sha256: string, name: string): string {
  const escaped = escapeName(name);
  return `${escaped === name ? '' : '\\'}${sha256}  ${escaped}\n`;
}

function escapeName(name: string): string {
  return name.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('\r', '\\r');
}

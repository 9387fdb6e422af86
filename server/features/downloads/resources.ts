import { decodeSelection } from '../../../contracts/transfers/selection.ts';
import { normaliseFileName } from '../../../contracts/values/file-names.ts';
import type { Context } from '../../context.ts';
import type { Db } from '../../platform/db/open.ts';
import type { BytesHead } from '../../platform/http/send-bytes.ts';
import { AppError } from '../../platform/lib/app-error.ts';
import { type BlobSlice, type ByteSource, blobSource } from '../../platform/lib/byte-source.ts';
import { verifiedSource } from '../../platform/lib/verified-source.ts';
import { nameEntries } from '../../platform/zip/entry-names.ts';
import { ZipEntryTable } from '../../platform/zip/entry-table.ts';
import { endOfEntry, layOutZip } from '../../platform/zip/layout.ts';
import { zipSource } from '../../platform/zip/stream.ts';
import { recordSuspicion } from '../checksums/index.ts';
import { readZipSummary } from '../transfers/index.ts';
import {
  findDamagedAt,
  findDamagedFile,
  findFile,
  findFileIdAt,
  hasHeldFile,
  isFileHeld,
  isHeldAt,
  type Share,
  type StoredFile,
} from './queries.ts';
import type { ZipCache } from './zip-cache.ts';

/** When a client may ask again for files that are being scanned. */
const CHECK_AGAIN_SECONDS = 10;

/** Something that can be downloaded: its bytes and what the answer says about them. */
export type DownloadResource = {
  source: ByteSource;
  head: BytesHead;
  /** Where they lie, when they are stored as they are sent. */
  stored?: BlobSlice;
  /** Does what takes long before the first byte. To be called before a download is counted; may refuse it. */
  prepare: () => Promise<Prepared>;
};

type Prepared = {
  /** The position behind the first file: a client that has all bytes before it has a whole file. */
  firstFileEnd: number;
};

type Deps = Pick<Context, 'db' | 'blobs' | 'clock' | 'log'>;

/** One file of a transfer. Throws AppError `file_not_found`, `file_damaged`, `file_checking`. */
export async function openFile(context: Deps, share: Share, fileId: string): Promise<DownloadResource> {
  const { db, blobs } = context;
  const file = await findFile(db, { transferId: share.id, fileId });
  if (!file) throw new AppError('file_not_found');
  if (file.damagedAt !== null) throw new AppError('file_damaged');
  if (file.heldState !== null) throw fileChecking();
  return {
    source: verifiedSource(blobSource(blobs, file), {
      crc32: file.crc32,
      onWrongBytes: async () => void (await recordSuspicion(context, file.id)),
    }),
    stored: file,
    prepare: async () => ({ firstFileEnd: file.sizeBytes }),
    head: {
      etag: fileTag(file),
      lastModifiedAt: file.uploadedAt,
      contentType: plainMimeType(file.mimeType),
      fileName: file.originalName,
    },
  };
}

const POSITIONS_PER_QUERY = 1_000;

type Zipping = {
  share: Share;
  selection: string | null;
  /** Called before a long list is planned; throws to refuse it. */
  admit: () => Promise<void>;
};

/**
 * The selected files of a transfer, or all, as a zip that is a pure function of them. Of all files of a long list
 * only the stored summary is read until bytes are asked for. Throws AppError `invalid_selection`,
 * `file_not_found`, `file_damaged`, `file_checking`, and what `ZipCache.open` throws.
 */
export async function openZip(
  context: Deps,
  zips: ZipCache,
  { share, selection, admit }: Zipping,
): Promise<DownloadResource> {
  const { db, blobs } = context;
  const known = selection === null ? readZipSummary(share) : undefined;
  let plan = known ? undefined : await zips.open({ db }, { share, selection, admit });
  const { sizeBytes, etag, lastModifiedAt } = known ?? plan!;
  await requireUndamaged({ db }, share, selection);
  await requireScanned({ db }, share, selection);
  const prepareLayout = async () => {
    plan ??= await zips.open({ db }, { share, selection, admit });
    // Files have joined since the summary was read: the client asks again and gets the zip with them.
    if (plan.etag !== etag) throw new AppError('unavailable', { retryAfterSeconds: 1 });
    return plan.layout;
  };
  const name = share.title || 'transfer';
  return {
    source: {
      sizeBytes,
      open: async (start, end) => {
        const layout = await prepareLayout();
        const suspect = (index: number) => suspectAt(context, share.id, layout.entries.positionOf(index));
        return zipSource(blobs, layout, suspect).open(start, end);
      },
    },
    prepare: async () => {
      const layout = await prepareLayout();
      // Behind the plan: a file that joined before it was read is in it.
      await requireScanned({ db }, share, selection);
      return { firstFileEnd: endOfEntry(layout, 0) };
    },
    head: {
      etag,
      lastModifiedAt,
      contentType: 'application/zip',
      fileName: normaliseFileName(
        selection === null ? `${name}.zip` : `${name} (${count(plan!.layout.entries.count)}).zip`,
      ),
    },
  };
}

/** Records that the bytes of the file at a position were wrong while a zip was sent. */
async function suspectAt(context: Deps, transferId: string, position: number): Promise<void> {
  const fileId = await findFileIdAt(context.db, transferId, position);
  if (fileId) await recordSuspicion(context, fileId);
}

/** Better no zip than one with wrong bytes in it; the other files can be had one by one or selected. */
async function requireUndamaged(
  { db }: Pick<Deps, 'db'>,
  share: Share,
  selection: string | null,
): Promise<void> {
  const damaged = await findDamagedFile(db, share.id);
  if (!damaged) return;
  const found = selection === null ? damaged : await findDamagedSelected(db, share.id, selection);
  if (!found) return;
  const message = `The stored bytes of “${found.originalName}” are damaged. Please ask the sender to send it again.`;
  throw new AppError('file_damaged', { message });
}

/** Refuses a file that is not scanned yet, by its row as it is now. Throws AppError `file_checking`. */
export async function requireScannedFile({ db }: Pick<Deps, 'db'>, fileId: string): Promise<void> {
  if (await isFileHeld(db, fileId)) throw fileChecking();
}

/**
 * Refuses a zip with files that were added to an open transfer and are not scanned yet. What the gate has read may be
 * older than the files, so this asks the database.
 */
async function requireScanned(
  { db }: Pick<Deps, 'db'>,
  { id }: Share,
  selection: string | null,
): Promise<void> {
  if (!(await hasHeldFile(db, id))) return;
  if (selection === null || (await isSelectionHeld(db, id, selection))) throw fileChecking();
}

function fileChecking(): AppError {
  return new AppError('file_checking', { retryAfterSeconds: CHECK_AGAIN_SECONDS });
}

async function isSelectionHeld(db: Db, transferId: string, selection: string): Promise<boolean> {
  const positions = decodeSelection(selection) ?? [];
  for (let start = 0; start < positions.length; start += POSITIONS_PER_QUERY)
    if (await isHeldAt(db, transferId, positions.slice(start, start + POSITIONS_PER_QUERY))) return true;
  return false;
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

function count(files: number): string {
  return files === 1 ? '1 file' : `${files} files`;
}

/** Bytes of the zip of these files, which must be all of a short list. */
export function measureZip(files: readonly { relativePath: string; size: number }[]): number {
  const table = new ZipEntryTable();
  for (const { size: sizeBytes } of files)
    table.add({ sizeBytes, crc32: 0, modifiedAt: 0, storageKey: '', offset: 0, position: 0 });
  for (const name of nameEntries(files.map(({ relativePath: path }) => ({ path })))) table.addName(name);
  return layOutZip(table).sizeBytes;
}

/** Content never changes under an id; size and sum are there so that a mistake of ours would show. */
function fileTag({ id, sizeBytes, crc32 }: StoredFile): string {
  return `"${id}-${sizeBytes.toString(36)}-${crc32.toString(16)}"`;
}

/** Without parameters: a charset was the sender's guess, and what stands there could break the header. */
function plainMimeType(mimeType: string): string {
  const [type] = /^[\w.+-]+\/[\w.+-]+/.exec(mimeType) ?? [];
  return type ?? 'application/octet-stream';
}

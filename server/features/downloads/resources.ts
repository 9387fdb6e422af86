import { normaliseFileName } from '../../../contracts/names.ts';
import type { Context } from '../../context.ts';
import type { BytesHead } from '../../platform/http/send-bytes.ts';
import { AppError } from '../../platform/lib/app-error.ts';
import { type BlobSlice, type ByteSource, blobSource } from '../../platform/lib/byte-source.ts';
import { verifiedSource } from '../../platform/lib/verified-source.ts';
import { nameEntries } from '../../platform/zip/entry-names.ts';
import { layOutZip } from '../../platform/zip/layout.ts';
import { zipSource } from '../../platform/zip/stream.ts';
import { recordSuspicion } from '../checksums/verdicts.ts';
import { findFile, listDamagedFiles, type Share, type StoredFile, type ZippedFile } from './queries.ts';
import type { PreparedZip, ZipCache } from './zip-cache.ts';

/** Something that can be downloaded: its bytes and what the answer says about them. */
export type DownloadResource = {
  source: ByteSource;
  head: BytesHead;
  /** Where they lie, when they are stored as they are sent. */
  stored?: BlobSlice;
};

type Deps = Pick<Context, 'db' | 'blobs' | 'clock' | 'log'>;

/** One file of a transfer. Throws AppError `file_not_found`, `file_damaged`. */
export async function openFile(context: Deps, share: Share, fileId: string): Promise<DownloadResource> {
  const { db, blobs } = context;
  const file = await findFile(db, { transferId: share.id, fileId });
  if (!file) throw new AppError('file_not_found');
  if (file.damagedAt !== null) throw new AppError('file_damaged');
  return {
    source: verifiedSource(blobSource(blobs, file), {
      crc32: file.crc32,
      onWrongBytes: async () => void (await recordSuspicion(context, file.id)),
    }),
    stored: file,
    head: {
      etag: fileTag(file),
      lastModifiedAt: file.uploadedAt,
      contentType: plainMimeType(file.mimeType),
      fileName: file.originalName,
    },
  };
}

type Zipping = { share: Share; selection: string | null };

/**
 * The selected files of a transfer, or all, as a zip that is a pure function of them. Throws AppError
 * `invalid_selection`, `file_not_found`, `file_damaged`.
 */
export async function openZip(
  context: Deps,
  zips: ZipCache,
  { share, selection }: Zipping,
): Promise<DownloadResource> {
  const { db, blobs } = context;
  const zip = await zips.open({ db }, share, selection);
  await requireUndamaged({ db }, share, zip);
  const { files, layout, etag, lastModifiedAt } = zip;
  const name = share.title || 'transfer';
  return {
    source: zipSource(blobs, layout, files, (index) => recordSuspicion(context, files[index]!.id)),
    head: {
      etag,
      lastModifiedAt,
      contentType: 'application/zip',
      fileName: normaliseFileName(selection === null ? `${name}.zip` : `${name} (${count(files)}).zip`),
    },
  };
}

/** Better no zip than one with wrong bytes in it; the other files can be had one by one or selected. */
async function requireUndamaged(
  { db }: Pick<Deps, 'db'>,
  share: Share,
  { files }: PreparedZip,
): Promise<void> {
  const damaged = await listDamagedFiles(db, share.id);
  if (damaged.length === 0) return;
  const zipped = new Set(files.map(({ id }) => id));
  const found = damaged.find(({ id }) => zipped.has(id));
  if (!found) return;
  const message = `The stored bytes of “${found.originalName}” are damaged. Please ask the sender to send it again.`;
  throw new AppError('file_damaged', { message });
}

function count({ length }: readonly unknown[]): string {
  return length === 1 ? '1 file' : `${length} files`;
}

/** Bytes of the zip that `openZip` makes of these files. */
export function measureZip(files: readonly Pick<ZippedFile, 'relativePath' | 'sizeBytes'>[]): number {
  const names = nameEntries(files.map(({ relativePath }) => ({ path: relativePath })));
  const sized = files.map(({ sizeBytes }, index) => ({
    path: names[index]!,
    sizeBytes,
    crc32: 0,
    modifiedAt: 0,
  }));
  return layOutZip(sized).sizeBytes;
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

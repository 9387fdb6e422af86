import { normaliseFileName } from '../../../contracts/names.ts';
import type { Context } from '../../context.ts';
import type { BytesHead } from '../../platform/http/send-bytes.ts';
import { AppError } from '../../platform/lib/app-error.ts';
import { type ByteSource, blobSource } from '../../platform/lib/byte-source.ts';
import { nameEntries } from '../../platform/zip/entry-names.ts';
import { layOutZip } from '../../platform/zip/layout.ts';
import { zipSource } from '../../platform/zip/stream.ts';
import { findFile, type Share, type StoredFile, type ZippedFile } from './queries.ts';
import type { ZipCache } from './zip-cache.ts';

/** Something that can be downloaded: its bytes and what the answer says about them. */
export type DownloadResource = { source: ByteSource; head: BytesHead };

type Deps = Pick<Context, 'db' | 'blobs'>;

/** One file of a transfer. Throws AppError `file_not_found`. */
export async function openFile({ db, blobs }: Deps, share: Share, fileId: string): Promise<DownloadResource> {
  const file = await findFile(db, { transferId: share.id, fileId });
  if (!file) throw new AppError('file_not_found');
  return {
    source: blobSource(blobs, file),
    head: {
      etag: fileTag(file),
      lastModifiedAt: file.uploadedAt,
      contentType: plainMimeType(file.mimeType),
      fileName: file.originalName,
    },
  };
}

/** All files of a transfer as a zip that is a pure function of them. */
export async function openZip({ db, blobs }: Deps, zips: ZipCache, share: Share): Promise<DownloadResource> {
  const { files, layout, etag, lastModifiedAt } = await zips.open({ db }, share);
  return {
    source: zipSource(blobs, layout, files),
    head: {
      etag,
      lastModifiedAt,
      contentType: 'application/zip',
      fileName: normaliseFileName(`${share.title || 'transfer'}.zip`),
    },
  };
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

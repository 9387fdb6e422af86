import { TEXT_PREVIEW_BYTES } from '../../../contracts/transfers/previews.ts';
import type { Context } from '../../context.ts';
import type { BytesHead } from '../../platform/http/send-bytes.ts';
import { AppError } from '../../platform/lib/app-error.ts';
import { type ByteSource, blobSource, bufferSource } from '../../platform/lib/byte-source.ts';
import { needsWhole } from './looks.ts';
import { findShown, type ShownFile } from './queries.ts';
import { readBytes } from './stored-bytes.ts';
import { decodeText } from './text.ts';

/** For what a browser shows by itself when the address is opened: its own player, and nothing of the file's. */
const CSP = "sandbox; default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'";

/** Pictures never change; a page of many of them need not ask for each at every look. */
const PICTURE_CACHE = 'private, max-age=300';

type Deps = Pick<Context, 'db' | 'blobs'>;
type Wish = {
  transferId: string;
  fileId: string;
  /** Only for this owner. */
  ownerId?: string;
};
type Shown = { source: ByteSource; head: BytesHead };

/** The small picture of a file. Throws AppError `no_preview`. */
export async function openThumbnail({ db, blobs }: Deps, wish: Wish): Promise<Shown> {
  const file = await getShown(db, wish);
  return openPicture(blobs, file, { storageKey: file.thumbnailKey, sizeBytes: file.thumbnailBytes });
}

/**
 * A look at a file: its picture, or with `whole` film and sound as they are and the beginning of a text. Its type
 * is what the bytes are, never what the sender declared. Throws AppError `no_preview`.
 */
export async function openPreview(
  { db, blobs }: Deps,
  { whole, ...wish }: Wish & { whole: boolean },
): Promise<Shown> {
  const file = await getShown(db, wish);
  if (file.kind === null || (needsWhole(file.kind) && !whole)) throw new AppError('no_preview');
  if (file.kind === 'text') return openText(blobs, file);
  if (needsWhole(file.kind)) return openOriginal(blobs, file);
  return openPicture(blobs, file, { storageKey: file.previewKey, sizeBytes: file.previewBytes });
}

async function getShown(db: Deps['db'], { ownerId, ...place }: Wish): Promise<ShownFile> {
  const file = await findShown(db, place);
  if (!file || (ownerId !== undefined && file.ownerId !== ownerId)) throw new AppError('no_preview');
  return file;
}

function openPicture(
  blobs: Deps['blobs'],
  { originalName, renderedAt }: ShownFile,
  { storageKey, sizeBytes }: { storageKey: string | null; sizeBytes: number | null },
): Shown {
  if (storageKey === null || sizeBytes === null) throw new AppError('no_preview');
  return {
    source: blobSource(blobs, { storageKey, offset: 0, sizeBytes }),
    head: {
      etag: `"${storageKey}"`,
      lastModifiedAt: renderedAt ?? 0,
      contentType: 'image/webp',
      fileName: `${originalName}.webp`,
      disposition: 'inline',
      csp: CSP,
      cacheControl: PICTURE_CACHE,
    },
  };
}

function openOriginal(blobs: Deps['blobs'], file: ShownFile): Shown {
  return {
    source: blobSource(blobs, file),
    head: { ...describe(file, 'whole'), contentType: file.mimeType! },
  };
}

async function openText(blobs: Deps['blobs'], file: ShownFile): Promise<Shown> {
  const text = decodeText(await readBytes(blobs, file, TEXT_PREVIEW_BYTES));
  return {
    source: bufferSource(Buffer.from(text)),
    head: { ...describe(file, 'text'), contentType: 'text/plain; charset=utf-8' },
  };
}

function describe({ id, crc32, originalName, uploadedAt }: ShownFile, part: string) {
  return {
    etag: `"${id}-${crc32.toString(16)}-${part}"`,
    lastModifiedAt: uploadedAt,
    fileName: originalName,
    disposition: 'inline',
    csp: CSP,
  } as const;
}

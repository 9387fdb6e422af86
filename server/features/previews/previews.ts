import { type PreviewKind, TEXT_PREVIEW_BYTES } from '../../../contracts/transfers/downloads/previews.ts';
import type { Context } from '../../context.ts';
import { transaction } from '../../platform/db/transaction.ts';
import type { BytesHead } from '../../platform/http/bytes/send-bytes.ts';
import { enqueue } from '../../platform/jobs/queue.ts';
import { AppError, ignoreFullDisk } from '../../platform/lib/app-error.ts';
import { type ByteSource, blobSource, bufferSource } from '../../platform/lib/byte-source.ts';
import { detectFilesJob } from './file-detection.ts';
import { findPreviewedFile, type PreviewedFile } from './queries.ts';
import { readBytes } from './stored-bytes.ts';
import { decodeText } from './text.ts';

/** Allows the browser's built-in viewer when the URL is opened directly, but nothing from the file. */
const CSP = "sandbox; default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'";

/** Pictures never change, so pages with many of them needn't revalidate each one. */
const PICTURE_CACHE = 'private, max-age=300';

type Deps = Pick<Context, 'db' | 'blobs'>;
export type Target = {
  transferId: string;
  fileId: string;
  ownerId?: string;
};
export type Shown = { source: ByteSource; head: BytesHead };

/** Throws AppError `no_preview`. */
export async function openThumbnail({ db, blobs }: Deps, target: Target): Promise<Shown> {
  const file = await getPreviewedFile(db, target);
  return openPicture(blobs, file, { storageKey: file.thumbnailKey, sizeBytes: file.thumbnailBytes });
}

/**
 * The preview of a file: a picture or, with `whole`, original video and audio or the beginning of a text. The type is
 * detected from the bytes; the sender's type is ignored. Throws AppError `no_preview`.
 */
export async function openPreview(
  { db, blobs }: Deps,
  { whole, ...target }: Target & { whole: boolean },
): Promise<Shown> {
  const file = await getPreviewedFile(db, target);
  if (file.kind === null || (showsWholeFile(file.kind) && !whole)) throw new AppError('no_preview');
  if (file.kind === 'text') return openText(blobs, file);
  if (showsWholeFile(file.kind)) return openOriginal(blobs, file);
  return openPicture(blobs, file, { storageKey: file.previewKey, sizeBytes: file.previewBytes });
}

export async function getPreviewedFile(
  db: Deps['db'],
  { ownerId, ...place }: Target,
): Promise<PreviewedFile> {
  const file = await findPreviewedFile(db, place);
  if (!file || (ownerId !== undefined && file.ownerId !== ownerId)) throw new AppError('no_preview');
  return file;
}

function openPicture(
  blobs: Deps['blobs'],
  file: PreviewedFile,
  { storageKey, sizeBytes }: { storageKey: string | null; sizeBytes: number | null },
): Shown {
  if (storageKey === null || sizeBytes === null) throw new AppError('no_preview');
  return {
    source: blobSource(blobs, { storageKey, offset: 0, sizeBytes }),
    head: pictureHead(file, `"${storageKey}"`),
  };
}

export function pictureHead({ originalName, renderedAt }: PreviewedFile, etag: string): BytesHead {
  return {
    etag,
    lastModifiedAt: renderedAt ?? 0,
    contentType: 'image/webp',
    fileName: `${originalName}.webp`,
    disposition: 'inline',
    csp: CSP,
    cacheControl: PICTURE_CACHE,
  };
}

function openOriginal(blobs: Deps['blobs'], file: PreviewedFile): Shown {
  return {
    source: blobSource(blobs, file),
    head: { ...describe(file, 'whole'), contentType: file.mimeType! },
  };
}

async function openText(blobs: Deps['blobs'], file: PreviewedFile): Promise<Shown> {
  const text = decodeText(await readBytes(blobs, file, TEXT_PREVIEW_BYTES));
  return {
    source: bufferSource(Buffer.from(text)),
    head: { ...describe(file, 'text'), contentType: 'text/plain; charset=utf-8' },
  };
}

function describe({ id, crc32, originalName, uploadedAt }: PreviewedFile, part: string) {
  return {
    etag: `"${id}-${crc32.toString(16)}-${part}"`,
    lastModifiedAt: uploadedAt,
    fileName: originalName,
    disposition: 'inline',
    csp: CSP,
  } as const;
}

type FilePreview = { preview: PreviewKind | null; thumbnail: boolean };
export type FindPreview = (fileId: string) => FilePreview;

const NO_PREVIEW: FilePreview = { preview: null, thumbnail: false };

type DetectedFile = {
  id: string;
  damagedAt: number | null;
  /** Null until detection has run. */
  detectedId: string | null;
  kind: PreviewKind | null;
  thumbnailId: string | null;
};

/**
 * The previews of a transfer's files; pass no rows if the owner's plan has none. `whole` includes previews that show as
 * much as a download. Enqueues detection for files without it, because the owner may have upgraded after sending them.
 */
export async function describePreviews(
  context: Pick<Context, 'db'>,
  transferId: string,
  { rows, whole }: { rows: DetectedFile[]; whole: boolean },
): Promise<FindPreview> {
  if (rows.some(({ detectedId }) => detectedId === null)) await enqueueMissing(context, transferId);
  const previews = new Map(rows.map((row) => [row.id, toFilePreview(row, whole)]));
  return (fileId) => previews.get(fileId) ?? NO_PREVIEW;
}

function showsWholeFile(kind: PreviewKind): boolean {
  return kind !== 'image' && kind !== 'pdf';
}

function toFilePreview({ kind, damagedAt, thumbnailId }: DetectedFile, whole: boolean): FilePreview {
  if (kind === null || damagedAt !== null) return NO_PREVIEW;
  const hasPicture = thumbnailId !== null;
  return { preview: (showsWholeFile(kind) ? whole : hasPicture) ? kind : null, thumbnail: hasPicture };
}

async function enqueueMissing({ db }: Pick<Context, 'db'>, transferId: string): Promise<void> {
  await transaction(db, (trx) =>
    enqueue(trx, detectFilesJob, { transferId }, { uniqueKey: transferId }),
  ).catch(ignoreFullDisk);
}

import type { Readable } from 'node:stream';
import { planChunks } from '../../../contracts/plans/limits.ts';
import { parseTextSettings } from '../../../contracts/transfers/text-settings.ts';
import { type CompletedUpload, UploadRequest } from '../../../contracts/transfers/uploads.ts';
import type { Context } from '../../context.ts';
import { invalidInput } from '../../platform/http/invalid-input.ts';
import { AppError } from '../../platform/lib/app-error.ts';
import { announceUploads } from './announcements.ts';
import { completeUploads } from './completion.ts';
import { gateKey, type Sender } from './gate.ts';
import { breakStalled } from './shared-gate.ts';
import { findOffset, storeBytes } from './store-bytes.ts';
import { sortWishes, type Wishes } from './text-wishes.ts';
import { storeChecked } from './tus-checksum.ts';
import type { TusChecksum } from './tus-headers.ts';
import { listSettings, parseMetadata, type TusMetadata, textOf, withoutSecrets } from './tus-metadata.ts';
import { findTusUpload, forgetWishes, insertTusUpload, type TusUpload } from './tus-queries.ts';
import { discardUpload } from './unfinished.ts';
import { scopeOf, type Uploader } from './uploader.ts';

/** Where a file stands: bytes stored without a gap and, once it is complete, where it can be had. */
export type TusState = { offset: number; completed: CompletedUpload | undefined };

/**
 * Announces a file and reserves its bytes. Throws AppError `tus_bad_header`, `invalid_input`, and what announcing
 * and deciding the settings throw.
 */
export async function createTusUpload(
  context: Context,
  uploader: Uploader,
  { sizeBytes, metadata: header }: { sizeBytes: number; metadata: string | undefined },
): Promise<TusUpload> {
  const metadata = parseMetadata(header);
  const { target, wishes } = await sortWishes(context, uploader, readSettings(metadata));
  const files = [describeFile(metadata, sizeBytes)];
  const [upload] = await announceUploads(context, uploader, { files, ...target });
  const row = { metadata: withoutSecrets(header), wishes: JSON.stringify(wishes) };
  await insertTusUpload(context.db, { uploadId: upload!.id, ...row });
  return { ...upload!, ...row };
}

/** Throws AppError `upload_not_found`, also for what no tus client announced. */
export async function getTusUpload(
  context: Context,
  uploader: Uploader,
  uploadId: string,
): Promise<TusUpload> {
  const upload = await findTusUpload(context.db, scopeOf(uploader), uploadId);
  if (!upload) throw new AppError('upload_not_found');
  return upload;
}

/**
 * Where the file goes on. A sender that has fallen silent is broken off first, so that what it brought counts; a
 * file that is all there but was not completed (we were killed, its transfer refused) is completed now. Throws what
 * completing throws.
 */
export async function lookUpTusUpload(
  context: Context,
  uploader: Uploader,
  upload: TusUpload,
): Promise<TusState> {
  if (upload.state === 'complete') return complete(context, uploader, upload);
  await breakStalled(context, gateKey(upload));
  const offset = await findOffset(context.blobs, upload);
  return offset === upload.sizeBytes ? complete(context, uploader, upload) : { offset, completed: undefined };
}

/** Bytes of a file, none of which has been read yet. */
type Piece = {
  offset: number;
  stream: Readable;
  declaredBytes: number | undefined;
  checksum: TusChecksum | undefined;
  receivedBytes: Sender['receivedBytes'];
};

/**
 * Stores bytes from the offset on; the last ones complete the file. Throws AppError `upload_offset_conflict`,
 * `body_too_large` (more than the file has, also once it is complete), and what storing, checking and completing throw.
 */
export async function appendToTusUpload(
  context: Context,
  uploader: Uploader,
  { upload, piece }: { upload: TusUpload; piece: Piece },
): Promise<TusState> {
  const { offset, declaredBytes = 0, checksum } = piece;
  if (offset + declaredBytes > upload.sizeBytes) throw new AppError('body_too_large');
  if (upload.state === 'complete') {
    if (offset < upload.sizeBytes) throw new AppError('upload_closed');
    if (piece.declaredBytes === undefined && (await hasBytes(piece.stream)))
      throw new AppError('body_too_large');
    return complete(context, uploader, upload);
  }
  const store = (bytes: Omit<Piece, 'checksum'>) =>
    storeBytes(context, { ...bytes, scope: scopeOf(uploader), upload });
  await requireOffset(context, upload, offset);
  const end = checksum
    ? await storeChecked({ stream: piece.stream, checksum }, ({ stream, sizeBytes }) =>
        store({ ...piece, stream, declaredBytes: sizeBytes }),
      )
    : await store(piece);
  return end === upload.sizeBytes
    ? complete(context, uploader, upload)
    : { offset: end, completed: undefined };
}

/** Whether a stream of unknown length has any bytes. Reads the first of them. */
async function hasBytes(stream: Readable): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  stream.once('readable', () => resolve(stream.read() !== null));
  for (const event of ['end', 'error', 'close']) stream.once(event, () => resolve(false));
  return promise;
}

async function requireOffset({ blobs }: Context, upload: TusUpload, offset: number): Promise<void> {
  const found = await findOffset(blobs, upload);
  if (found !== offset) throw new AppError('upload_offset_conflict', { details: { offset: found } });
}

/** An empty file has no last byte to wait for; if it cannot be completed, it was not announced either. */
export async function completeEmpty(
  context: Context,
  uploader: Uploader,
  upload: TusUpload,
): Promise<TusState> {
  try {
    return await complete(context, uploader, upload);
  } catch (error) {
    await discardUpload(context, upload, { cause: 'refused' });
    throw error;
  }
}

async function complete(context: Context, uploader: Uploader, upload: TusUpload): Promise<TusState> {
  const wishes = JSON.parse(upload.wishes) as Partial<Wishes>;
  const completed = await completeUploads(context, uploader, {
    uploadIds: [upload.id],
    transferId: undefined,
    fileCount: wishes.fileCount,
    settings: wishes.settings ?? {},
    passwordHash: wishes.passwordHash,
  });
  if (upload.state === 'open') await forgetWishes(context.db, upload.id);
  return { offset: upload.sizeBytes, completed };
}

function readSettings(metadata: TusMetadata) {
  const parsed = parseTextSettings(listSettings(metadata));
  if (!parsed.success) throw invalidInput(parsed.error);
  return parsed.data;
}

function describeFile(metadata: TusMetadata, fileSize: number): UploadRequest {
  const parsed = UploadRequest.safeParse({
    fileName: textOf(metadata, 'filename', 'name') ?? 'file',
    relativePath: textOf(metadata, 'relativePath'),
    mimeType: textOf(metadata, 'filetype', 'type', 'contentType'),
    fileSize,
    totalChunks: planChunks(fileSize).totalChunks,
  });
  if (!parsed.success) throw invalidInput(parsed.error);
  return parsed.data;
}

import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { Readable } from 'node:stream';
import { planChunks } from '../../../../contracts/plans/limits.ts';
import { parseTextSettings } from '../../../../contracts/transfers/settings/text-settings.ts';
import { type CompletedUpload, UploadRequest } from '../../../../contracts/transfers/uploads/uploads.ts';
import { formatModificationTime } from '../../../../contracts/values/modification-times.ts';
import { MIB } from '../../../../contracts/values/sizes.ts';
import type { Context } from '../../../context.ts';
import type { Db } from '../../../platform/db/open.ts';
import type { UploadRow } from '../../../platform/db/schema.ts';
import { invalidInput } from '../../../platform/http/routing/invalid-input.ts';
import { AppError, isAppError } from '../../../platform/lib/app-error.ts';
import { keyedId } from '../../../platform/lib/tokens.ts';
import { BufferedChunk, MemoryBudget } from '../../../platform/storage/buffered-chunk.ts';
import { receiveTail } from '../../../platform/storage/receive-chunk.ts';
import { findOffset, storeBytes } from '../chunks/append-bytes.ts';
import { abortStalled } from '../chunks/shared-gate.ts';
import { gateKey, type Sender } from '../chunks/upload-gate.ts';
import { announceUploads, planFile } from '../core/announcements.ts';
import { type CompletionSettings, completeUploads, splitTextSettings } from '../core/completion.ts';
import { discardUpload } from '../core/unfinished-uploads.ts';
import { type Scope, scopeOf, type Uploader } from '../core/uploader.ts';
import {
  listSettings,
  parseMetadata,
  readModificationTime,
  type TusChecksum,
  type TusMetadata,
  textOf,
  withoutSecrets,
} from './headers.ts';

/** `offset` counts bytes stored without a gap. */
export type TusState = { offset: number; completed: CompletedUpload | undefined };

/**
 * Announces a file and reserves its bytes. Creation is not idempotent in tus: a client that did not get the response
 * creates the upload again, and the first one is later swept. An empty file is complete immediately, so its id is
 * derived from its path in a named transfer, and a second call returns the first upload. Throws AppError `tus_bad_header`,
 * `invalid_input`, and what announcing and deciding the settings throw.
 */
export async function createTusUpload(
  context: Context,
  uploader: Uploader,
  { sizeBytes, metadata: header }: { sizeBytes: number; metadata: string | undefined },
): Promise<TusUpload> {
  const metadata = parseMetadata(header);
  const { target, requested } = await splitTextSettings(context, uploader, readSettings(metadata));
  const files = [describeFile(metadata, sizeBytes)];
  const { transferName } = target;
  const { relativePath } = planFile(files[0]!, '');
  const isRepeatable = sizeBytes === 0 && transferName !== undefined && relativePath.includes('/');
  const uploadId = isRepeatable
    ? keyedId(context.secret, 'empty tus upload', uploader.owner.id, transferName, relativePath)
    : undefined;
  const [upload] = await announceUploads(context, uploader, { files, ...target, uploadId });
  const row = { metadata: withoutSecrets(header), wishes: JSON.stringify(requested) };
  await insertTusUpload(context.db, { uploadId: upload!.id, ...row });
  return { ...upload!, ...row };
}

/** Throws AppError `upload_not_found`, also for uploads that were not created by tus. */
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
 * Returns the offset at which to resume. Aborts a stalled sender first, so that its bytes count. Completes a file whose
 * bytes have all arrived but whose completion failed because the server was killed or the transfer was refused. Throws
 * what completing throws.
 */
export async function getTusState(
  context: Context,
  uploader: Uploader,
  upload: TusUpload,
): Promise<TusState> {
  if (upload.state === 'complete') return complete(context, uploader, upload);
  await abortStalled(context, gateKey(upload));
  const offset = await findOffset(context.blobs, upload);
  return offset === upload.sizeBytes ? complete(context, uploader, upload) : { offset, completed: undefined };
}

type Piece = {
  offset: number;
  stream: Readable;
  declaredBytes: number | undefined;
  checksum: TusChecksum | undefined;
  receivedBytes: Sender['receivedBytes'];
};

/**
 * Stores bytes from the offset on; the last ones complete the file. Throws AppError `upload_offset_conflict`,
 * `body_too_large` (more bytes than the file has, also once it is complete), and what storing, checking and completing
 * throw.
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

export async function completeEmptyUpload(
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
  const requested = JSON.parse(upload.wishes) as Partial<CompletionSettings>;
  const completed = await completeUploads(context, uploader, {
    uploadIds: [upload.id],
    transferId: undefined,
    fileCount: requested.fileCount,
    settings: requested.settings ?? {},
    passwordHash: requested.passwordHash,
  });
  if (upload.state === 'open') await clearRequestedSettings(context.db, upload.id);
  return { offset: upload.sizeBytes, completed };
}

function readSettings(metadata: TusMetadata) {
  const parsed = parseTextSettings(listSettings(metadata));
  if (!parsed.success) throw invalidInput(parsed.error);
  return parsed.data;
}

function describeFile(metadata: TusMetadata, fileSize: number): UploadRequest {
  const modifiedAt = readModificationTime(metadata);
  const parsed = UploadRequest.safeParse({
    fileName: textOf(metadata, 'filename', 'name') ?? 'file',
    relativePath: textOf(metadata, 'relativePath'),
    mimeType: textOf(metadata, 'filetype', 'type', 'contentType'),
    modifiedAt: modifiedAt === undefined ? undefined : formatModificationTime(modifiedAt),
    fileSize,
    totalChunks: planChunks(fileSize).totalChunks,
  });
  if (!parsed.success) throw invalidInput(parsed.error);
  return parsed.data;
}

export type TusUpload = UploadRow & { metadata: string; wishes: string };

async function insertTusUpload(
  db: Db,
  row: { uploadId: string; metadata: string; wishes: string },
): Promise<void> {
  await db
    .insertInto('tusUploads')
    .values(row)
    .onConflict((conflict) => conflict.column('uploadId').doNothing())
    .execute();
}

async function findTusUpload(
  db: Db,
  { userId, visitorKey }: Scope,
  uploadId: string,
): Promise<TusUpload | undefined> {
  return db
    .selectFrom('uploads')
    .innerJoin('tusUploads', 'tusUploads.uploadId', 'uploads.id')
    .innerJoin('transfers', 'transfers.id', 'uploads.transferId')
    .selectAll('uploads')
    .select(['tusUploads.metadata', 'tusUploads.wishes'])
    .where('uploads.id', '=', uploadId)
    .where('uploads.userId', '=', userId)
    .where('uploads.visitorKey', 'is not distinct from', visitorKey)
    .where('transfers.status', '!=', 'deleting')
    .executeTakeFirst();
}

async function clearRequestedSettings(db: Db, uploadId: string): Promise<void> {
  await db.updateTable('tusUploads').set({ wishes: '{}' }).where('uploadId', '=', uploadId).execute();
}

/** Bytes with a checksum are buffered until it is verified, so their number is limited. */
const MAX_CHECKED_BYTES = 64 * MIB;
const memory = new MemoryBudget(32 * MIB);

type Checked = { stream: Readable; checksum: TusChecksum };

/**
 * Runs `store` with the bytes once all have arrived and their checksum is verified, so nothing of a truncated or
 * damaged piece is stored. Buffers in memory or, above the budget, in an unlinked file. Throws AppError
 * `tus_checksum_mismatch`, `chunk_cut_short`, `body_too_large`.
 */
async function storeChecked<T>(
  { stream, checksum }: Checked,
  store: (bytes: { stream: Readable; sizeBytes: number }) => Promise<T>,
): Promise<T> {
  const buffer = new BufferedChunk(memory, tmpdir());
  try {
    const sizeBytes = await bufferVerified(buffer, { stream, checksum });
    return await store({ stream: Readable.from(buffer.open(), { objectMode: false }), sizeBytes });
  } finally {
    await buffer.release();
  }
}

async function bufferVerified(buffer: BufferedChunk, { stream, checksum }: Checked): Promise<number> {
  const { algorithm, value } = checksum;
  const hash = algorithm === 'crc32' ? undefined : createHash(algorithm);
  let adding: Promise<void> | undefined;
  const all = await receiveTail(
    { index: 0, head: { sizeBytes: 0, crc32: 0 }, stream },
    MAX_CHECKED_BYTES,
    (bytes) => {
      hash?.update(bytes);
      adding = buffer.add(bytes);
      return adding;
    },
  ).catch(tooLarge);
  await adding;
  if (!stream.readableEnded) throw new AppError('chunk_cut_short');
  const actual = hash?.digest() ?? bigEndian(all.crc32);
  if (!actual.equals(value)) throw new AppError('tus_checksum_mismatch');
  return all.sizeBytes;
}

function tooLarge(cause: unknown): never {
  throw isAppError(cause, 'chunk_too_long') ? new AppError('body_too_large', { cause }) : cause;
}

function bigEndian(crc: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(crc);
  return bytes;
}

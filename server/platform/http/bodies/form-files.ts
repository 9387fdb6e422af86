import { createReadStream, createWriteStream, type ReadStream } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import fastifyMultipart, { type MultipartFile } from '@fastify/multipart';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { HOUR_MS } from '../../../../contracts/values/durations.ts';
import { AppError, isAppError } from '../../lib/app-error.ts';
import { systemClock } from '../../lib/clock.ts';
import { randomId } from '../../lib/tokens.ts';
import { explainDiskError } from '../../storage/disk/disk-errors.ts';
import { drainBody } from './raw-body.ts';

/** A temporary file; the caller removes it with `drop`. */
export type ReceivedFile = { path: string; fileName: string; sizeBytes: number; drop(): Promise<void> };

type FileOptions = {
  field: string;
  maxBytes: number;
  tooLarge: () => AppError;
  folder: string;
};

export type FormFile = { fileName: string; mimeType: string; offset: number; sizeBytes: number };

/** The temporary file is freed by `drop`, or when the process ends. */
export type ReceivedForm = {
  files: FormFile[];
  fields: Map<string, string>;
  /** `end` is exclusive. */
  read(file: FormFile, start: number, end: number): ReadStream;
  drop(): Promise<void>;
};

type FormOptions = {
  fields: string[];
  /** Longer text fields are truncated. */
  maxTextBytes: number;
  /**
   * Called when a file begins; the returned function is called for each piece. Either may throw to refuse the
   * form.
   */
  onFile(fileName: string): (bytes: number) => void | Promise<void>;
  folder: string;
};

const LIMITS = { files: 1, fields: 12, parts: 13, fieldSize: 1024, headerPairs: 16, headerSize: 4096 };

/** The caller limits files. File names may include a path, so headers are larger. */
const MANY_FILES = { ...LIMITS, files: Infinity, parts: Infinity, fileSize: Infinity, headerSize: 16_384 };

/**
 * Makes this scope accept `multipart/form-data`. At start-up it deletes the folder's files that are older
 * than an hour; younger ones may belong to another process.
 */
export async function acceptMultipart(scope: FastifyInstance, folder: string): Promise<void> {
  await scope.register(fastifyMultipart, { limits: LIMITS });
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const changedAt = await stat(path).then(
      ({ mtimeMs }) => mtimeMs,
      () => Number.POSITIVE_INFINITY,
    );
    if (changedAt < systemClock.now() - HOUR_MS) await rm(path, { force: true });
  }
}

/**
 * Undefined if the form has no file in that field. Leaves nothing behind on failure. Throws `tooLarge()`, and
 * AppError `malformed_form`, `unsupported_media_type`, `storage_full`.
 */
export async function receiveFile(
  request: FastifyRequest,
  options: FileOptions,
): Promise<ReceivedFile | undefined> {
  if (!request.isMultipart()) throw new AppError('unsupported_media_type');
  let file: ReceivedFile | undefined;
  try {
    for await (const part of request.parts({ limits: { ...LIMITS, fileSize: options.maxBytes } })) {
      if (part.type !== 'file') continue;
      if (part.fieldname === options.field) file = await saveFile(part, options);
      else part.file.resume();
    }
    return file;
  } catch (error) {
    await file?.drop();
    drainBody(request);
    throw toRefusal(error);
  }
}

/**
 * Streams all files into one unnamed temporary file, so that a failure or crash leaves nothing behind. Throws
 * what `onFile` throws, and AppError `malformed_form`, `unsupported_media_type`, `storage_full`.
 */
export async function receiveFiles(request: FastifyRequest, options: FormOptions): Promise<ReceivedForm> {
  if (!request.isMultipart()) throw new AppError('unsupported_media_type');
  const { fields: wanted, maxTextBytes, folder } = options;
  const place = await openUnnamedFile(folder);
  const fields = new Map<string, string>();
  const files: FormFile[] = [];
  try {
    const limits = { ...MANY_FILES, fieldSize: maxTextBytes };
    for await (const part of request.parts({ limits, preservePath: true })) {
      // The parser keeps every part until the form ends, and there may be a hundred thousand.
      Reflect.deleteProperty(part.fields, part.fieldname);
      if (part.type === 'field') fields.set(part.fieldname, String(part.value));
      // Browsers send a file without a name if none is selected.
      else if (!part.filename || !wanted.includes(part.fieldname)) part.file.resume();
      else files.push(await appendFile(place, part, { ...options, offset: endOf(files) }));
    }
  } catch (error) {
    await place.close();
    request.raw.unpipe();
    drainBody(request);
    throw toRefusal(error);
  }
  const read: ReceivedForm['read'] = ({ offset }, start, end) =>
    createReadStream('', { fd: place.fd, autoClose: false, start: offset + start, end: offset + end - 1 });
  return { files, fields, read, drop: () => place.close() };
}

/** The system frees it on close, or when the process ends. Throws AppError `storage_full`. */
export async function openUnnamedFile(folder: string): Promise<FileHandle> {
  const path = join(folder, randomId());
  try {
    const handle = await open(path, 'wx+', 0o600);
    await rm(path, { force: true });
    return handle;
  } catch (error) {
    throw explainDiskError(error);
  }
}

async function appendFile(
  place: FileHandle,
  { file, filename, mimetype }: MultipartFile,
  { onFile, offset }: Pick<FormOptions, 'onFile'> & { offset: number },
): Promise<FormFile> {
  let sizeBytes = 0;
  await pipeline(file, async (pieces: AsyncIterable<Buffer>) => {
    const countBytes = onFile(filename);
    for await (const piece of pieces) {
      await countBytes(piece.length);
      await place.appendFile(piece);
      sizeBytes += piece.length;
    }
  });
  return { fileName: filename, mimeType: mimetype, offset, sizeBytes };
}

function endOf(files: FormFile[]): number {
  const last = files.at(-1);
  return last ? last.offset + last.sizeBytes : 0;
}

async function saveFile(
  { file, filename }: MultipartFile,
  { folder, tooLarge }: FileOptions,
): Promise<ReceivedFile> {
  const path = join(folder, randomId());
  const drop = () => rm(path, { force: true });
  file.once('limit', () => file.destroy(tooLarge()));
  try {
    await pipeline(file, createWriteStream(path, { flags: 'wx', mode: 0o600 }));
    return { path, fileName: filename, sizeBytes: file.bytesRead, drop };
  } catch (error) {
    await drop();
    throw error;
  }
}

const DISK_CALLS = new Set(['open', 'write', 'close', 'unlink']);

function toRefusal(error: unknown): unknown {
  if (isAppError(error)) return error;
  const isOfDisk = error instanceof Error && 'syscall' in error && DISK_CALLS.has(String(error.syscall));
  return isOfDisk ? explainDiskError(error) : new AppError('malformed_form', { cause: error });
}

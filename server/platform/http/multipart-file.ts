import { createWriteStream } from 'node:fs';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import fastifyMultipart, { type MultipartFile } from '@fastify/multipart';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError, isAppError } from '../lib/app-error.ts';
import { HOUR_MS, systemClock } from '../lib/clock.ts';
import { randomId } from '../lib/tokens.ts';
import { explainDiskError } from '../storage/disk-errors.ts';
import { drainBody } from './drain-body.ts';

/** A file of a form, while it lies in a temporary place; the caller removes it with `drop`. */
export type ReceivedFile = { path: string; fileName: string; sizeBytes: number; drop(): Promise<void> };

type Wish = {
  /** The form's field. */
  field: string;
  /** Counted while it arrives. */
  maxBytes: number;
  /** What is thrown when there are more. */
  tooLarge: () => AppError;
  /** Where it lies meanwhile. */
  folder: string;
};

/** A form with one file has few parts, and small ones beside the file (promise 20). */
const LIMITS = { files: 1, fields: 8, parts: 9, fieldSize: 1024, headerPairs: 16, headerSize: 4096 };

/**
 * Lets the calls of this scope take `multipart/form-data`. What a crash left in the folder is removed at the
 * start, an hour after its last byte: another process may be receiving there.
 */
export async function takeForms(scope: FastifyInstance, folder: string): Promise<void> {
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
 * Receives a form's one file into the folder, never whole in memory; undefined when the form has none in that
 * field. Whatever goes wrong, or when the client goes away, nothing stays. Throws AppError `tooLarge`,
 * `malformed_form`, `unsupported_media_type` (no form), `storage_full`.
 */
export async function receiveFile(request: FastifyRequest, wish: Wish): Promise<ReceivedFile | undefined> {
  if (!request.isMultipart()) throw new AppError('unsupported_media_type');
  let file: ReceivedFile | undefined;
  try {
    for await (const part of request.parts({ limits: { ...LIMITS, fileSize: wish.maxBytes } })) {
      if (part.type !== 'file') continue;
      if (part.fieldname === wish.field) file = await keepFile(part, wish);
      else part.file.resume();
    }
    return file;
  } catch (error) {
    await file?.drop();
    drainBody(request);
    throw toRefusal(error);
  }
}

async function keepFile(
  { file, filename }: MultipartFile,
  { folder, tooLarge }: Wish,
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

/** The disk's errors are ours, everything else is the sender's. */
function toRefusal(error: unknown): unknown {
  if (isAppError(error)) return error;
  const isOfDisk = error instanceof Error && 'syscall' in error && 'path' in error;
  return isOfDisk ? explainDiskError(error) : new AppError('malformed_form', { cause: error });
}

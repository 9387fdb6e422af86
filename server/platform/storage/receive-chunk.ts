import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { AppError, isAppError } from '../lib/app-error.ts';
import type { ChunkBody, ChunkHead, ChunkTail, ExpectedDigest } from './blob-store.ts';

/** If it returns a promise, the stream pauses until it resolves. */
export type WriteBytes = (bytes: Buffer) => Promise<void> | undefined;

/**
 * Passes the stream's bytes on without copying, never more than expected, and returns their CRC-32. On
 * failure the stream is left paused. Throws AppError `wrong_chunk_length`, `chunk_too_long`,
 * `chunk_cut_short` (the stream broke), `unavailable` (interrupted by this server), `digest_mismatch`, and
 * the errors of `write`.
 */
export async function receiveChunk(
  chunk: ChunkBody,
  expectedBytes: number,
  write: WriteBytes,
): Promise<number> {
  const details = { index: chunk.index, expected: expectedBytes };
  const sha256 = chunk.digest?.algorithm === 'sha-256' ? createHash('sha256') : undefined;
  let received = 0;
  let crc = 0;
  await readToEnd(chunk, (bytes) => {
    requireLease(chunk);
    received += bytes.length;
    if (received > expectedBytes) throw new AppError('chunk_too_long', { details });
    crc = crc32(bytes, crc);
    sha256?.update(bytes);
    return write(bytes);
  });
  if (received < expectedBytes) throw new AppError('wrong_chunk_length', { details });
  if (chunk.digest && !hasDigest(chunk.digest, sha256?.digest() ?? bigEndian(crc))) {
    throw new AppError('digest_mismatch', { details: { index: chunk.index } });
  }
  return crc;
}

/**
 * Like `receiveChunk`, but appends to a head: a stream that ends early or breaks is not a failure. Throws
 * AppError `chunk_too_long`, and the errors of `write`.
 */
export async function receiveTail(
  { index, head, ...body }: ChunkTail,
  expectedBytes: number,
  write: WriteBytes,
): Promise<ChunkHead> {
  const grown = { ...head };
  try {
    await readToEnd(body, (bytes) => {
      grown.sizeBytes += bytes.length;
      if (grown.sizeBytes > expectedBytes)
        throw new AppError('chunk_too_long', { details: { index, expected: expectedBytes } });
      grown.crc32 = crc32(bytes, grown.crc32);
      return write(bytes);
    });
  } catch (error) {
    if (!isAppError(error, 'chunk_cut_short') && !body.signal?.aborted) throw error;
  }
  return grown;
}

/**
 * For stores that await something before `receiveChunk`: a stream that breaks meanwhile must not end the
 * process.
 */
export function outliveStreamErrors({ stream }: Pick<ChunkBody, 'stream'>): void {
  stream.on('error', () => {});
}

/**
 * Flowing mode, because `read()` and `for await` would copy buffers to join them, and `for await` would
 * destroy a request, and so its connection, after a bad chunk.
 */
function readToEnd({ stream, signal, waited }: Omit<ChunkBody, 'index'>, write: WriteBytes): Promise<void> {
  // Per pause, not per buffer, because most buffers cause none.
  const startedAt = performance.now();
  let pausedMs = 0;
  return new Promise((resolve, reject) => {
    if (stream.readableEnded) return resolve();
    if (signal?.aborted) return reject(chunkInterrupted(signal.reason));
    if (stream.destroyed) return reject(cutShort(stream.errored));

    let isDone = false;
    const stop = () => {
      if (waited && !isDone) waited.forBytesMs += performance.now() - startedAt - pausedMs;
      isDone = true;
      stream.off('data', onData).off('end', onEnd).off('close', onBreak);
      signal?.removeEventListener('abort', onAbort);
    };
    const fail = (error: unknown) => {
      stop();
      stream.pause();
      reject(error);
    };
    const onData = (bytes: Buffer) => {
      if (isDone) return;
      try {
        const full = write(bytes);
        if (!full) return;
        stream.pause();
        const pausedAt = performance.now();
        full
          .finally(() => {
            pausedMs += performance.now() - pausedAt;
          })
          .then(() => isDone || stream.resume(), fail);
      } catch (error) {
        fail(error);
      }
    };
    const onEnd = () => {
      stop();
      stream.off('error', onBreak);
      resolve();
    };
    // Stays attached after a failure: an unhandled stream error would end the process.
    const onBreak = (error?: Error) => fail(cutShort(error));
    const onAbort = () => fail(chunkInterrupted(signal?.reason));

    stream.on('error', onBreak).on('close', onBreak).on('end', onEnd).on('data', onData);
    signal?.addEventListener('abort', onAbort);
    stream.resume();
  });
}

/** Call before each write of bytes or notes. Throws AppError `unavailable` if the lease may be lost. */
export function requireLease({ isOurs }: Pick<ChunkBody, 'isOurs'>): void {
  if (isOurs?.() === false) throw chunkInterrupted(new Error('The lease of the chunk may be lost.'));
}

/**
 * `unavailable` with Retry-After, so that clients send the chunk again; `chunk_cut_short` would blame their
 * connection.
 */
export function chunkInterrupted(cause: unknown): AppError {
  return new AppError('unavailable', { cause, retryAfterSeconds: 1 });
}

function cutShort(cause: unknown): AppError {
  return new AppError('chunk_cut_short', { cause });
}

function hasDigest(expected: ExpectedDigest, actual: Buffer): boolean {
  return expected.value.equals(actual);
}

function bigEndian(crc: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(crc);
  return bytes;
}

/**
 * A thread that reads, sums and seals chunks. It uses Node's AES-GCM, because WebCrypto copies each segment into memory
 * of its own, which costs twice as much as the encryption.
 */
import { createCipheriv, randomFillSync } from 'node:crypto';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { crc32 } from 'node:zlib';
import {
  SEGMENT_BYTES,
  SEGMENT_NONCE_BYTES,
  SEGMENT_PLAIN_BYTES,
  segmentCount,
} from '../../../contracts/transfers/encryption.ts';
import type { SegmentKey } from '../../../encryption/keys.ts';
import { additionalDataOfSegment } from '../../../encryption/segments.ts';
import { createDeriveMessageKey } from '../../encrypted/message-keys.ts';
import { readableReason } from '../collect-files.ts';
import type { SealedFile, SealingReply, SealingRequest } from './protocol.ts';
import { RunningSums } from './sums.ts';

/** Small enough to stay in the processor's cache from the read to the last checksum. */
const piece = Buffer.allocUnsafeSlow(64 * 1024);
const deriveMessageKey = await createDeriveMessageKey(workerData as SegmentKey);
const sumsByPlace = new Map<number, RunningSums>();

// Earlier messages have waited for this listener.
parentPort!.on('message', (request: SealingRequest) => parentPort!.postMessage(handle(request)));

function handle({ id, file, chunk }: SealingRequest): SealingReply {
  try {
    return withFile(file, (opened) => {
      const sums = sumsByPlace.get(file.place) ?? new RunningSums();
      sumsByPlace.set(file.place, sums);
      if (file.isSummed) sums.next = file.totalChunks;
      const wasWhole = sums.next >= file.totalChunks;
      // Chunks that an earlier run has sent.
      const readTo = chunk ? chunk.index : file.totalChunks;
      for (; sums.next < readTo; sums.next += 1)
        readPlain(opened, file, sums.next, (bytes) => sums.update(bytes));
      const sealed = chunk && seal(opened, file, { ...chunk, sums });
      const isWhole = !wasWhole && sums.next === file.totalChunks;
      return { id, chunk: sealed, sums: isWhole ? sums.read() : undefined };
    });
  } catch (error) {
    return { id, failure: (error as Error).message };
  }
}

type Sealing = { index: number; target: SharedArrayBuffer; sums: RunningSums };

function seal(opened: number, file: SealedFile, { index, target, sums }: Sealing) {
  const sealed = Buffer.from(target);
  const firstSegment = (index * file.chunkSize) / SEGMENT_BYTES;
  const place = { fileId: file.fileId, plainBytes: file.size, firstSegment };
  const { start, end } = plainRange(file, index);
  const isNew = index === sums.next;
  let length = 0;
  let crc = 0;
  const append = (bytes: Uint8Array) => {
    sealed.set(bytes, length);
    length += bytes.length;
    crc = crc32(bytes, crc);
  };
  const count = segmentCount(end - start);
  for (let number = 0; number < count; number += 1) {
    // Random, so that sealing a chunk again never repeats a nonce.
    const nonce = randomFillSync(new Uint8Array(SEGMENT_NONCE_BYTES));
    const key = deriveMessageKey(nonce);
    const cipher = createCipheriv('aes-256-gcm', key, nonce.subarray(12));
    cipher.setAAD(additionalDataOfSegment(place, firstSegment + number));
    append(nonce);
    const from = start + number * SEGMENT_PLAIN_BYTES;
    readRange(opened, file, { from, to: Math.min(end, from + SEGMENT_PLAIN_BYTES) }, (bytes) => {
      if (isNew) sums.update(bytes);
      append(cipher.update(bytes));
    });
    append(cipher.final());
    append(cipher.getAuthTag());
    key.fill(0);
  }
  if (isNew) sums.next += 1;
  return { length, crc32: crc };
}

function readPlain(opened: number, file: SealedFile, index: number, use: (bytes: Buffer) => void): void {
  const { start, end } = plainRange(file, index);
  readRange(opened, file, { from: start, to: end }, use);
}

function readRange(
  opened: number,
  { path }: SealedFile,
  { from, to }: { from: number; to: number },
  use: (bytes: Buffer) => void,
): void {
  for (let at = from; at < to; ) {
    const bytesRead = readSync(opened, piece, 0, Math.min(piece.length, to - at), at);
    if (bytesRead === 0) throw changedError(path);
    use(piece.subarray(0, bytesRead));
    at += bytesRead;
  }
}

/** Checks size and modification time after the read, to detect changes before and during it. */
function withFile<T>({ path, size, mtimeMs }: SealedFile, use: (opened: number) => T): T {
  const opened = openReadable(path);
  try {
    const result = use(opened);
    const found = fstatSync(opened);
    if (found.size !== size || found.mtimeMs !== mtimeMs) throw changedError(path);
    return result;
  } finally {
    closeSync(opened);
  }
}

function openReadable(path: string): number {
  try {
    return openSync(path, 'r');
  } catch (error) {
    throw new Error(`${path}: ${readableReason(error as NodeJS.ErrnoException)}.`);
  }
}

function changedError(path: string): Error {
  return new Error(`${path} changed while it was being sent.`);
}

function plainRange({ size, chunkSize }: Pick<SealedFile, 'size' | 'chunkSize'>, index: number) {
  const chunkBytes = (chunkSize / SEGMENT_BYTES) * SEGMENT_PLAIN_BYTES;
  const start = index * chunkBytes;
  return { start, end: Math.min(size, start + chunkBytes) };
}

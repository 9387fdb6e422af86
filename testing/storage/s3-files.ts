import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { isAppError } from '../../server/platform/lib/app-error.ts';
import type { BlobStore, Place } from '../../server/platform/storage/blob-store.ts';
import { MIN_PART_BYTES } from './swift-config.ts';

/** A file of one chunk has 500,000 bytes. With more chunks all are full but the last, which has 1,000 bytes. */
export function layFile(chunkCount: number): { place: Place; bytes: Buffer } {
  const sizeBytes = chunkCount === 1 ? 500_000 : (chunkCount - 1) * MIN_PART_BYTES + 1_000;
  const storageKey = randomBytes(16).toString('hex');
  const place = { storageKey, offset: 0, sizeBytes, firstSlot: 0, chunkSize: MIN_PART_BYTES, chunkCount };
  return { place, bytes: randomBytes(sizeBytes) };
}

export async function sendFile(store: BlobStore, chunkCount: number) {
  const file = layFile(chunkCount);
  await store.prepare(file.place);
  for (let index = 0; index < chunkCount; index += 1) await send(store, file.place, index, file.bytes);
  return file;
}

export async function sealFile(store: BlobStore, chunkCount: number) {
  const file = await sendFile(store, chunkCount);
  await store.seal([file.place]);
  return file;
}

export function send(store: BlobStore, place: Place, index: number, fileBytes: Buffer) {
  const bytes = fileBytes.subarray(index * place.chunkSize, (index + 1) * place.chunkSize);
  return store.writeChunk(place, { index, stream: Readable.from([bytes], { objectMode: false }) });
}

export async function read(store: BlobStore, { storageKey, sizeBytes }: Place): Promise<Buffer> {
  const bytes = Buffer.alloc(sizeBytes);
  const range = await store.openRange(storageKey, 0, sizeBytes);
  try {
    await range.fill([bytes.subarray(0, 1_000), bytes.subarray(1_000)]);
  } finally {
    await range.close();
  }
  return bytes;
}

export async function listKeys(store: BlobStore): Promise<string[]> {
  const keys: string[] = [];
  for await (const { storageKey } of store.list()) keys.push(storageKey);
  return keys;
}

export function isUnavailable(error: unknown): boolean {
  assert.ok(isAppError(error, 'unavailable'), String(error));
  assert.equal(error.retryAfterSeconds, 5);
  return true;
}

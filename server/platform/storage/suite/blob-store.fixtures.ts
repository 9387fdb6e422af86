import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { isAppError } from '../../lib/app-error.ts';
import { type BlobStore, type ChunkNote, chunkLengthAt, type Place } from '../blob-store.ts';

export type TestFile = { place: Place; bytes: Buffer };
export type FileSize = { chunkSize: number; sizeBytes: number };

export function layFile({ chunkSize, sizeBytes }: FileSize): TestFile {
  const bytes = randomBytes(Math.floor(sizeBytes));
  const chunkCount = Math.ceil(bytes.length / chunkSize);
  const storageKey = newKey();
  return {
    place: { storageKey, offset: 0, sizeBytes: bytes.length, firstSlot: 0, chunkSize, chunkCount },
    bytes,
  };
}

export function layFiles(
  store: BlobStore,
  { chunkSize, sizes }: { chunkSize: number; sizes: number[] },
): TestFile[] {
  const storageKey = newKey();
  let offset = 0;
  return sizes.map((sizeBytes, firstSlot) => {
    const file = layFile({ chunkSize, sizeBytes });
    if (store.packsSmallFiles) Object.assign(file.place, { storageKey, offset, firstSlot });
    offset += sizeBytes;
    return file;
  });
}

export async function prepareFile(store: BlobStore, size: FileSize): Promise<TestFile> {
  const file = layFile(size);
  await store.prepare(file.place);
  return file;
}

export async function sealFile(store: BlobStore, size: FileSize): Promise<TestFile> {
  const { place, bytes } = await prepareFile(store, size);
  for (let index = 0; index < place.chunkCount; index += 1) await send(store, place, index, bytes);
  await store.seal([place]);
  return { place, bytes };
}

export function send(store: BlobStore, place: Place, index: number, fileBytes: Buffer): Promise<ChunkNote> {
  return store.writeChunk(place, { index, stream: inPieces(chunkOf(place, index, fileBytes)) });
}

export function chunkOf(place: Place, index: number, fileBytes: Buffer): Buffer {
  const start = index * place.chunkSize;
  return fileBytes.subarray(start, start + chunkLengthAt(place, index));
}

export function inPieces(bytes: Buffer, pieceBytes = 65_536): Readable {
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += pieceBytes) pieces.push(bytes.subarray(at, at + pieceBytes));
  return Readable.from(pieces);
}

export function breaksAfter(bytes: Buffer): Readable {
  return Readable.from(
    (async function* () {
      yield bytes;
      throw new Error('The client is gone');
    })(),
  );
}

export async function readRange(store: BlobStore, key: string, start: number, end: number): Promise<Buffer> {
  const bytes = Buffer.alloc(end - start);
  const range = await store.openRange(key, start, end);
  try {
    const middle = Math.floor(bytes.length / 3);
    await range.fill([bytes.subarray(0, middle)]);
    await range.fill([bytes.subarray(middle, middle + 1), bytes.subarray(middle + 1)]);
  } finally {
    await range.close();
  }
  return bytes;
}

export async function findBlob(store: BlobStore, storageKey: string) {
  for await (const blob of store.list()) if (blob.storageKey === storageKey) return blob;
  return undefined;
}

export async function listIndexes(store: BlobStore, place: Place): Promise<number[]> {
  return (await store.listChunks(place)).map(({ index }) => index);
}

export function hasCode(code: Parameters<typeof isAppError>[1]) {
  return (error: unknown) => isAppError(error, code);
}

export function hasDetails(code: Parameters<typeof isAppError>[1], details: Record<string, unknown>) {
  return (error: unknown) => {
    assert.ok(isAppError(error, code), String(error));
    assert.deepEqual(error.details, details);
    return true;
  };
}

/** A diff of two large buffers would take minutes. */
export function assertSameBytes(actual: Buffer, expected: Buffer): void {
  if (actual.equals(expected)) return;
  const at = actual.findIndex((byte, index) => byte !== expected[index]);
  assert.fail(`Bytes differ from ${at} on (${actual.length} and ${expected.length} bytes)`);
}

export function newKey(): string {
  return randomBytes(16).toString('hex');
}

export function bigEndian(crc: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(crc);
  return bytes;
}

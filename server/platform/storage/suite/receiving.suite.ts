import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import type { BlobStore } from '../blob-store.ts';
import {
  assertSameBytes,
  bigEndian,
  breaksAfter,
  chunkOf,
  hasCode,
  hasDetails,
  inPieces,
  listIndexes,
  prepareFile,
  readRange,
  send,
} from './blob-store.fixtures.ts';

export type SuiteContext = { store: () => BlobStore; chunkSize: number };

export function testReceiving({ store, chunkSize }: SuiteContext): void {
  test('accepts chunks in parallel and in any order', async () => {
    const { place, bytes } = await prepareFile(store(), { chunkSize, sizeBytes: 6.3 * chunkSize });
    await Promise.all([5, 0, 3, 6, 1, 4, 2].map((index) => send(store(), place, index, bytes)));
    const notes = await store().listChunks(place);
    assert.deepEqual(
      notes,
      [0, 1, 2, 3, 4, 5, 6].map((index) => ({ index, crc32: crc32(chunkOf(place, index, bytes)) })),
    );
    assert.deepEqual(await store().seal([place]), [{ crc32: crc32(bytes) }]);
    assertSameBytes(await readRange(store(), place.storageKey, 0, bytes.length), bytes);
  });

  test('accepts chunks in pieces of any size', async () => {
    const { place, bytes } = await prepareFile(store(), { chunkSize, sizeBytes: 2 * chunkSize });
    await store().writeChunk(place, { index: 0, stream: inPieces(chunkOf(place, 0, bytes), 1009) });
    await store().writeChunk(place, { index: 1, stream: inPieces(chunkOf(place, 1, bytes), chunkSize) });
    await store().seal([place]);
    assertSameBytes(await readRange(store(), place.storageKey, 0, bytes.length), bytes);
  });

  test('accepts chunks with the right digests', async () => {
    const { place, bytes } = await prepareFile(store(), { chunkSize, sizeBytes: 1.5 * chunkSize });
    const [first, second] = [chunkOf(place, 0, bytes), chunkOf(place, 1, bytes)];
    const digests = [
      { algorithm: 'crc32', value: bigEndian(crc32(first)) } as const,
      { algorithm: 'sha-256', value: createHash('sha256').update(second).digest() } as const,
    ];
    await store().writeChunk(place, { index: 0, stream: inPieces(first), digest: digests[0] });
    await store().writeChunk(place, { index: 1, stream: inPieces(second), digest: digests[1] });
    assert.deepEqual(await listIndexes(store(), place), [0, 1]);
  });

  test('can prepare the same place twice', async () => {
    const { place, bytes } = await prepareFile(store(), { chunkSize, sizeBytes: 2 * chunkSize });
    await send(store(), place, 0, bytes);
    await Promise.all([store().prepare(place), store().prepare(place)]);
    await send(store(), place, 1, bytes);
    await store().seal([place]);
    assertSameBytes(await readRange(store(), place.storageKey, 0, bytes.length), bytes);
  });
}

export function testRefusing({ store, chunkSize }: SuiteContext): void {
  test('refuses a chunk that ends too early', async () => {
    const { place, bytes } = await prepareFile(store(), { chunkSize, sizeBytes: 2 * chunkSize });
    const stream = inPieces(bytes.subarray(0, chunkSize - 1));
    await assert.rejects(
      store().writeChunk(place, { index: 0, stream }),
      hasDetails('wrong_chunk_length', { index: 0, expected: chunkSize }),
    );
    assert.deepEqual(await listIndexes(store(), place), []);
  });

  test('refuses a chunk that is too long, without touching the next one', async () => {
    const { place, bytes } = await prepareFile(store(), { chunkSize, sizeBytes: 2 * chunkSize });
    await send(store(), place, 1, bytes);
    const stream = inPieces(Buffer.alloc(chunkSize + 1, 'x'), 5000);
    await assert.rejects(
      store().writeChunk(place, { index: 0, stream }),
      hasDetails('chunk_too_long', { index: 0, expected: chunkSize }),
    );
    assert.deepEqual(await listIndexes(store(), place), [1]);
    await send(store(), place, 0, bytes);
    await store().seal([place]);
    assertSameBytes(await readRange(store(), place.storageKey, 0, bytes.length), bytes);
  });

  test('refuses an index beyond the file', async () => {
    const { place, bytes } = await prepareFile(store(), { chunkSize, sizeBytes: chunkSize + 1 });
    for (const index of [-1, 2, 0.5]) {
      await assert.rejects(
        store().writeChunk(place, { index, stream: inPieces(bytes) }),
        hasCode('chunk_index_out_of_range'),
      );
    }
  });

  test('does not list a chunk whose connection broke', async () => {
    const { place, bytes } = await prepareFile(store(), { chunkSize, sizeBytes: 2 * chunkSize });
    const stream = breaksAfter(chunkOf(place, 0, bytes).subarray(0, chunkSize / 2));
    await assert.rejects(store().writeChunk(place, { index: 0, stream }), hasCode('chunk_cut_short'));
    assert.deepEqual(await listIndexes(store(), place), []);
  });

  test('does not list a chunk whose write was aborted', async () => {
    const { place, bytes } = await prepareFile(store(), { chunkSize, sizeBytes: 2 * chunkSize });
    const controller = new AbortController();
    const stream = new Readable({ read() {} });
    stream.push(bytes.subarray(0, chunkSize / 2));
    stream.once('data', () => controller.abort());
    stream.pause();
    const { signal } = controller;
    await assert.rejects(store().writeChunk(place, { index: 0, stream, signal }), hasCode('unavailable'));
    assert.deepEqual(await listIndexes(store(), place), []);
  });

  test('accepts nothing if the signal is already aborted', async () => {
    const { place, bytes } = await prepareFile(store(), { chunkSize, sizeBytes: 2 * chunkSize });
    const stream = inPieces(chunkOf(place, 0, bytes));
    const signal = AbortSignal.abort();
    await assert.rejects(store().writeChunk(place, { index: 0, stream, signal }), hasCode('unavailable'));
    assert.deepEqual(await listIndexes(store(), place), []);
  });

  for (const algorithm of ['crc32', 'sha-256'] as const) {
    test(`refuses a chunk with another ${algorithm}`, async () => {
      const { place, bytes } = await prepareFile(store(), { chunkSize, sizeBytes: 2 * chunkSize });
      const digest = { algorithm, value: Buffer.alloc(algorithm === 'crc32' ? 4 : 32, 7) };
      const stream = inPieces(chunkOf(place, 0, bytes));
      await assert.rejects(
        store().writeChunk(place, { index: 0, stream, digest }),
        hasCode('digest_mismatch'),
      );
      assert.deepEqual(await listIndexes(store(), place), []);
    });
  }
}

export function testSendingAgain({ store, chunkSize }: SuiteContext): void {
  test('returns the same result when the same chunk is sent again', async () => {
    const { place, bytes } = await prepareFile(store(), { chunkSize, sizeBytes: 2 * chunkSize });
    const first = await send(store(), place, 0, bytes);
    assert.deepEqual(await send(store(), place, 0, bytes), first);
    await send(store(), place, 1, bytes);
    assert.deepEqual(await store().seal([place]), [{ crc32: crc32(bytes) }]);
  });

  test('keeps the acknowledged bytes when a repeated chunk fails', async () => {
    const { place, bytes } = await prepareFile(store(), { chunkSize, sizeBytes: 2 * chunkSize });
    await send(store(), place, 0, bytes);
    await send(store(), place, 1, bytes);
    const other = Buffer.alloc(chunkSize, 'z');
    const digest = { algorithm: 'crc32', value: Buffer.alloc(4) } as const;
    const refused = [
      { index: 0, stream: breaksAfter(other.subarray(0, chunkSize - 1)) },
      { index: 0, stream: inPieces(other.subarray(1)) },
      { index: 0, stream: inPieces(Buffer.alloc(chunkSize + 1, 'z')) },
      { index: 0, stream: inPieces(other), digest },
    ];
    for (const chunk of refused) await assert.rejects(store().writeChunk(place, chunk));
    assert.deepEqual(await listIndexes(store(), place), [0, 1]);
    assert.deepEqual(await store().seal([place]), [{ crc32: crc32(bytes) }]);
    assertSameBytes(await readRange(store(), place.storageKey, 0, bytes.length), bytes);
  });

  test('replaces the whole chunk when other bytes are sent', async () => {
    const { place, bytes } = await prepareFile(store(), { chunkSize, sizeBytes: 2 * chunkSize });
    await send(store(), place, 0, bytes);
    await send(store(), place, 1, bytes);
    const other = Buffer.from(bytes);
    randomBytes(chunkSize).copy(other);
    await send(store(), place, 0, other);
    assert.deepEqual(await store().seal([place]), [{ crc32: crc32(other) }]);
    assertSameBytes(await readRange(store(), place.storageKey, 0, other.length), other);
  });

  test('accepts many repeated chunks concurrently', async () => {
    const { place, bytes } = await prepareFile(store(), { chunkSize, sizeBytes: 7 * chunkSize });
    const indexes = [0, 1, 2, 3, 4, 5, 6];
    await Promise.all(indexes.map((index) => send(store(), place, index, Buffer.alloc(bytes.length))));
    await Promise.all(indexes.map((index) => send(store(), place, index, bytes)));
    assert.deepEqual(await store().seal([place]), [{ crc32: crc32(bytes) }]);
    assertSameBytes(await readRange(store(), place.storageKey, 0, bytes.length), bytes);
  });
}

import assert from 'node:assert/strict';
import type { Readable } from 'node:stream';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import type { BlobStore, Place } from '../blob-store.ts';
import {
  assertSameBytes,
  breaksAfter,
  chunkOf,
  hasCode,
  inPieces,
  listIndexes,
  prepareFile,
  readRange,
  send,
} from './blob-store.fixtures.ts';
import type { SuiteContext } from './receiving.suite.ts';

async function grow(store: BlobStore, place: Place, { index, stream }: { index: number; stream: Readable }) {
  return store.growChunk(place, { index, head: await store.findHead(place, index), stream });
}

export function testGrowing({ store, chunkSize }: SuiteContext): void {
  const third = Math.floor(chunkSize / 3);

  test('assembles a chunk from pieces that end or break, and reports its head', async () => {
    const { place, bytes } = await prepareFile(store(), { chunkSize, sizeBytes: 2 * chunkSize });
    const chunk = chunkOf(place, 0, bytes);
    assert.deepEqual(await store().findHead(place, 0), { sizeBytes: 0, crc32: 0 });
    const pieces = [inPieces(chunk.subarray(0, third)), breaksAfter(chunk.subarray(third, 2 * third))];
    for (const [count, stream] of pieces.entries()) {
      const grown = await grow(store(), place, { index: 0, stream });
      const stored = chunk.subarray(0, (count + 1) * third);
      assert.deepEqual(grown, { sizeBytes: stored.length, crc32: crc32(stored) });
      assert.partialDeepStrictEqual(await store().findHead(place, 0), grown);
      assert.deepEqual(await listIndexes(store(), place), []);
    }
    await grow(store(), place, { index: 0, stream: inPieces(chunk.subarray(2 * third)) });
    const whole = { sizeBytes: chunkSize, crc32: crc32(chunk) };
    assert.partialDeepStrictEqual(await store().findHead(place, 0), whole);
    assert.deepEqual(await listIndexes(store(), place), [0]);
    await send(store(), place, 1, bytes);
    assert.deepEqual(await store().seal([place]), [{ crc32: crc32(bytes) }]);
    assertSameBytes(await readRange(store(), place.storageKey, 0, bytes.length), bytes);
  });

  test('keeps the head when the rest is too long or empty', async () => {
    const { place, bytes } = await prepareFile(store(), { chunkSize, sizeBytes: 2 * chunkSize });
    const head = await grow(store(), place, { index: 0, stream: inPieces(bytes.subarray(0, third)) });
    const tooLong = inPieces(Buffer.alloc(chunkSize, 'x'));
    await assert.rejects(grow(store(), place, { index: 0, stream: tooLong }), hasCode('chunk_too_long'));
    assert.deepEqual(await grow(store(), place, { index: 0, stream: inPieces(Buffer.alloc(0)) }), head);
    assert.deepEqual(await store().findHead(place, 0), head);
    await grow(store(), place, { index: 0, stream: inPieces(bytes.subarray(third, chunkSize)) });
    await send(store(), place, 1, bytes);
    assert.deepEqual(await store().seal([place]), [{ crc32: crc32(bytes) }]);
  });

  test('replaces the head when the whole chunk arrives', async () => {
    const { place, bytes } = await prepareFile(store(), { chunkSize, sizeBytes: 1.5 * chunkSize });
    for (const index of [0, 1]) {
      const other = Buffer.alloc(third, 'x');
      await grow(store(), place, { index, stream: inPieces(other) });
      const broken = breaksAfter(chunkOf(place, index, bytes).subarray(0, 2 * third - 1));
      if (index === 0) await assert.rejects(store().writeChunk(place, { index, stream: broken }));
      await send(store(), place, index, bytes);
      assert.equal((await store().findHead(place, index)).sizeBytes, chunkOf(place, index, bytes).length);
    }
    assert.deepEqual(await store().seal([place]), [{ crc32: crc32(bytes) }]);
    assertSameBytes(await readRange(store(), place.storageKey, 0, bytes.length), bytes);
  });

  test('refuses to seal a file with only a head, and removes the head with the file', async () => {
    const { place, bytes } = await prepareFile(store(), { chunkSize, sizeBytes: 1.5 * chunkSize });
    await grow(store(), place, { index: 0, stream: inPieces(bytes.subarray(0, third)) });
    await assert.rejects(store().seal([place]), hasCode('chunks_missing'));
    await store().discard(place);
    await store().prepare(place);
    assert.deepEqual(await store().findHead(place, 0), { sizeBytes: 0, crc32: 0 });
    for await (const { storageKey } of store().list())
      assert.ok(!storageKey.startsWith(`${place.storageKey}-`), storageKey);
  });
}

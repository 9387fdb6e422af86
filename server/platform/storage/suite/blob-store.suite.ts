import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { crc32 } from 'node:zlib';
import { DAY_MS } from '../../../../contracts/values/durations.ts';
import type { BlobStore } from '../blob-store.ts';
import {
  assertSameBytes,
  findBlob,
  hasCode,
  hasDetails,
  layFiles,
  newKey,
  prepareFile,
  readRange,
  sealFile,
  send,
  type TestFile,
} from './blob-store.fixtures.ts';
import { testGrowing } from './growing.suite.ts';
import { type SuiteContext, testReceiving, testRefusing, testSendingAgain } from './receiving.suite.ts';

const NOON = Date.UTC(2026, 10, 15, 12);

type StoreUnderTest = { store: BlobStore; close: () => Promise<void> };

export type SuiteOptions = {
  open: () => Promise<StoreUnderTest>;
  /** For stores with a minimum part size (S3: 5 MiB). */
  chunkSize?: number;
};

export function testBlobStore(name: string, { open, chunkSize = 100_000 }: SuiteOptions): void {
  describe(`${name}: a blob store`, () => {
    let under: StoreUnderTest;
    const context = { store: () => under.store, chunkSize };
    before(async () => {
      under = await open();
    });
    after(() => under.close());
    testReceiving(context);
    testRefusing(context);
    testSendingAgain(context);
    testGrowing(context);
    testSealing(context);
    testReading(context);
    testRemoving(context);
    testTrash(context);
  });
}

function testSealing({ store, chunkSize }: SuiteContext): void {
  test('seals an empty file', async () => {
    const { place } = await prepareFile(store(), { chunkSize, sizeBytes: 0 });
    assert.equal(place.chunkCount, 0);
    assert.deepEqual(await store().listChunks(place), []);
    assert.deepEqual(await store().seal([place]), [{ crc32: 0 }]);
  });

  test('seals twice with the same result', async () => {
    const { place, bytes } = await prepareFile(store(), { chunkSize, sizeBytes: chunkSize + 1 });
    await send(store(), place, 0, bytes);
    await send(store(), place, 1, bytes);
    const sealed = await store().seal([place]);
    assert.deepEqual(await store().seal([place]), sealed);
  });

  test('refuses to seal with missing chunks, and reports which', async () => {
    const whole = await prepareFile(store(), { chunkSize, sizeBytes: 10 });
    await send(store(), whole.place, 0, whole.bytes);
    const { place, bytes } = await prepareFile(store(), { chunkSize, sizeBytes: 4 * chunkSize });
    await send(store(), place, 2, bytes);
    await assert.rejects(
      store().seal([whole.place, place]),
      hasDetails('chunks_missing', { count: 3, missing: [0, 1, 3], position: 1 }),
    );
    for (const index of [0, 1, 3]) await send(store(), place, index, bytes);
    assert.deepEqual(await store().seal([whole.place, place]), [
      { crc32: crc32(whole.bytes) },
      { crc32: crc32(bytes) },
    ]);
  });

  test('seals many small files in one call', async () => {
    const files = layFiles(store(), { chunkSize, sizes: [10, 0, 5000, 1, 777, 0, 64] });
    for (const { place } of files) await store().prepare(place);
    const filled = files.filter(({ place }) => place.chunkCount > 0);
    await Promise.all(filled.map(({ place, bytes }) => send(store(), place, 0, bytes)));
    const sealed = await store().seal(files.map(({ place }) => place));
    assert.deepEqual(
      sealed,
      files.map(({ bytes }) => ({ crc32: crc32(bytes) })),
    );
    for (const { place, bytes } of filled) {
      const { storageKey, offset } = place;
      assertSameBytes(await readRange(store(), storageKey, offset, offset + bytes.length), bytes);
    }
  });

  test('seals for many concurrent callers', async () => {
    const files = layFiles(store(), {
      chunkSize,
      sizes: Array.from({ length: 20 }, (_, index) => index + 1),
    });
    const sealed = await Promise.all(
      files.map(async ({ place, bytes }) => {
        await store().prepare(place);
        await send(store(), place, 0, bytes);
        return store().seal([place]);
      }),
    );
    assert.deepEqual(
      sealed,
      files.map(({ bytes }) => [{ crc32: crc32(bytes) }]),
    );
  });

  test('refuses to seal a discarded file, and keeps the others', async () => {
    const files = layFiles(store(), { chunkSize, sizes: [100, 200, 300] });
    for (const { place, bytes } of files) {
      await store().prepare(place);
      await send(store(), place, 0, bytes);
    }
    const [first, second, third] = files as [TestFile, TestFile, TestFile];
    await store().discard(second.place);
    await store().discard(second.place);
    assert.deepEqual(await store().listChunks(second.place), []);
    await assert.rejects(store().seal([second.place]), hasCode('chunks_missing'));
    const sealed = await store().seal([first.place, third.place]);
    assert.deepEqual(sealed, [{ crc32: crc32(first.bytes) }, { crc32: crc32(third.bytes) }]);
  });

  test('frees a discarded large upload', async () => {
    const { place, bytes } = await prepareFile(store(), { chunkSize, sizeBytes: 3 * chunkSize });
    await send(store(), place, 0, bytes);
    await store().discard(place);
    await store().discard(place);
    assert.deepEqual(await store().listChunks(place), []);
    await assert.rejects(store().openRange(place.storageKey, 0, 1), hasCode('file_not_found'));
  });
}

function testReading({ store, chunkSize }: SuiteContext): void {
  test('reads any range, in views of any sizes', async () => {
    const { place, bytes } = await sealFile(store(), { chunkSize, sizeBytes: 3 * chunkSize });
    const size = bytes.length;
    const ranges = [
      [0, 1],
      [size - 1, size],
      [chunkSize - 1, chunkSize + 1],
      [17, 2 * chunkSize + 5],
      [0, size],
      [5, 5],
    ] as const;
    for (const [start, end] of ranges) {
      assertSameBytes(await readRange(store(), place.storageKey, start, end), bytes.subarray(start, end));
    }
  });

  test('fills thousands of views in turn', async () => {
    const { place, bytes } = await sealFile(store(), { chunkSize, sizeBytes: 20_000 });
    const range = await store().openRange(place.storageKey, 100, 20_000);
    const views = Array.from({ length: 2500 }, (_, index) => Buffer.alloc(index % 4));
    await range.fill(views);
    const rest = Buffer.alloc(1000);
    await range.fill([rest]);
    await range.close();
    const start = Buffer.concat(views);
    assertSameBytes(start, bytes.subarray(100, 100 + start.length));
    assertSameBytes(rest, bytes.subarray(100 + start.length, 1100 + start.length));
  });

  test('throws if a blob is too short', async () => {
    const { place, bytes } = await sealFile(store(), { chunkSize, sizeBytes: chunkSize });
    await assert.rejects(readRange(store(), place.storageKey, 10, bytes.length + 1));
  });

  test('does not find a blob that never existed', async () => {
    await assert.rejects(store().openRange(newKey(), 0, 1), hasCode('file_not_found'));
  });
}

function testRemoving({ store, chunkSize }: SuiteContext): void {
  test('lists its blobs and removes them', async () => {
    const { place, bytes } = await sealFile(store(), { chunkSize, sizeBytes: 1.5 * chunkSize });
    const found = await findBlob(store(), place.storageKey);
    assert.equal(found?.sizeBytes, bytes.length);
    assert.ok(Number.isInteger(found?.modifiedAt));
    await store().remove(place.storageKey);
    await store().remove(place.storageKey);
    assert.equal(await findBlob(store(), place.storageKey), undefined);
    assert.deepEqual(await store().listChunks(place), []);
    await assert.rejects(store().openRange(place.storageKey, 0, 1), hasCode('file_not_found'));
  });

  test('passes its check', async () => {
    await store().check();
    const space = await store().freeSpace();
    assert.ok(space === undefined || (space.freeBytes > 0 && space.freeBytes <= space.totalBytes));
  });
}

function testTrash({ store, chunkSize }: SuiteContext): void {
  const findTrashed = async (storageKey: string) => {
    for await (const blob of store().listTrash()) if (blob.storageKey === storageKey) return blob;
    return undefined;
  };
  const trashNew = async (sizeBytes: number) => {
    const file = await sealFile(store(), { chunkSize, sizeBytes });
    const { storageKey } = file.place;
    const blob = (await findBlob(store(), storageKey))!;
    await store().moveToTrash(blob, NOON);
    await store().moveToTrash(blob, NOON);
    return { ...file, storageKey };
  };

  test('moves a blob to the trash and back intact', async () => {
    for (const sizeBytes of [0, 10, 1.5 * chunkSize]) {
      const { storageKey, place, bytes } = await trashNew(sizeBytes);
      // An empty file has no blob on disk.
      if (bytes.length === 0 && !(await findTrashed(storageKey))) continue;
      assert.equal(await findBlob(store(), storageKey), undefined);
      const trashed = await findTrashed(storageKey);
      assert.equal(trashed?.sizeBytes, bytes.length);
      assert.ok(trashed!.trashedAt >= NOON && trashed!.trashedAt < NOON + DAY_MS);
      assert.equal(await store().restoreFromTrash(storageKey), true);
      assert.equal(await store().restoreFromTrash(storageKey), false);
      assert.equal(await findTrashed(storageKey), undefined);
      assert.equal((await findBlob(store(), storageKey))?.sizeBytes, bytes.length);
      assertSameBytes(await readRange(store(), storageKey, 0, bytes.length), bytes);
      assert.equal((await store().seal([place])).length, 1, 'its notes came back, too');
    }
  });

  test('reads a blob in the trash', async () => {
    const { storageKey, bytes } = await trashNew(chunkSize + 1);
    assertSameBytes(await readRange(store(), storageKey, 0, bytes.length), bytes);
  });

  test('keeps an unfinished upload in the trash, and can continue it', async () => {
    const { place, bytes } = await prepareFile(store(), { chunkSize, sizeBytes: 2 * chunkSize });
    await send(store(), place, 0, bytes);
    await store().moveToTrash((await findBlob(store(), place.storageKey))!, NOON);
    assert.equal(await findBlob(store(), place.storageKey), undefined);
    await store().restoreFromTrash(place.storageKey);
    await send(store(), place, 1, bytes);
    assert.equal((await store().seal([place])).length, 1);
    assertSameBytes(await readRange(store(), place.storageKey, 0, bytes.length), bytes);
  });

  test('deletes blobs in the trash, and nothing outside it', async () => {
    const { storageKey } = await trashNew(10);
    await store().removeFromTrash(storageKey);
    await store().removeFromTrash(storageKey);
    assert.equal(await findTrashed(storageKey), undefined);
    await assert.rejects(store().openRange(storageKey, 0, 1), hasCode('file_not_found'));
    const kept = await sealFile(store(), { chunkSize, sizeBytes: 10 });
    await store().removeFromTrash(kept.place.storageKey);
    assertSameBytes(await readRange(store(), kept.place.storageKey, 0, 10), kept.bytes);
  });

  test('removes a blob also from the trash', async () => {
    const { storageKey } = await trashNew(10);
    await store().remove(storageKey);
    await store().removeFromTrash(storageKey);
    await assert.rejects(store().openRange(storageKey, 0, 1), hasCode('file_not_found'));
    assert.equal(await findTrashed(storageKey), undefined);
  });

  test('lists many blobs without those in the trash', async () => {
    const files = await Promise.all(
      Array.from({ length: 12 }, () => sealFile(store(), { chunkSize, sizeBytes: 5 })),
    );
    const keys = files.map(({ place }) => place.storageKey);
    const gone = keys.filter((_key, index) => index % 3 === 0);
    for (const storageKey of gone) await store().moveToTrash((await findBlob(store(), storageKey))!, NOON);
    const listed = new Set<string>();
    for await (const { storageKey } of store().list()) listed.add(storageKey);
    assert.deepEqual(
      keys.filter((key) => listed.has(key)),
      keys.filter((key) => !gone.includes(key)),
    );
  });
}

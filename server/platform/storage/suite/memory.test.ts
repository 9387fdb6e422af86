import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../../../testing/lib/manual-clock.ts';
import { findBlob, hasCode, layFiles, send } from './blob-store.fixtures.ts';
import { testBlobStore } from './blob-store.suite.ts';
import { MemoryStore } from './memory.ts';

testBlobStore('memory', {
  open: async () => {
    const store = new MemoryStore({ clock: new ManualClock() });
    return { store, close: () => store.close() };
  },
});

test('the memory store is full at its capacity, and accepts more once something is removed', async () => {
  const store = new MemoryStore({ clock: new ManualClock(), capacityBytes: 100 });
  const [first, second] = [60, 60].map((size) => layFiles(store, { chunkSize: 100, sizes: [size] })[0]!);
  await store.prepare(first!.place);
  await store.prepare(second!.place);
  await send(store, first!.place, 0, first!.bytes);
  assert.deepEqual(await store.freeSpace(), { freeBytes: 40, totalBytes: 100 });
  await assert.rejects(send(store, second!.place, 0, second!.bytes), hasCode('storage_full'));
  assert.deepEqual(await store.listChunks(second!.place), []);
  await store.remove(first!.place.storageKey);
  await send(store, second!.place, 0, second!.bytes);
});

test('the memory store dates its blobs by the clock it was given', async () => {
  const clock = new ManualClock();
  const store = new MemoryStore({ clock });
  const [file] = layFiles(store, { chunkSize: 100, sizes: [10] });
  await store.prepare(file!.place);
  clock.advance(5000);
  await send(store, file!.place, 0, file!.bytes);
  assert.equal((await findBlob(store, file!.place.storageKey))?.modifiedAt, clock.now());
});

import assert from 'node:assert/strict';
import { access, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import { MIB } from '../../../../contracts/values/sizes.ts';
import { isAppError } from '../../lib/app-error.ts';
import { systemClock } from '../../lib/clock.ts';
import { locateBlob } from '../disk/blob-files.ts';
import { openDiskStore } from '../disk/disk.ts';
import {
  findBlob,
  layFile,
  layFiles,
  newKey,
  readRange,
  sealFile,
  send,
} from '../suite/blob-store.fixtures.ts';
import { testBlobStore } from '../suite/blob-store.suite.ts';
import { MemoryStore } from '../suite/memory.ts';
import { type Move, moveBlob } from './move-blob.ts';
import { MovingStore } from './moving-store.ts';

const CHUNK = 64 * 1024;
const AT_REST: Move = { pace: async () => undefined, isAtRest: async () => true };

async function open(packs = new Set<string>()) {
  const root = await mkdtemp(join(tmpdir(), 'sendwell-moving-'));
  const disk = await openDiskStore({ root });
  const bucket = new MemoryStore({ clock: systemClock });
  const isOnDisk = (key: string) =>
    access(locateBlob(root, key).bytes).then(
      () => true,
      () => false,
    );
  const store = new MovingStore({ disk, bucket, isOnDisk, isPack: async (key) => packs.has(key) });
  const close = async () => {
    await store.close();
    await rm(root, { recursive: true, force: true });
  };
  return { store, disk, bucket, isOnDisk, close };
}

testBlobStore('moving, with nothing on disk', { chunkSize: CHUNK, open });

test('a file is read from disk until it is moved, then from the bucket; open readers continue', async () => {
  const { store, disk, bucket, isOnDisk, close } = await open();
  const { place, bytes } = await sealFile(disk, { chunkSize: CHUNK, sizeBytes: 11 * MIB });
  const { storageKey } = place;
  const reader = await store.openRange(storageKey, 0, bytes.length);
  const beginning = Buffer.alloc(1000);
  await reader.fill([beginning]);
  const blob = (await findBlob(store, storageKey))!;
  assert.equal(await moveBlob(store, blob, AT_REST), 'moved');
  assert.equal(await isOnDisk(storageKey), false);
  const rest = Buffer.alloc(bytes.length - 1000);
  await reader.fill([rest]);
  await reader.close();
  assert.ok(Buffer.concat([beginning, rest]).equals(bytes));
  assert.ok((await readRange(store, storageKey, 5, bytes.length)).equals(bytes.subarray(5)));
  assert.ok((await readRange(bucket, storageKey, 0, bytes.length)).equals(bytes));
  await store.remove(storageKey);
  assert.equal(await findBlob(store, storageKey), undefined);
  await close();
});

test('the trash contains blobs of both stores', async () => {
  const { store, disk, bucket, close } = await open();
  const keys: string[] = [];
  for (const home of [disk, bucket]) {
    const { place } = await sealFile(home, { chunkSize: CHUNK, sizeBytes: 10 });
    await store.moveToTrash((await findBlob(store, place.storageKey))!, Date.now());
    assert.equal(await findBlob(store, place.storageKey), undefined);
    keys.push(place.storageKey);
  }
  const trashed: string[] = [];
  for await (const { storageKey } of store.listTrash()) trashed.push(storageKey);
  assert.deepEqual(trashed, keys);
  for (const [index, home] of [disk, bucket].entries()) {
    assert.equal(await store.restoreFromTrash(keys[index]!), true);
    assert.ok(await findBlob(home, keys[index]!));
  }
  await close();
});

test('a pack is moved as a whole, and its files keep their offsets', async () => {
  const { store, disk, close } = await open();
  const files = layFiles(disk, { chunkSize: CHUNK, sizes: [10, 20_000, 64 * 1024, 1] });
  for (const { place, bytes } of files) {
    await disk.prepare(place);
    await send(disk, place, 0, bytes);
  }
  await disk.seal(files.map(({ place }) => place));
  const { storageKey } = files[0]!.place;
  assert.equal(await moveBlob(store, (await findBlob(store, storageKey))!, AT_REST), 'moved');
  for (const { place, bytes } of files) {
    const end = place.offset + place.sizeBytes;
    assert.ok((await readRange(store, storageKey, place.offset, end)).equals(bytes));
  }
  await close();
});

test('an upload that began on disk is finished there; refusals have the right position', async () => {
  const { store, disk, bucket, close } = await open();
  const old = layFile({ chunkSize: CHUNK, sizeBytes: 2 * CHUNK });
  await disk.prepare(old.place);
  await send(disk, old.place, 0, old.bytes);
  const fresh = layFile({ chunkSize: CHUNK, sizeBytes: 2 * CHUNK });
  await store.prepare(fresh.place);
  for (const index of [0, 1]) await send(store, fresh.place, index, fresh.bytes);
  const places = [fresh.place, old.place];
  await assert.rejects(store.seal(places), (error) => {
    assert.ok(isAppError(error, 'chunks_missing'));
    assert.deepEqual(error.details, { count: 1, missing: [1], position: 1 });
    return true;
  });
  await send(store, old.place, 1, old.bytes);
  assert.deepEqual(await store.seal(places), [{ crc32: crc32(fresh.bytes) }, { crc32: crc32(old.bytes) }]);
  assert.ok(await findBlob(disk, old.place.storageKey));
  assert.ok(await findBlob(bucket, fresh.place.storageKey));
  await close();
});

test('a place in a pack whose blob was lost in a crash is still on disk', async () => {
  const pack = newKey();
  const { store, disk, bucket, close } = await open(new Set([pack]));
  const { place, bytes } = layFile({ chunkSize: CHUNK, sizeBytes: 500 });
  Object.assign(place, { storageKey: pack });
  await store.prepare(place);
  await send(store, place, 0, bytes);
  await store.seal([place]);
  assert.ok(await findBlob(disk, pack));
  assert.equal(await findBlob(bucket, pack), undefined);
  await close();
});

test('a blob with writers stays, a removed one leaves nothing, and a wrong copy is rejected', async () => {
  const { store, disk, bucket, close } = await open();
  const { place, bytes } = await sealFile(disk, { chunkSize: CHUNK, sizeBytes: 3 * MIB });
  const blob = (await findBlob(store, place.storageKey))!;
  assert.equal(await moveBlob(store, blob, { ...AT_REST, isAtRest: async () => false }), 'busy');
  let looks = 0;
  const beginsAnew = { ...AT_REST, isAtRest: async () => ++looks === 1 };
  assert.equal(await moveBlob(store, blob, beginsAnew), 'busy');
  assert.ok(await findBlob(disk, place.storageKey));

  const { openRange } = bucket;
  bucket.openRange = async (...of) => {
    const range = await openRange.apply(bucket, of);
    const fill = async (views: Buffer[]) => {
      await range.fill(views);
      views[0]![0]! ^= 1;
    };
    return { fill, close: () => range.close() };
  };
  await assert.rejects(moveBlob(store, blob, AT_REST), /other bytes/);
  bucket.openRange = openRange;
  assert.ok((await readRange(store, place.storageKey, 0, bytes.length)).equals(bytes));
  assert.equal(await findBlob(bucket, place.storageKey), undefined);

  let passed = 0;
  const removes = async (count: number) => {
    passed += count;
    if (passed === 3 * MIB) await store.remove(place.storageKey);
  };
  assert.equal(await moveBlob(store, blob, { ...AT_REST, pace: removes }), 'gone');
  assert.equal(await findBlob(store, place.storageKey), undefined);
  await close();
});

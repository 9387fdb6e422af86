import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import {
  chmod,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readlink,
  rename,
  rm,
  stat,
  symlink,
  truncate,
  unlink,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { crc32 } from 'node:zlib';
import type { BlobStore } from '../blob-store.ts';
import {
  assertSameBytes,
  breaksAfter,
  chunkOf,
  findBlob,
  hasCode,
  layFile,
  layFiles,
  listIndexes,
  newKey,
  prepareFile,
  readRange,
  sealFile,
  send,
} from '../suite/blob-store.fixtures.ts';
import { testBlobStore } from '../suite/blob-store.suite.ts';
import { locateBlob } from './blob-files.ts';
import { openDiskStore } from './disk.ts';
import { WRITE_BYTES } from './write-queue.ts';

const MIB = 1024 * 1024;

testBlobStore('disk', {
  // Longer than the first write, so that a failing chunk has already written something.
  chunkSize: MIB + 300_001,
  open: async () => {
    const root = await mkdtemp(join(tmpdir(), 'sendwell-disk-'));
    const store = await openDiskStore({ root });
    return {
      store,
      close: async () => {
        await store.close();
        await rm(root, { recursive: true });
      },
    };
  },
});

test('lists acknowledged chunks after a restart of the process', async (t) => {
  const { root, store } = await openTemporaryStore(t);
  const { place, bytes } = await prepareFile(store, { chunkSize: MIB, sizeBytes: 3 * MIB });
  await send(store, place, 2, bytes);
  await send(store, place, 0, bytes);
  const second = await reopen(t, root);
  assert.deepEqual(await listIndexes(second, place), [0, 2]);
  await second.prepare(place);
  await send(second, place, 1, bytes);
  assert.deepEqual(await second.seal([place]), [{ crc32: crc32(bytes) }]);
});

test('writes nothing that still waits when the lease of the chunk is lost', async (t) => {
  const { store } = await openTemporaryStore(t);
  const { place, bytes } = await prepareFile(store, { chunkSize: MIB, sizeBytes: 2 * MIB });
  // Asked when the bytes arrive, and before each write.
  const answers = [true, true, true];
  const isOurs = () => answers.pop() ?? false;
  const stream = Readable.from([chunkOf(place, 0, bytes)]);
  await assert.rejects(store.writeChunk(place, { index: 0, stream, isOurs }), hasCode('unavailable'));
  const stored = await readRange(store, place.storageKey, 0, MIB);
  const written = 2 * WRITE_BYTES;
  assertSameBytes(stored.subarray(0, written), bytes.subarray(0, written));
  assertSameBytes(stored.subarray(written), Buffer.alloc(MIB - written));
});

test('after a restart of the host, lists only chunks whose bytes are intact', async (t) => {
  const { root, store } = await openTemporaryStore(t, { bootTag: bootTag(1) });
  const { place, bytes } = await prepareFile(store, { chunkSize: 1000, sizeBytes: 4000 });
  for (const index of [0, 1, 3]) await send(store, place, index, bytes);
  await overwrite(pathOf(root, place.storageKey), 1500, Buffer.alloc(1, bytes[1500]! + 1));
  assert.deepEqual(await listIndexes(store, place), [0, 1, 3]);

  const afterRestart = await reopen(t, root, bootTag(2));
  assert.deepEqual(await listIndexes(afterRestart, place), [0, 3]);
  await send(afterRestart, place, 1, bytes);
  await send(afterRestart, place, 2, bytes);
  assert.deepEqual(await afterRestart.seal([place]), [{ crc32: crc32(bytes) }]);
});

test('trusts re-checked chunks until the next restart of the host', async (t) => {
  const { root, store } = await openTemporaryStore(t, { bootTag: bootTag(1) });
  const { place } = await sealFile(store, { chunkSize: 1000, sizeBytes: 2000 });
  const afterRestart = await reopen(t, root, bootTag(2));
  assert.deepEqual(await listIndexes(afterRestart, place), [0, 1]);
  await overwrite(pathOf(root, place.storageKey), 0, randomBytes(2000));
  assert.deepEqual(await listIndexes(await reopen(t, root, bootTag(2)), place), [0, 1]);
  assert.deepEqual(await listIndexes(await reopen(t, root, bootTag(3)), place), []);
});

test('does not list chunks that a power cut truncated', async (t) => {
  const { root, store } = await openTemporaryStore(t, { bootTag: bootTag(1) });
  const { place } = await sealFile(store, { chunkSize: 1000, sizeBytes: 2500 });
  await truncate(pathOf(root, place.storageKey), 2400);
  assert.deepEqual(await listIndexes(await reopen(t, root, bootTag(2)), place), [0, 1]);
});

test('keeps a chunk of an earlier boot when sending it again fails', async (t) => {
  const { root, store } = await openTemporaryStore(t, { bootTag: bootTag(1) });
  const { place, bytes } = await sealFile(store, { chunkSize: 1000, sizeBytes: 2000 });
  const afterRestart = await reopen(t, root, bootTag(2));
  const stream = breaksAfter(Buffer.alloc(999, 'z'));
  await assert.rejects(afterRestart.writeChunk(place, { index: 0, stream }), hasCode('chunk_cut_short'));
  assert.deepEqual(await afterRestart.seal([place]), [{ crc32: crc32(bytes) }]);
  assertSameBytes(await readRange(afterRestart, place.storageKey, 0, 2000), bytes);
});

test('packs thousands of small files into one blob', async (t) => {
  const { root, store } = await openTemporaryStore(t);
  const sizes = Array.from({ length: 1500 }, (_, index) => index % 300);
  const files = layFiles(store, { chunkSize: 1000, sizes });
  await Promise.all(
    files.map(async ({ place, bytes }) => {
      await store.prepare(place);
      if (place.chunkCount > 0) await send(store, place, 0, bytes);
    }),
  );
  const sealed = await store.seal(files.map(({ place }) => place));
  assert.deepEqual(
    sealed,
    files.map(({ bytes }) => ({ crc32: crc32(bytes) })),
  );
  const whole = Buffer.concat(files.map(({ bytes }) => bytes));
  const { storageKey } = files[0]!.place;
  assertSameBytes(await readRange(store, storageKey, 0, whole.length), whole);
  assert.deepEqual(await readdir(join(root, storageKey.slice(0, 2))), [storageKey, `${storageKey}.notes`]);
});

test('lets two processes fill one pack', async (t) => {
  const { root, store } = await openTemporaryStore(t);
  const other = await reopen(t, root);
  const files = layFiles(store, { chunkSize: 1000, sizes: [900, 800, 700, 600] });
  for (const [index, { place, bytes }] of [...files.entries()].reverse()) {
    const process = index % 2 === 0 ? store : other;
    await process.prepare(place);
    await send(process, place, 0, bytes);
  }
  const whole = Buffer.concat(files.map(({ bytes }) => bytes));
  await other.seal(files.map(({ place }) => place));
  assertSameBytes(await readRange(store, files[0]!.place.storageKey, 0, 3000), whole);
});

test('receives a chunk byte by byte', async (t) => {
  const { store } = await openTemporaryStore(t);
  const { place, bytes } = await prepareFile(store, { chunkSize: 5000, sizeBytes: 5000 });
  const stream = Readable.from(Array.from(bytes, (byte) => Buffer.of(byte)));
  await store.writeChunk(place, { index: 0, stream });
  assertSameBytes(await readRange(store, place.storageKey, 0, 5000), bytes);
});

test('applies back-pressure while the disk is slow', async (t) => {
  const { store } = await openTemporaryStore(t);
  const { place } = await prepareFile(store, { chunkSize: 64 * MIB, sizeBytes: 64 * MIB });
  let pushed = 0;
  const stream = new Readable({
    highWaterMark: 65_536,
    read() {
      // Within one turn of the event loop, so that no write can end in between.
      if (pushed === 64 * MIB) this.push(null);
      else this.push(Buffer.alloc(65_536));
      pushed += 65_536;
    },
  });
  const written = store.writeChunk(place, { index: 0, stream });
  await new Promise<void>((resolve) => stream.once('pause', resolve));
  assert.ok(pushed <= 3 * MIB, `${pushed} bytes were taken before the first write ended`);
  stream.destroy();
  await assert.rejects(written, hasCode('chunk_cut_short'));
});

test('reports a full disk, records nothing, and continues afterwards', async (t) => {
  const { root, store } = await openTemporaryStore(t);
  const [full] = layFiles(store, { chunkSize: 1000, sizes: [1000] });
  await store.prepare(full!.place);
  await replaceByDevice(root, full!.place.storageKey, '/dev/full');
  await assert.rejects(send(store, full!.place, 0, full!.bytes), hasCode('storage_full'));
  assert.deepEqual(await listIndexes(store, full!.place), []);
  const { place, bytes } = await sealFile(store, { chunkSize: 1000, sizeBytes: 2000 });
  assertSameBytes(await readRange(store, place.storageKey, 0, 2000), bytes);
});

test('lists no chunks that the disk failed to sync', async (t) => {
  const { root, store } = await openTemporaryStore(t);
  const [file] = layFiles(store, { chunkSize: 1000, sizes: [1000] });
  await store.prepare(file!.place);
  // Accepts every byte, but fsync fails.
  await replaceByDevice(root, file!.place.storageKey, '/dev/null');
  await send(store, file!.place, 0, file!.bytes);
  assert.deepEqual(await listIndexes(store, file!.place), [0]);
  await assert.rejects(store.seal([file!.place]), { code: 'EINVAL' });
  assert.deepEqual(await listIndexes(store, file!.place), []);
  await assert.rejects(store.seal([file!.place]), hasCode('chunks_missing'));
});

test('keeps reading a blob that is removed meanwhile', {
  skip: process.platform !== 'linux',
}, async (t) => {
  const { root, store } = await openTemporaryStore(t);
  const { place, bytes } = await sealFile(store, { chunkSize: MIB, sizeBytes: 2 * MIB });
  const range = await store.openRange(place.storageKey, 0, 2 * MIB);
  const [first, second] = [Buffer.alloc(MIB), Buffer.alloc(MIB)];
  await range.fill([first]);
  await store.remove(place.storageKey);
  assert.deepEqual(await readdir(join(root, place.storageKey.slice(0, 2))), []);
  await range.fill([second]);
  assert.equal(await countOpenFiles(root), 1);
  await range.close();
  assert.equal(await countOpenFiles(root), 0);
  assertSameBytes(Buffer.concat([first, second]), bytes);
});

test('refuses a chunk for a blob that was removed', async (t) => {
  const { store } = await openTemporaryStore(t);
  const { place, bytes } = await prepareFile(store, { chunkSize: 1000, sizeBytes: 2000 });
  await send(store, place, 0, bytes);
  await store.remove(place.storageKey);
  await assert.rejects(send(store, place, 1, bytes), hasCode('upload_not_found'));
  assert.deepEqual(await listIndexes(store, place), []);
});

test('keeps few files open, however many it has used', { skip: process.platform !== 'linux' }, async (t) => {
  const { root, store } = await openTemporaryStore(t);
  for (let index = 0; index < 80; index += 1) await sealFile(store, { chunkSize: 10, sizeBytes: 20 });
  assert.ok((await countOpenFiles(root)) <= 128);
  await store.close();
  assert.equal(await countOpenFiles(root), 0);
});

test('closes the files of refused chunks', {
  skip: process.platform !== 'linux',
}, async (t) => {
  const { root, store } = await openTemporaryStore(t);
  const { place } = await prepareFile(store, { chunkSize: 1000, sizeBytes: 9000 });
  const streams = Array.from({ length: 9 }, () => breaksAfter(Buffer.alloc(500)));
  await Promise.allSettled(streams.map((stream, index) => store.writeChunk(place, { index, stream })));
  await store.remove(place.storageKey);
  await store.close();
  assert.equal(await countOpenFiles(root), 0);
});

test('lets nothing but a storage key become part of a path', async (t) => {
  const { store } = await openTemporaryStore(t);
  const keys = ['', 'short', '../../../../etc/passwd', `${newKey()}/x`, `${newKey()}.notes`, 'A'.repeat(32)];
  for (const storageKey of [...keys, 'a'.repeat(65), `${newKey()}\0`]) {
    const { place } = layFile({ chunkSize: 10, sizeBytes: 20 });
    await assert.rejects(store.prepare({ ...place, storageKey }), TypeError);
    await assert.rejects(store.openRange(storageKey, 0, 1), TypeError);
    await assert.rejects(store.remove(storageKey), TypeError);
  }
});

test('preallocates a large upload, and never truncates it', async (t) => {
  const { root, store } = await openTemporaryStore(t);
  const { place, bytes } = await prepareFile(store, { chunkSize: 1000, sizeBytes: 2500 });
  assert.equal((await stat(pathOf(root, place.storageKey))).size, 2500);
  await send(store, place, 2, bytes);
  await (await reopen(t, root)).prepare({ ...place, sizeBytes: 1500, chunkCount: 2 });
  assertSameBytes(await readRange(store, place.storageKey, 2000, 2500), chunkOf(place, 2, bytes));
});

test('keeps stored files from other users of the machine', async (t) => {
  const { root, store } = await openTemporaryStore(t);
  await chmod(root, 0o755);
  const { place } = await prepareFile(store, { chunkSize: 1000, sizeBytes: 2000 });
  for (const path of [pathOf(root, place.storageKey), `${pathOf(root, place.storageKey)}.notes`]) {
    assert.equal((await stat(path)).mode & 0o077, 0);
  }
});

test('a blob that a crash left half-way to the trash is listed, and moved by the next sweep', async (t) => {
  const { root, store } = await openTemporaryStore(t);
  const { place, bytes } = await sealFile(store, { chunkSize: MIB, sizeBytes: 1000 });
  const { storageKey } = place;
  const now = Date.now();
  const blob = { storageKey, sizeBytes: 1000, modifiedAt: now };
  const day = join(root, 'trash', new Date(now).toISOString().slice(0, 10));
  await mkdir(day, { recursive: true });
  const { notes } = locateBlob(root, storageKey);
  await rename(notes, join(day, basename(notes)));
  assert.ok(await findBlob(store, storageKey), 'its bytes are still in place');
  await store.moveToTrash(blob, now);
  assert.equal(await findBlob(store, storageKey), undefined);
  const other = await reopen(t, root);
  assert.equal(await other.restoreFromTrash(storageKey), true);
  assertSameBytes(await readRange(other, storageKey, 0, bytes.length), bytes);
  assert.equal((await other.seal([place])).length, 1, 'its notes came back, too');
});

test('leaves nothing behind after a check', async (t) => {
  const { root, store } = await openTemporaryStore(t);
  await Promise.all([store.check(), store.check()]);
  assert.deepEqual(await readdir(root), []);
  await rm(root, { recursive: true });
  await assert.rejects(store.check());
  await (await reopen(t, root)).check();
});

test('closing waits for a running check, which leaves no file behind', async (t) => {
  const { root, store } = await openTemporaryStore(t);
  const before = await readdir(root);
  let hasEnded = false;
  void store.check().finally(() => {
    hasEnded = true;
  });
  await store.close();
  assert.ok(hasEnded);
  assert.deepEqual(await readdir(root), before);
});

async function openTemporaryStore(t: TestContext, options: { bootTag?: Buffer } = {}) {
  const root = await mkdtemp(join(tmpdir(), 'sendwell-disk-'));
  const store = await openDiskStore({ root, ...options });
  t.after(async () => {
    await store.close();
    await rm(root, { recursive: true, force: true });
  });
  return { root, store };
}

async function reopen(t: TestContext, root: string, tag?: Buffer): Promise<BlobStore> {
  const store = await openDiskStore({ root, bootTag: tag });
  t.after(() => store.close());
  return store;
}

function bootTag(fill: number): Buffer {
  return Buffer.alloc(8, fill);
}

function pathOf(root: string, storageKey: string): string {
  return join(root, storageKey.slice(0, 2), storageKey);
}

async function overwrite(path: string, position: number, bytes: Buffer): Promise<void> {
  const handle = await open(path, 'r+');
  await handle.write(bytes, 0, bytes.length, position);
  await handle.close();
}

async function replaceByDevice(root: string, storageKey: string, device: string): Promise<void> {
  await unlink(pathOf(root, storageKey));
  await symlink(device, pathOf(root, storageKey));
}

async function countOpenFiles(root: string): Promise<number> {
  const descriptors = await readdir('/proc/self/fd');
  const targets = await Promise.all(descriptors.map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')));
  return targets.filter((target) => target.startsWith(root)).length;
}

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, afterEach, before, describe, test } from 'node:test';
import { crc32 } from 'node:zlib';
import { onlyInAll } from '../../../../testing/lib/only-in-all.ts';
import { type FaultProxy, startFaultProxy } from '../../../../testing/network/fault-proxy.ts';
import {
  isUnavailable,
  layFile,
  listKeys,
  read,
  sealFile,
  send,
  sendFile,
} from '../../../../testing/storage/s3-files.ts';
import { isS3ServerInstalled, openS3Server, type S3Server } from '../../../../testing/storage/s3-server.ts';
import { MIN_PART_BYTES } from '../../../../testing/storage/swift-config.ts';
import { isAppError } from '../../lib/app-error.ts';
import { testBlobStore } from '../suite/blob-store.suite.ts';
import { memoryPartNotes } from './part-notes.fixtures.ts';
import { openS3BlobStore, type S3StoreOptions } from './s3.ts';
import {
  FAULTS,
  first,
  type S3Context,
  testJoiningThroughFaults,
  testReadingThroughFaults,
  testWritingThroughFaults,
} from './s3-faults.suite.ts';

const BUCKET = `sendwell-tests-${randomUUID()}`;
if (isS3ServerInstalled()) testS3();
else test('S3', { skip: 'OpenStack Swift is missing: run bin/install-test-servers.ts' });

function testS3(): void {
  let server: S3Server;
  let proxy: FaultProxy;
  before(async () => {
    server = await openS3Server();
    await server.createBucket(BUCKET);
    proxy = await startFaultProxy(server.endpoint);
  });
  after(async () => {
    await proxy?.stop();
    await server?.stop();
  });
  afterEach(() => {
    proxy.decide = () => undefined;
    proxy.seen.length = 0;
  });

  const open = (options: Partial<S3StoreOptions> = {}) => {
    const { region, accessKeyId, secretAccessKey } = server;
    const access = { bucket: BUCKET, endpoint: proxy.endpoint, region, accessKeyId, secretAccessKey };
    return openS3BlobStore({
      ...access,
      firstPauseMs: 5,
      forcePathStyle: true,
      notes: memoryPartNotes(),
      ...options,
    });
  };
  const context: S3Context = { proxy: () => proxy, open };

  testBlobStore('S3', {
    chunkSize: MIN_PART_BYTES,
    open: async () => {
      const store = await open({ endpoint: server.endpoint });
      return { store, close: () => store.close() };
    },
  });
  describe('S3: writing through faults', onlyInAll, () => testWritingThroughFaults(context));
  describe('S3: joining through faults', () => testJoiningThroughFaults(context));
  describe('S3: reading through faults', () => testReadingThroughFaults(context));
  describe('S3: recovering', () => testRecovering(context));
  describe('S3: sharing a bucket', () => testSharing(context));
  describe('S3: buffering chunks', () => testBuffering(context));
}

function testRecovering({ open }: S3Context): void {
  test('seals again after a crash between joining and recording it', async () => {
    const notes = memoryPartNotes();
    const before = await open({ notes });
    const { place, bytes } = await sendFile(before, 2);
    await before.seal([place]);
    await before.close();
    const store = await open({ notes });
    assert.equal((await store.listChunks(place)).length, 2);
    assert.deepEqual(await store.seal([place]), [{ crc32: crc32(bytes) }]);
    await store.close();
  });

  test('reports a part that does not match its note, and accepts it again', async () => {
    const notes = memoryPartNotes();
    const store = await open({ notes });
    const { place, bytes } = await sendFile(store, 5);
    const [, part] = await notes.listParts(place.storageKey);
    await notes.savePart(place.storageKey, { ...part!, etag: '"00000000000000000000000000000000"' });
    await assert.rejects(store.seal([place]), (error) => {
      assert.ok(isAppError(error, 'chunks_missing'), String(error));
      assert.deepEqual(error.details, { count: 1, missing: [1], position: 0 });
      return true;
    });
    assert.deepEqual(
      (await store.listChunks(place)).map(({ index }) => index),
      [0, 2, 3, 4],
    );
    await send(store, place, 1, bytes);
    assert.deepEqual(await store.seal([place]), [{ crc32: crc32(bytes) }]);
    await store.close();
  });

  test('begins again when S3 has deleted the unfinished upload', async () => {
    const [notes, otherNotes] = [memoryPartNotes(), memoryPartNotes()];
    const [store, other] = [await open({ notes }), await open({ notes: otherNotes })];
    const { place, bytes } = await sendFile(store, 2);
    const throwAway = async () => {
      const multipart = (await notes.findMultipart(place.storageKey))!;
      await otherNotes.saveMultipart(place.storageKey, multipart);
      await other.remove(place.storageKey);
    };
    await throwAway();
    await assert.rejects(store.seal([place]), (error) => isAppError(error, 'chunks_missing'));
    assert.deepEqual(await store.listChunks(place), []);
    await throwAway();
    const again = [0, 1].map((index) => send(store, place, index, bytes));
    const refused = (await Promise.allSettled(again)).filter((result) => result.status === 'rejected');
    assert.ok(refused.length > 0);
    for (const { reason } of refused) assert.ok(isUnavailable(reason));
    for (const index of [0, 1]) await send(store, place, index, bytes);
    assert.deepEqual(await store.seal([place]), [{ crc32: crc32(bytes) }]);
    for (const one of [store, other]) await one.close();
  });

  test('finds and frees unfinished uploads whose ids were lost', async () => {
    const lost = Array.from({ length: 4 }, () => layFile(2).place);
    const before = await open();
    for (const place of lost) await before.prepare(place);
    await before.close();
    const store = await open();
    const keys = lost.map((place) => place.storageKey).sort();
    const listed = async () => (await listKeys(store)).filter((key) => keys.includes(key)).sort();
    assert.deepEqual(await listed(), keys);
    for (const key of keys) await store.remove(key);
    assert.deepEqual(await listed(), []);
    await store.close();
  });
}

function testSharing({ open }: S3Context): void {
  test('stores with different prefixes see no objects or unfinished uploads of each other', async () => {
    const prefixes = ['one/', 'one/inner/', 'one-more/'];
    const stores = await Promise.all(prefixes.map((prefix) => open({ prefix })));
    const keys: string[][] = [];
    for (const store of stores) {
      const { place, bytes } = await sealFile(store, 1);
      const unfinished = layFile(2).place;
      await store.prepare(unfinished);
      assert.ok((await read(store, place)).equals(bytes));
      keys.push([place.storageKey, unfinished.storageKey].sort());
    }
    const listed = await Promise.all(stores.map(async (store) => (await listKeys(store)).sort()));
    assert.deepEqual(listed, keys);
    for (const [index, store] of stores.entries()) {
      for (const key of keys[(index + 1) % stores.length]!) {
        await assert.rejects(store.openRange(key, 0, 1), (error) => isAppError(error, 'file_not_found'));
        await store.remove(key);
      }
    }
    assert.deepEqual(await Promise.all(stores.map(async (store) => (await listKeys(store)).sort())), keys);
    for (const store of stores) await store.close();
  });
}

function testBuffering({ proxy, open }: S3Context): void {
  test('spills chunks to a file when memory is used up, and leaves none behind', async () => {
    const spillFolder = await mkdtemp(join(tmpdir(), 'sendwell-spill-'));
    const store = await open({ memoryBytes: 100_000, spillFolder });
    const files = Array.from({ length: 4 }, () => layFile(1));
    proxy().decide = first(2, ({ method }) => method === 'PUT', FAULTS['a cut request']!);
    await Promise.all(files.map(({ place, bytes }) => send(store, place, 0, bytes)));
    await store.seal(files.map(({ place }) => place));
    for (const { place, bytes } of files) assert.ok((await read(store, place)).equals(bytes));
    assert.deepEqual(await readdir(spillFolder), []);
    await store.close();
    await rm(spillFolder, { recursive: true });
  });

  test('appends to a chunk without listing the parts of its blob', async () => {
    const notes = memoryPartNotes();
    const listed: string[] = [];
    const listParts = (storageKey: string) => {
      listed.push(storageKey);
      return notes.listParts(storageKey);
    };
    const store = await open({ notes: { ...notes, listParts } });
    const { place, bytes } = layFile(2);
    await store.prepare(place);
    const chunk = bytes.subarray(0, place.chunkSize);
    for (const part of [chunk.subarray(0, 1_000), chunk.subarray(1_000)]) {
      const head = await store.findHead(place, 0);
      await store.growChunk(place, { index: 0, head, stream: Readable.from([part]) });
    }
    assert.deepEqual(await store.findHead(place, 0), { sizeBytes: chunk.length, crc32: crc32(chunk) });
    assert.ok(!listed.includes(place.storageKey));
    await store.remove(place.storageKey);
    await store.close();
  });

  test('sends no bytes of a refused chunk to S3', async () => {
    const store = await open();
    const { place, bytes } = layFile(1);
    const digest = { algorithm: 'crc32', value: Buffer.alloc(4) } as const;
    const refused = [
      { index: 0, stream: Readable.from([bytes]), digest },
      { index: 0, stream: Readable.from([bytes, bytes]) },
      { index: 0, stream: Readable.from([bytes.subarray(1)]) },
    ];
    for (const chunk of refused) await assert.rejects(store.writeChunk(place, chunk));
    assert.deepEqual(proxy().seen, []);
    await store.close();
  });
}

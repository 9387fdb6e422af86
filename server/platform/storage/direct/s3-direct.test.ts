import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, afterEach, before, test } from 'node:test';
import { crc32 } from 'node:zlib';
import { type BucketProxy, startBucketProxy } from '../../../../testing/storage/bucket-proxy.ts';
import { layFile, listKeys, read, send } from '../../../../testing/storage/s3-files.ts';
import { isS3ServerInstalled, openS3Server, type S3Server } from '../../../../testing/storage/s3-server.ts';
import { type BlobStore, chunkLengthAt, DirectRefusal, type Place } from '../blob-store.ts';
import { memoryPartNotes } from '../s3/part-notes.fixtures.ts';
import { openS3BlobStore } from '../s3/s3.ts';

const BUCKET = `direct-tests-${randomUUID()}`;
const PAGE = 'http://localhost:3000';

if (isS3ServerInstalled()) testDirect();
else test('S3 direct', { skip: 'OpenStack Swift is missing: run bin/install-test-servers.ts' });

function testDirect(): void {
  let server: S3Server;
  let proxy: BucketProxy;
  before(async () => {
    server = await openS3Server();
    await server.createBucket(BUCKET);
    proxy = await startBucketProxy(server);
  });
  after(async () => {
    await proxy?.stop();
    await server?.stop();
  });
  afterEach(() => {
    Object.assign(proxy, { origins: [], checksums: false, refuse: undefined });
    proxy.seen.length = 0;
  });

  const open = (direct = true, prefix?: string) => {
    const { region, accessKeyId, secretAccessKey } = server;
    const access = { bucket: BUCKET, endpoint: proxy.endpoint, region, accessKeyId, secretAccessKey };
    return openS3BlobStore({ ...access, forcePathStyle: true, notes: memoryPartNotes(), direct, prefix });
  };
  const openProved = async () => {
    Object.assign(proxy, { origins: [PAGE], checksums: true });
    const store = await open();
    await store.direct!.verify(PAGE);
    return store;
  };

  test('by default sends no headers that R2, B2, Wasabi or Garage refuse', async () => {
    const store = await open(false);
    for (const count of [1, 3]) {
      const { place, bytes } = layFile(count);
      await store.prepare(place);
      for (let index = 0; index < count; index += 1) await send(store, place, index, bytes);
      await store.seal([place]);
      assert.ok((await read(store, place)).equals(bytes));
      await listKeys(store);
      await store.remove(place.storageKey);
    }
    await store.check();
    assert.ok(proxy.seen.length > 12);
    for (const { method, url, headers } of proxy.seen) {
      const names = Object.keys(headers).join(' ');
      assert.doesNotMatch(names, /x-amz-(checksum|sdk-checksum|trailer|decoded)|transfer-encoding/, url);
      assert.notEqual(headers['content-encoding'], 'aws-chunked');
      assert.doesNotMatch(String(headers['x-amz-content-sha256']), /STREAMING/);
      assert.doesNotMatch(url, /[?&]delete\b|checksum/i, 'objects are deleted one by one');
      assert.ok(url.startsWith(`/${BUCKET}`), 'path style');
      if (method === 'GET' && url.includes('prefix=') && !url.includes('uploads'))
        assert.match(url, /list-type=2/);
      if (method === 'PUT') assert.ok(Number(headers['content-length']) > 0);
    }
    await store.close();
  });

  test('direct access is off by default', async () => {
    const store = await open(false);
    assert.equal(store.direct, undefined);
    await store.close();
  });

  test('detects that the bucket refuses preflight requests, and shows the missing CORS rule', async () => {
    proxy.checksums = true;
    const { error, store } = await proofOf(open);
    assert.match(error.message, /does not let pages of http:\/\/localhost:3000 upload/);
    const [rule] = JSON.parse(/\[.*\]$/.exec(error.fix)![0]) as [Record<string, unknown>];
    assert.deepEqual(rule.AllowedOrigins, [PAGE]);
    assert.deepEqual(rule.AllowedMethods, ['PUT']);
    await requireClosed(store);
  });

  test('detects a store that does not verify checksums, such as Swift', async () => {
    proxy.origins = [PAGE];
    const { error, store } = await proofOf(open);
    assert.match(error.message, /accepts other bytes than were signed/);
    assert.match(error.fix, /x-amz-checksum-crc32/);
    await requireClosed(store);
  });

  test('detects that browsers cannot reach the bucket', async () => {
    const store = await open();
    for (const page of ['https://send.example', 'http://send.example']) {
      await assert.rejects(store.direct!.verify(page), (error) => {
        assert.ok(error instanceof DirectRefusal);
        assert.match(error.message, /cannot reach/);
        return true;
      });
    }
    assert.deepEqual(proxy.seen, []);
    await store.close();
  });

  test('verification leaves nothing behind', async () => {
    const store = await openProved();
    assert.deepEqual(await listKeys(store), []);
    await store.close();
  });

  test('a file is uploaded and downloaded directly, and only parts in the bucket count', async () => {
    const store = await openProved();
    const { place, bytes } = layFile(3);
    await store.prepare(place);
    const [first, second, third] = [0, 1, 2].map((index) => chunkOf(place, index, bytes));
    assert.deepEqual(await store.direct!.confirmChunks(place, [0, 1, 2]), []);
    assert.equal(await putSigned(store, place, 0, first!), 200);
    const signed = await store.direct!.signChunk(place, { index: 1, crc32: crc32(second!) });
    assert.deepEqual(await store.direct!.confirmChunks(place, [0, 1, 2]), [0]);
    assert.equal(await put(signed!, Buffer.alloc(second!.length)), 400, 'other bytes');
    proxy.checksums = false;
    assert.equal(await put(signed!, third!), 403, 'another length');
    proxy.checksums = true;
    const small = await store.direct!.signChunk(place, { index: 2, crc32: crc32(third!) });
    assert.equal(await put({ url: small!.url, headers: {} }, third!), 403, 'no sum');
    assert.deepEqual(await store.direct!.confirmChunks(place, [1]), []);
    await send(store, place, 1, bytes);
    assert.equal(await putSigned(store, place, 2, third!), 200);
    assert.deepEqual(await store.direct!.confirmChunks(place, [2]), [2]);
    assert.deepEqual(await store.seal([place]), [{ crc32: crc32(bytes) }]);
    assert.ok((await read(store, place)).equals(bytes));

    const head = { contentType: 'text/x-odd', contentDisposition: `attachment; filename*=UTF-8''%C3%A4.txt` };
    const url = (await store.direct!.signRead(place, head))!;
    assert.equal(new URL(url).searchParams.get('X-Amz-Expires'), '300', 'URLs cannot be revoked');
    const answer = await fetch(url, { headers: { range: `bytes=${place.chunkSize - 5}-` } });
    assert.equal(answer.status, 206);
    assert.equal(answer.headers.get('content-disposition'), head.contentDisposition);
    assert.equal(answer.headers.get('content-type'), head.contentType);
    assert.ok(Buffer.from(await answer.arrayBuffer()).equals(bytes.subarray(place.chunkSize - 5)));
    const half = { ...place, sizeBytes: place.sizeBytes - 1 };
    assert.equal(await store.direct!.signRead(half, head), undefined, 'a part of an object is no file');
    await store.remove(place.storageKey);
    assert.equal(await store.direct!.signRead(place, head), undefined);
    await store.close();
  });

  test('signs a chunk for one checksum only, and no small files or uploads without checksums', async () => {
    const store = await openProved();
    const { place } = layFile(2);
    await store.prepare(place);
    assert.ok(await store.direct!.signChunk(place, { index: 0, crc32: 1 }));
    assert.equal(await store.direct!.signChunk(place, { index: 0, crc32: 2 }), undefined);
    assert.ok(await store.direct!.signChunk(place, { index: 0, crc32: 1 }));
    assert.equal(await store.direct!.signChunk(layFile(1).place, { index: 0, crc32: 1 }), undefined);
    await assert.rejects(store.direct!.signChunk(place, { index: 2, crc32: 1 }));
    const fresh = await open();
    const { place: plain, bytes } = layFile(2);
    await fresh.prepare(plain);
    await fresh.direct!.verify(PAGE);
    assert.equal(await fresh.direct!.signChunk(plain, { index: 0, crc32: 1 }), undefined);
    for (const index of [0, 1]) await send(fresh, plain, index, bytes);
    assert.deepEqual(await fresh.seal([plain]), [{ crc32: crc32(bytes) }]);
    for (const one of [store, fresh]) await one.close();
  });

  test('signs only URLs below its own prefix', async () => {
    Object.assign(proxy, { origins: [PAGE], checksums: true });
    const store = await open(true, 'team-a/files/');
    await store.direct!.verify(PAGE);
    const { place, bytes } = layFile(2);
    await store.prepare(place);
    const key = `/${BUCKET}/team-a/files/${place.storageKey}`;
    const signed = await store.direct!.signChunk(place, { index: 0, crc32: 1 });
    assert.equal(new URL(signed!.url).pathname, key);
    for (const index of [0, 1]) await send(store, place, index, bytes);
    await store.seal([place]);
    const head = { contentType: 'text/plain', contentDisposition: 'attachment' };
    assert.equal(new URL((await store.direct!.signRead(place, head))!).pathname, key);
    await store.remove(place.storageKey);
    await store.close();
  });

  test('a part that was replaced after its confirmation is not joined', async () => {
    const store = await openProved();
    const { place, bytes } = layFile(2);
    await store.prepare(place);
    const other = Buffer.alloc(place.chunkSize, 'x');
    const signed = (await store.direct!.signChunk(place, { index: 0, crc32: crc32(other) }))!;
    for (const index of [0, 1]) await send(store, place, index, bytes);
    assert.equal(await put(signed, other), 200);
    await assert.rejects(store.seal([place]), /chunk/i);
    assert.deepEqual(
      (await store.listChunks(place)).map(({ index }) => index),
      [1],
    );
    await send(store, place, 0, bytes);
    assert.deepEqual(await store.seal([place]), [{ crc32: crc32(bytes) }]);
    await store.close();
  });
}

async function proofOf(open: () => Promise<BlobStore>) {
  const store = await open();
  const error = await store.direct!.verify(PAGE).then(
    () => assert.fail('nothing was found'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof DirectRefusal, String(error));
  return { error, store };
}

async function requireClosed(store: BlobStore): Promise<void> {
  assert.equal(store.direct!.isOpen, false);
  const { place } = layFile(2);
  await store.prepare(place);
  assert.equal(await store.direct!.signChunk(place, { index: 0, crc32: 1 }), undefined);
  await store.remove(place.storageKey);
  await store.close();
}

function chunkOf(place: Place, index: number, bytes: Buffer): Buffer {
  const start = index * place.chunkSize;
  return bytes.subarray(start, start + chunkLengthAt(place, index));
}

async function putSigned(store: BlobStore, place: Place, index: number, bytes: Buffer): Promise<number> {
  const signed = await store.direct!.signChunk(place, { index, crc32: crc32(bytes) });
  return put(signed!, bytes);
}

async function put(
  { url, headers }: { url: string; headers: Record<string, string> },
  bytes: Buffer,
): Promise<number> {
  const answer = await fetch(url, { method: 'PUT', headers, body: new Uint8Array(bytes) });
  await answer.arrayBuffer();
  return answer.status;
}

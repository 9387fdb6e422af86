import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import type { Fault, FaultProxy, SeenRequest } from '../../../../testing/network/fault-proxy.ts';
import {
  isUnavailable,
  layFile,
  read,
  sealFile,
  send,
  sendFile,
} from '../../../../testing/storage/s3-files.ts';
import { isAppError } from '../../lib/app-error.ts';
import type { BlobStore } from '../blob-store.ts';
import type { S3StoreOptions } from './s3.ts';

export const FAULTS: Record<string, Fault> = {
  'a 500': { kind: 'answer', status: 500, code: 'InternalError' },
  'a 503': { kind: 'answer', status: 503, code: 'SlowDown' },
  'an error in a 200': { kind: 'answer', status: 200, code: 'InternalError' },
  'a cut request': { kind: 'cut-request' },
  'a lost answer': { kind: 'lose-answer' },
  silence: { kind: 'silence' },
};

export type S3Context = {
  proxy: () => FaultProxy;
  open: (options?: Partial<S3StoreOptions>) => Promise<BlobStore>;
};

export function testWritingThroughFaults({ proxy, open }: S3Context): void {
  for (const [name, fault] of Object.entries(FAULTS)) {
    for (const chunkCount of [1, 2]) {
      const what = chunkCount === 1 ? 'a small file' : 'a part';
      const isWrite = ({ method, url }: SeenRequest) =>
        method === 'PUT' && url.includes('partNumber=') === chunkCount > 1;

      test(`stores ${what} after ${name}`, async () => {
        const store = await open(timesFor(fault));
        const { place, bytes } = layFile(chunkCount);
        await store.prepare(place);
        proxy().decide = first(1, isWrite, fault);
        for (let index = 0; index < chunkCount; index += 1) await send(store, place, index, bytes);
        assert.ok(proxy().seen.filter(isWrite).length > chunkCount);
        assert.deepEqual(await store.seal([place]), [{ crc32: crc32(bytes) }]);
        assert.ok((await read(store, place)).equals(bytes));
        await store.close();
      });
    }

    test(`acknowledges nothing when every request fails with ${name}`, async () => {
      const store = await open(timesFor(fault));
      const { place, bytes } = layFile(1);
      proxy().decide = () => fault;
      await assert.rejects(send(store, place, 0, bytes), isUnavailable);
      assert.equal(proxy().seen.length, 5);
      assert.deepEqual(await store.listChunks(place), []);
      proxy().decide = () => undefined;
      await assert.rejects(store.seal([place]), (error) => isAppError(error, 'chunks_missing'));
      await store.close();
    });
  }

  test('does not retry requests that S3 refuses', async () => {
    const store = await open({ secretAccessKey: 'forged' });
    const { place, bytes } = layFile(1);
    await assert.rejects(send(store, place, 0, bytes), isUnavailable);
    assert.equal(proxy().seen.length, 1);
    await assert.rejects(store.check(), isUnavailable);
    await store.close();
  });

  test('fails fast when the bucket does not respond', async () => {
    const store = await open();
    proxy().decide = () => FAULTS['a 503'];
    await assert.rejects(store.check(), isUnavailable);
    assert.equal(proxy().seen.length, 1);
    await store.close();
  });
}

export function testJoiningThroughFaults({ proxy, open }: S3Context): void {
  const isJoin = ({ method, url }: SeenRequest) => method === 'POST' && url.includes('uploadId=');

  for (const [name, fault] of Object.entries(FAULTS)) {
    test(`joins the parts after ${name}`, async () => {
      const store = await open(timesFor(fault));
      const { place, bytes } = await sendFile(store, 2);
      proxy().decide = first(1, isJoin, fault);
      assert.deepEqual(await store.seal([place]), [{ crc32: crc32(bytes) }]);
      assert.ok((await read(store, place)).equals(bytes));
      await store.close();
    });
  }

  test('does not mistake an error in a 200 response for a joined file', async () => {
    const store = await open();
    const { place, bytes } = await sendFile(store, 2);
    proxy().decide = (request) => (isJoin(request) ? FAULTS['an error in a 200'] : undefined);
    await assert.rejects(store.seal([place]), isUnavailable);
    proxy().decide = () => undefined;
    assert.deepEqual(await store.seal([place]), [{ crc32: crc32(bytes) }]);
    await store.close();
  });
}

export function testReadingThroughFaults({ proxy, open }: S3Context): void {
  const isRead = ({ method }: SeenRequest) => method === 'GET';

  test('resumes where a body broke off', async () => {
    const store = await open();
    const { place, bytes } = await sealFile(store, 1);
    proxy().decide = first(3, isRead, { kind: 'cut-answer', afterBytes: 100_000 });
    assert.ok((await read(store, place)).equals(bytes));
    const starts = proxy()
      .seen.filter(isRead)
      .map(({ range }) => Number(/\d+/.exec(range ?? '')?.[0]));
    assert.equal(starts.length, 4);
    assert.deepEqual(
      starts,
      [...new Set(starts)].sort((a, b) => a - b),
    );
    await store.close();
  });

  test('survives many breaks as long as each GET returns some bytes', async () => {
    const store = await open();
    const { place, bytes } = await sealFile(store, 1);
    proxy().decide = first(12, isRead, { kind: 'cut-answer', afterBytes: 20_000 });
    assert.ok((await read(store, place)).equals(bytes));
    await store.close();
  });

  test('reads after a 503, and gives up after too many', async () => {
    const store = await open();
    const { place, bytes } = await sealFile(store, 1);
    proxy().decide = first(2, isRead, FAULTS['a 503']!);
    assert.ok((await read(store, place)).equals(bytes));
    proxy().decide = () => FAULTS['a 503'];
    await assert.rejects(read(store, place), isUnavailable);
    proxy().decide = () => ({ kind: 'cut-answer', afterBytes: 0 });
    await assert.rejects(read(store, place), isUnavailable);
    await store.close();
  });

  test('never continues with the bytes of another object', async () => {
    const store = await open();
    const { place } = await sealFile(store, 1);
    proxy().decide = first(1, isRead, { kind: 'cut-answer', afterBytes: 100_000 });
    const range = await store.openRange(place.storageKey, 0, place.sizeBytes);
    await range.fill([Buffer.alloc(10_000)]);
    await send(store, place, 0, randomBytes(place.sizeBytes));
    await assert.rejects(range.fill([Buffer.alloc(place.sizeBytes - 10_000)]), (error) =>
      isAppError(error, 'file_not_found'),
    );
    await range.close();
    await store.close();
  });
}

/** Long enough for a real response on a busy machine. */
function timesFor(fault: Fault): Partial<S3StoreOptions> {
  return fault.kind === 'silence' ? { answerMs: 1_000 } : {};
}

export function first(count: number, matches: (request: SeenRequest) => boolean, fault: Fault) {
  let left = count;
  return (request: SeenRequest) => {
    if (left === 0 || !matches(request)) return undefined;
    left -= 1;
    return fault;
  };
}

import assert from 'node:assert/strict';
import test from 'node:test';
import { MIB } from '../../../contracts/sizes.ts';
import { ApiError } from '../../api/api-error.ts';
import { UnreadableFileError } from './chunk-reader.ts';
import { UploadEngine } from './upload-engine.ts';
import { createItem, type UploadItem } from './upload-item.ts';
import type { UploadTransport } from './upload-transport.ts';

type Plan = { refuse?: (sent: number) => Error | undefined; beforeSend?: () => Promise<void> };

/** A server at the port: keeps which chunks arrived, and fails as planned. */
function fakeTransport({ refuse, beforeSend }: Plan = {}) {
  const arrived: string[] = [];
  const calls: string[] = [];
  let sent = 0;
  let ids = 0;
  const transport: UploadTransport = {
    announce: async ({ files }) => {
      calls.push(`announce ${files.length}`);
      const uploads = files.map(() => ({
        uploadId: `u${++ids}`,
        transferId: 't',
        chunkSize: 5 * MIB,
        receivedChunks: [],
      }));
      return { transferId: 't', uploads };
    },
    send: async ({ item, index }, { signal }) => {
      await beforeSend?.();
      signal.throwIfAborted();
      const failure = refuse?.(++sent);
      if (failure) throw failure;
      arrived.push(`${item.uploadId}/${index}`);
    },
    complete: async ({ uploadIds, fileCount }) => {
      calls.push(`complete ${uploadIds.length} of ${fileCount}`);
      return { token: 'token', transfer: { id: 't' } };
    },
    listUnfinished: async () => [],
    abort: async (uploadId) => void calls.push(`abort ${uploadId}`),
    discard: async (transferId) => void calls.push(`discard ${transferId}`),
  };
  return { transport, arrived, calls };
}

function pick(relativePath: string, size: number): UploadItem {
  const file = {
    name: relativePath.split('/').at(-1),
    size,
    type: '',
    slice: () => new Blob(),
  } as unknown as File;
  return createItem({ file, relativePath });
}

test('takes files from choice to link, each chunk once', async () => {
  const { transport, arrived, calls } = fakeTransport();
  const engine = new UploadEngine(transport);
  engine.add([pick('a.bin', 12 * MIB), pick('b/empty.txt', 0), pick('b/c.txt', 3)]);
  await engine.start({});
  assert.deepEqual(arrived.sort(), ['u1/0', 'u1/1', 'u1/2', 'u3/0']);
  assert.deepEqual(calls, ['announce 3', 'complete 3 of 3']);
  assert.equal(engine.state.phase, 'success');
  assert.equal(engine.state.sentBytes, engine.state.totalBytes);
  assert.equal(engine.state.result?.token, 'token');
});

test('sends again at once what the server found damaged', async () => {
  const damaged = new ApiError(400, 'Damaged', { code: 'digest_mismatch' });
  const { transport, arrived } = fakeTransport({ refuse: (sent) => (sent <= 2 ? damaged : undefined) });
  const engine = new UploadEngine(transport);
  engine.add([pick('a.bin', 30 * MIB)]);
  await engine.start({});
  assert.equal(new Set(arrived).size, 6);
  assert.equal(arrived.length, 6);
});

test('waits out a broken network and says so, then goes on', async () => {
  const { transport, arrived } = fakeTransport({
    refuse: (sent) => (sent <= 6 ? new TypeError('Failed to fetch') : undefined),
  });
  const engine = new UploadEngine(transport);
  engine.add([pick('a.bin', 20 * MIB)]);
  const troubles = new Set<string | undefined>();
  engine.subscribe(() => {
    troubles.add(engine.state.trouble?.message);
    // What the browser's "online" event does.
    setImmediate(() => engine.wake());
  });
  await engine.start({});
  assert.ok(troubles.has('Waiting for the network…'));
  assert.equal(engine.state.trouble, undefined);
  assert.equal(arrived.length, 4);
});

test('stops with the server’s sentence when going on is pointless, and can be started again', async () => {
  let refusing = true;
  const gone = new ApiError(404, 'This upload is unknown or has ended.', { code: 'upload_not_found' });
  const { transport, calls } = fakeTransport({ refuse: () => (refusing ? gone : undefined) });
  const engine = new UploadEngine(transport);
  engine.add([pick('a.bin', 1)]);
  await engine.start({});
  assert.equal(engine.state.phase, 'failed');
  assert.equal(engine.state.error, 'Failed to upload chunk 1: This upload is unknown or has ended.');
  refusing = false;
  await engine.start({});
  assert.equal(engine.state.phase, 'success');
  assert.deepEqual(calls, ['announce 1', 'announce 1', 'complete 1 of 1']);
});

test('names the file that can no longer be read, and does without it once it is removed', async () => {
  const { transport } = fakeTransport({
    refuse: (sent) => (sent === 1 ? new UnreadableFileError('gone') : undefined),
  });
  const engine = new UploadEngine(transport);
  engine.add([pick('a.txt', 1), pick('b.txt', 2)]);
  await engine.start({});
  assert.match(engine.state.error!, /^a\.txt: This file changed/);
  engine.remove(engine.state.items[0]!);
  await engine.start({});
  assert.equal(engine.state.phase, 'success');
});

test('continues unfinished uploads with the chunks that are missing only', async () => {
  const { transport, arrived, calls } = fakeTransport();
  const engine = new UploadEngine(transport);
  engine.add([pick('dir/a.bin', 15 * MIB), pick('dir/new.txt', 1)]);
  const unfinished = {
    uploadId: 'old',
    transferId: 't0',
    fileName: 'a.bin',
    relativePath: 'dir/a.bin',
    mimeType: 'x/y',
    fileSize: 15 * MIB,
    chunkSize: 5 * MIB,
    totalChunks: 3,
    receivedChunks: [0, 2],
    createdAt: '',
    lastActivityAt: '',
  };
  assert.equal(engine.adopt([unfinished], 2), 1);
  await engine.start({});
  assert.deepEqual(arrived.sort(), ['old/1', 'u1/0']);
  assert.deepEqual(calls, ['announce 1', 'complete 2 of 3']);
});

test('a pause breaks off what is under way, and going on sends it again', async () => {
  const { transport, arrived } = fakeTransport({
    beforeSend: () => new Promise((resolve) => setImmediate(resolve)),
  });
  const engine = new UploadEngine(transport);
  engine.add([pick('a.bin', 50 * MIB)]);
  const done = engine.start({});
  while (engine.state.phase !== 'uploading') await new Promise((resolve) => setImmediate(resolve));
  engine.pause();
  const before = arrived.length;
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.equal(arrived.length, before);
  assert.equal(engine.state.phase, 'paused');
  engine.resume();
  await done;
  assert.equal(arrived.length, 10);
  assert.equal(new Set(arrived).size, 10);
});

test('a removed file is given back on the server and holds nobody up', async () => {
  const { transport, calls } = fakeTransport({
    beforeSend: () => new Promise((resolve) => setImmediate(resolve)),
  });
  const engine = new UploadEngine(transport);
  engine.add([pick('a.bin', 40 * MIB), pick('b.bin', 20 * MIB)]);
  const done = engine.start({});
  while (engine.state.phase !== 'uploading') await new Promise((resolve) => setImmediate(resolve));
  engine.remove(engine.state.items[0]!);
  await done;
  assert.deepEqual(calls, ['announce 2', 'abort u1', 'complete 1 of 1']);
});

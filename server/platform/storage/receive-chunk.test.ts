import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import { outliveStreamErrors, receiveChunk } from './receive-chunk.ts';
import { hasCode } from './suite/blob-store.fixtures.ts';

test('passes on the arriving buffers without copying', async () => {
  const pieces = [Buffer.from('one'), Buffer.from('two')];
  const taken: Buffer[] = [];
  const crc = await receiveChunk({ index: 0, stream: Readable.from(pieces) }, 6, (bytes) => {
    taken.push(bytes);
    return undefined;
  });
  assert.equal(crc, crc32('onetwo'));
  assert.ok(taken.every((piece, index) => piece === pieces[index]));
});

test('stops reading until the writer is ready', async () => {
  const stream = Readable.from([Buffer.from('one'), Buffer.from('two')]);
  let isReady = true;
  await receiveChunk({ index: 0, stream }, 6, async () => {
    assert.ok(isReady);
    isReady = false;
    await new Promise((resolve) => setImmediate(resolve));
    isReady = true;
  });
});

test("rejects with the writer's error, and leaves the stream open and paused", async () => {
  const stream = Readable.from([Buffer.from('one'), Buffer.from('two')]);
  const received = receiveChunk({ index: 0, stream }, 6, () => Promise.reject(new Error('No room')));
  await assert.rejects(received, /No room/);
  assert.equal(stream.destroyed, false);
  assert.equal(stream.isPaused(), true);
});

test('passes on nothing after an abort', async () => {
  const controller = new AbortController();
  const stream = Readable.from([Buffer.from('one')]);
  stream.once('data', () => controller.abort());
  let takenCount = 0;
  const received = receiveChunk({ index: 0, stream, signal: controller.signal }, 3, () => {
    takenCount += 1;
    return undefined;
  });
  await assert.rejects(received, hasCode('unavailable'));
  assert.equal(takenCount, 0);
});

test('does not continue when the writer becomes ready after an abort', async () => {
  const controller = new AbortController();
  const stream = Readable.from([Buffer.from('one'), Buffer.from('two')]);
  const { promise, resolve: becomeReady } = Promise.withResolvers<void>();
  const received = receiveChunk({ index: 0, stream, signal: controller.signal }, 6, () => {
    controller.abort();
    return promise;
  });
  await assert.rejects(received, hasCode('unavailable'));
  becomeReady();
  await promise;
  assert.equal(stream.isPaused(), true);
});

test('blames the server, not the connection, when the lease of the chunk is lost', async () => {
  const stream = new Readable({ read() {} });
  stream.push('one');
  const received = receiveChunk({ index: 0, stream, isOurs: () => false }, 6, () => undefined);
  await assert.rejects(received, hasCode('unavailable'));
  assert.equal(stream.destroyed, false);
});

test('reports a stream that broke earlier as cut short', async () => {
  const stream = new Readable({ read() {} });
  const chunk = { index: 0, stream };
  outliveStreamErrors(chunk);
  stream.destroy(new Error('The client is gone'));
  await new Promise((resolve) => stream.once('close', resolve));
  await assert.rejects(
    receiveChunk(chunk, 3, () => undefined),
    hasCode('chunk_cut_short'),
  );
});

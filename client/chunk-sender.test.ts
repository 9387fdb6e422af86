import assert from 'node:assert/strict';
import test from 'node:test';
import { planChunks } from '../contracts/plans/limits.ts';
import { MIB } from '../contracts/values/sizes.ts';
import { ApiError, NetworkError } from './api-error.ts';
import { ChunkSender, type SendOptions, type Stored } from './chunk-sender.ts';
import { Retries } from './retries.ts';
import type { ChunkTask, UploadFile } from './upload-plan.ts';

type Send = (task: ChunkTask<UploadFile>, options: SendOptions) => Promise<Stored>;

function createFile(size: number, received: number[] = []): UploadFile {
  const progress = { received: new Set(received), inFlightBytes: 0, phase: 'waiting' as const };
  return { size, ...planChunks(size), ...progress, error: undefined };
}

function createSender(files: UploadFile[], send: Send) {
  const retries = new Retries({
    policy: { longestWaitMs: 30_000, longestLimitSeconds: 900, canSignIn: false },
    // Wakes at once, so that these tests do not wait for retry delays.
    onFailure: (failure) => failure && setImmediate(() => retries.wake()),
  });
  return new ChunkSender(files, { send, maxLanes: 8, retries });
}

test('sends only the missing chunks and counts bytes and files', async () => {
  const sent: string[] = [];
  const files = [createFile(12 * MIB, [0, 2]), createFile(0), createFile(3)];
  const sender = createSender(files, async ({ start, end }) => void sent.push(`${start}-${end}`));
  assert.deepEqual([sender.sentBytes, sender.wholeFiles], [7 * MIB, 1]);
  await sender.run();
  assert.deepEqual(sent, [`${5 * MIB}-${10 * MIB}`, '0-3']);
  assert.deepEqual([sender.sentBytes, sender.wholeFiles], [12 * MIB + 3, 3]);
});

test('counts the bytes in flight, without those of a failed attempt', async () => {
  const seen: number[] = [];
  let tries = 0;
  const sender = createSender([createFile(3)], async (_task, { onProgress }) => {
    seen.push(sender.sentBytes);
    onProgress(2);
    seen.push(sender.sentBytes);
    tries += 1;
    if (tries === 1) throw new NetworkError();
  });
  await sender.run();
  assert.deepEqual(seen, [0, 2, 0, 2]);
  assert.equal(sender.sentBytes, 3);
});

test('an upload that is already complete sends no chunk', async () => {
  const file = createFile(3);
  await createSender([file], async () => {
    throw new ApiError(409, 'Closed.', { code: 'upload_closed' });
  }).run();
  assert.equal(file.phase, 'sent');
});

test('a fatal error stops the other lanes and is reported when they have ended', async () => {
  let running = 0;
  const sender = createSender([createFile(50 * MIB)], async ({ index }, { signal }) => {
    running += 1;
    try {
      if (index === 1) throw new ApiError(413, 'Too much.');
      if (index === 0) await new Promise((resolve) => signal.addEventListener('abort', resolve));
      await new Promise(setImmediate);
      signal.throwIfAborted();
    } finally {
      running -= 1;
    }
  });
  await assert.rejects(sender.run(), /413: Too much/);
  assert.equal(running, 0);
});

test('run() rejects with the reason of the stop', async () => {
  const sender = createSender([createFile(50 * MIB)], async (_task, { signal }) => {
    await new Promise(setImmediate);
    signal.throwIfAborted();
  });
  const done = sender.run();
  sender.stop(new Error('stopped'));
  await assert.rejects(done, /stopped/);
});

test('a chunk that somebody waits for is sent next, and once', async () => {
  const sent: string[] = [];
  const files = [createFile(30 * MIB), createFile(11 * MIB)];
  const retries = new Retries({
    policy: { longestWaitMs: 30_000, longestLimitSeconds: 900, canSignIn: false },
    onFailure: () => undefined,
  });
  const whole: number[] = [];
  const sender = new ChunkSender(files, {
    maxLanes: 1,
    retries,
    onWhole: (file) => whole.push(files.indexOf(file)),
    send: async ({ file, index }) => {
      sent.push(`${files.indexOf(file)}:${index}`);
      return index === 0 ? { wanted: 4 } : { wanted: 0 };
    },
  });
  await sender.run();
  assert.deepEqual(sent, ['0:0', '0:4', '0:1', '0:2', '0:3', '0:5', '1:0', '1:1', '1:2']);
  assert.deepEqual(whole, [0, 1]);
});

test('a file that changed while recipients read it fails alone', async () => {
  const files = [createFile(3), createFile(4)];
  const sender = createSender(files, async ({ file }) => {
    if (file === files[0]) throw new ApiError(409, 'It differs.', { code: 'chunk_differs' });
  });
  await sender.run();
  assert.deepEqual(
    files.map(({ phase }) => phase),
    ['failed', 'sent'],
  );
});

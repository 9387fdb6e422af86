import assert from 'node:assert/strict';
import { test } from 'vitest';
import { ApiError, NetworkError } from '../../../client/api-error.ts';
import { UnreadableFileError } from '../../../client/retries.ts';
import type {
  TransferSettingsInput,
  UnfinishedUpload,
} from '../../../contracts/transfers/uploads/uploads.ts';
import { MIB } from '../../../contracts/values/sizes.ts';
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
    send: async ({ file: item, index }, { signal }) => {
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
    publish: async ({ fileCount }) => {
      calls.push(`publish ${fileCount}`);
      return { token: 'token' };
    },
    listUnfinished: async () => [],
    abort: async (uploadIds) => void calls.push(`abort ${uploadIds.join(' ')}`),
    discard: async (transferId, uploadIds) =>
      void calls.push(`discard ${transferId} with ${uploadIds.join(' ')}`),
  };
  return { transport, arrived, calls };
}

/** The server does not get the first call. */
function cutFirstAbort(transport: UploadTransport): void {
  const { abort } = transport;
  transport.abort = async () => {
    transport.abort = abort;
    throw new NetworkError();
  };
}

function submit(engine: UploadEngine, settings: TransferSettingsInput = {}): Promise<void> {
  return engine.submit(async () => settings);
}

function pick(relativePath: string, size: number, lastModified = 0): UploadItem {
  const name = relativePath.split('/').at(-1);
  const file = { name, size, lastModified, type: '', slice: () => new Blob() } as unknown as File;
  return createItem({ file, relativePath });
}

function unfinishedUpload(
  uploadId: string,
  relativePath: string,
  receivedChunks: number[],
  fileSize = 10 * MIB,
): UnfinishedUpload {
  return {
    uploadId,
    transferId: 't0',
    addsTo: null,
    sharedToken: null,
    encryption: null,
    fileName: relativePath.split('/').at(-1)!,
    relativePath,
    mimeType: 'x/y',
    fileSize,
    chunkSize: 5 * MIB,
    totalChunks: fileSize / (5 * MIB),
    receivedChunks,
    createdAt: '',
    lastActivityAt: '',
  };
}

test('uploads selected files and sends each chunk once', async () => {
  const { transport, arrived, calls } = fakeTransport();
  const engine = new UploadEngine(transport);
  engine.add([pick('a.bin', 12 * MIB), pick('b/empty.txt', 0), pick('b/c.txt', 3)]);
  await submit(engine);
  assert.deepEqual(arrived.sort(), ['u1/0', 'u1/1', 'u1/2', 'u3/0']);
  assert.deepEqual(calls, ['announce 3', 'complete 3 of 3']);
  assert.equal(engine.state.phase, 'success');
  assert.equal(engine.state.sentBytes, engine.state.totalBytes);
  assert.equal(engine.state.result?.token, 'token');
});

test('sends a damaged chunk again at once', async () => {
  const damaged = new ApiError(400, 'Damaged', { code: 'digest_mismatch' });
  const { transport, arrived } = fakeTransport({ refuse: (sent) => (sent <= 2 ? damaged : undefined) });
  const engine = new UploadEngine(transport);
  engine.add([pick('a.bin', 30 * MIB)]);
  await submit(engine);
  assert.equal(new Set(arrived).size, 6);
  assert.equal(arrived.length, 6);
});

test('reports a network failure and resumes when it is over', async () => {
  const { transport, arrived } = fakeTransport({
    refuse: (sent) => (sent <= 6 ? new NetworkError() : undefined),
  });
  const engine = new UploadEngine(transport);
  engine.add([pick('a.bin', 20 * MIB)]);
  const troubles = new Set<string | undefined>();
  engine.subscribe(() => {
    troubles.add(engine.state.trouble?.message);
    // What the browser's "online" event does.
    setImmediate(() => engine.wake());
  });
  await submit(engine);
  assert.ok(troubles.has('Waiting for the network…'));
  assert.equal(engine.state.trouble, undefined);
  assert.equal(arrived.length, 4);
});

test('repeats an announcement with the same key, and has another key for the next', async () => {
  const { transport } = fakeTransport();
  const { announce } = transport;
  const keys: string[] = [];
  transport.announce = async (announcement) => {
    keys.push(announcement.idempotencyKey);
    if (keys.length === 1) throw new NetworkError();
    return announce(announcement);
  };
  const engine = new UploadEngine(transport);
  engine.add(Array.from({ length: 1_001 }, (_, index) => pick(`${index}`, 1)));
  engine.subscribe(() => {
    if (engine.state.trouble) setImmediate(() => engine.wake());
  });
  await submit(engine);
  assert.equal(keys.length, 3);
  assert.equal(keys[1], keys[0]);
  assert.notEqual(keys[2], keys[0]);
});

test('fails with the server’s sentence when retrying is pointless, and can be started again', async () => {
  let refusing = true;
  const gone = new ApiError(404, 'This upload is unknown or has ended.', { code: 'upload_not_found' });
  const { transport, calls } = fakeTransport({ refuse: () => (refusing ? gone : undefined) });
  const engine = new UploadEngine(transport);
  engine.add([pick('a.bin', 1)]);
  await submit(engine);
  assert.equal(engine.state.phase, 'failed');
  assert.equal(engine.state.error, 'Failed to upload chunk 1: This upload is unknown or has ended.');
  refusing = false;
  await submit(engine);
  assert.equal(engine.state.phase, 'success');
  assert.deepEqual(calls, ['announce 1', 'announce 1', 'complete 1 of 1']);
});

test('names a file that can no longer be read, and continues once it is removed', async () => {
  const { transport } = fakeTransport({
    refuse: (sent) => (sent === 1 ? new UnreadableFileError() : undefined),
  });
  const engine = new UploadEngine(transport);
  engine.add([pick('a.txt', 1), pick('b.txt', 2)]);
  await submit(engine);
  assert.match(engine.state.error!, /^a\.txt: This file changed/);
  engine.remove(engine.state.items.slice(0, 1));
  await submit(engine);
  assert.equal(engine.state.phase, 'success');
});

test('resumes unfinished uploads with only the missing chunks', async () => {
  const { transport, arrived, calls } = fakeTransport();
  const engine = new UploadEngine(transport);
  engine.add([pick('dir/a.bin', 15 * MIB), pick('dir/new.txt', 1)]);
  const unfinished = unfinishedUpload('old', 'dir/a.bin', [0, 2], 15 * MIB);
  const other = { ...unfinished, uploadId: 'other', relativePath: 'dir/b.bin' };
  assert.deepEqual(engine.adopt([unfinished, other], { completedFiles: 1 }), [other]);
  await submit(engine);
  assert.deepEqual(arrived.sort(), ['old/1', 'u1/0']);
  assert.deepEqual(calls, ['announce 1', 'complete 2 of 3']);
});

test('a pause aborts running chunks, and resuming sends them again', async () => {
  const { transport, arrived } = fakeTransport({
    beforeSend: () => new Promise((resolve) => setImmediate(resolve)),
  });
  const engine = new UploadEngine(transport);
  engine.add([pick('a.bin', 50 * MIB)]);
  const done = submit(engine);
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

test('a removed file is aborted on the server and delays nothing', async () => {
  const { transport, calls } = fakeTransport({
    beforeSend: () => new Promise((resolve) => setImmediate(resolve)),
  });
  const engine = new UploadEngine(transport);
  engine.add([pick('a.bin', 40 * MIB), pick('b.bin', 20 * MIB)]);
  const done = submit(engine);
  while (engine.state.phase !== 'uploading') await new Promise((resolve) => setImmediate(resolve));
  engine.remove(engine.state.items.slice(0, 1));
  await done;
  assert.deepEqual(calls, ['announce 2', 'abort u1', 'complete 1 of 1']);
});

test('what the server did not hear of a removal is repeated before the transfer is completed', async () => {
  const { transport, calls } = fakeTransport({
    beforeSend: () => new Promise((resolve) => setImmediate(resolve)),
  });
  cutFirstAbort(transport);
  const engine = new UploadEngine(transport);
  engine.add([pick('a.bin', 40 * MIB), pick('b.bin', 5), pick('c.bin', 20 * MIB)]);
  const done = submit(engine);
  while (engine.state.phase !== 'uploading') await new Promise((resolve) => setImmediate(resolve));
  engine.remove(engine.state.items.slice(0, 2));
  await done;
  assert.deepEqual(calls, ['announce 3', 'abort u1 u2', 'complete 1 of 1']);
});

test('a shared transfer lists no file whose removal the server did not hear of', async () => {
  const { transport, calls } = fakeTransport();
  cutFirstAbort(transport);
  const engine = new UploadEngine(transport);
  engine.add([pick('a.bin', 5), pick('b.bin', 5)]);
  await engine.sendAhead();
  engine.remove(engine.state.items.slice(0, 1));
  await engine.share({});
  assert.deepEqual(calls.slice(0, 3), ['announce 2', 'abort u1', 'publish 1']);
});

test('a file changed since the last visit is sent as another upload, once the first is aborted', async () => {
  const { transport, arrived, calls } = fakeTransport();
  const engine = new UploadEngine(transport);
  engine.add([pick('a.bin', 10 * MIB)]);
  engine.adopt([unfinishedUpload('old', 'a.bin', [0])], { isUnchanged: () => false });
  await submit(engine);
  assert.deepEqual(arrived.sort(), ['u1/0', 'u1/1']);
  assert.deepEqual(calls, ['abort old', 'announce 1', 'complete 1 of 1']);
});

test('two unfinished files of the same name and size match one selected file each', () => {
  const engine = new UploadEngine(fakeTransport().transport);
  engine.add([pick('a.bin', 10 * MIB, 1), pick('a.bin', 10 * MIB, 2)]);
  const missing = engine.adopt([unfinishedUpload('one', 'a.bin', []), unfinishedUpload('two', 'a.bin', [])]);
  assert.deepEqual(missing, []);
  assert.deepEqual(
    engine.state.items.map((item) => item.uploadId),
    ['one', 'two'],
  );
});

test('a file selected twice is listed once; another file of the same name is listed too', () => {
  const engine = new UploadEngine(fakeTransport().transport);
  engine.add([pick('a.bin', 5, 1)]);
  engine.add([pick('a.bin', 5, 1), pick('a.bin', 5, 2)]);
  assert.equal(engine.state.items.length, 2);
});

test('a transfer cancelled while it is announced leaves no draft behind and does not reappear', async () => {
  const { transport, arrived, calls } = fakeTransport();
  const announced = Promise.withResolvers<void>();
  const { announce } = transport;
  transport.announce = async (input) => {
    await announced.promise;
    return announce(input);
  };
  const engine = new UploadEngine(transport);
  engine.add([pick('a.bin', 5)]);
  const done = submit(engine);
  void engine.cancel();
  announced.resolve();
  await done;
  assert.deepEqual(calls, ['announce 1', 'discard t with u1']);
  assert.deepEqual(arrived, []);
  assert.equal(engine.state.phase, 'idle');
  assert.equal(engine.state.transferId, undefined);
});

test('cancelling while more files are announced aborts all of them', async () => {
  const { transport, calls } = fakeTransport();
  const { announce } = transport;
  const more = Promise.withResolvers<void>();
  transport.announce = async (input) => {
    if (input.transferId) await more.promise;
    return announce(input);
  };
  const engine = new UploadEngine(transport);
  engine.add(Array.from({ length: 1_001 }, (_, index) => pick(`${index}.txt`, 1)));
  const done = submit(engine);
  while (!engine.state.transferId) await new Promise(setImmediate);
  await engine.cancel();
  more.resolve();
  await done;
  assert.match(calls[1]!, /^discard t with u1 u2 .* u1000$/);
  assert.deepEqual(calls.slice(2), ['announce 1', 'discard t with u1001']);
});

test('cancelling includes the files that were not selected again', async () => {
  const { transport, calls } = fakeTransport();
  const engine = new UploadEngine(transport);
  engine.add([pick('a.bin', 10 * MIB)]);
  const missing = engine.adopt([unfinishedUpload('a', 'a.bin', []), unfinishedUpload('b', 'b.bin', [])]);
  await engine.cancel(missing);
  assert.deepEqual(calls, ['discard t0 with a b']);
});

test('cancelling while chunks are sent discards the transfer and ends its start', async () => {
  const { transport, calls } = fakeTransport({ beforeSend: () => new Promise(setImmediate) });
  const engine = new UploadEngine(transport);
  engine.add([pick('a.bin', 500 * MIB)]);
  const done = submit(engine);
  while (engine.state.phase !== 'uploading') await new Promise(setImmediate);
  void engine.cancel();
  await done;
  assert.equal(engine.state.phase, 'idle');
  assert.deepEqual(calls, ['announce 1', 'discard t with u1']);
});

test('waits until the user signs in again before it completes', async () => {
  const { transport } = fakeTransport();
  const { complete } = transport;
  let isSignedIn = false;
  transport.complete = async (input) => {
    if (!isSignedIn) throw new ApiError(401, 'Please sign in first.', { code: 'not_signed_in' });
    return complete(input);
  };
  const engine = new UploadEngine(transport);
  engine.add([pick('a.bin', 5)]);
  const done = submit(engine);
  while (!engine.state.trouble) await new Promise(setImmediate);
  assert.equal(engine.state.trouble.kind, 'sign-in');
  isSignedIn = true;
  engine.resume();
  await done;
  assert.equal(engine.state.phase, 'success');
});

test('a refusal reaches the page with its code', async () => {
  const { transport } = fakeTransport();
  transport.announce = async () => {
    throw new ApiError(413, 'Too much.', { code: 'monthly_limit_exceeded' });
  };
  const engine = new UploadEngine(transport);
  engine.add([pick('a.bin', 5)]);
  await submit(engine);
  assert.equal(engine.state.error, 'Failed to initialize upload: Too much.');
  assert.equal(engine.state.refusal?.code, 'monthly_limit_exceeded');
});

test('files are added to a ready transfer, which is never discarded with them', async () => {
  const { transport, calls } = fakeTransport({ beforeSend: () => new Promise(setImmediate) });
  const engine = new UploadEngine(transport, { joins: 't' });
  engine.add([pick('a.bin', 500 * MIB), pick('b.bin', 5)]);
  const done = submit(engine);
  while (engine.state.phase !== 'uploading') await new Promise(setImmediate);
  await engine.cancel();
  await done;
  assert.deepEqual(calls, ['announce 2', 'abort u1 u2']);
  assert.equal(engine.state.transferId, 't', 'the next files join it as well');
});

test('cancelling while files are announced for a ready transfer aborts them', async () => {
  const { transport, calls } = fakeTransport();
  const announced = Promise.withResolvers<void>();
  const { announce } = transport;
  transport.announce = async (input) => {
    await announced.promise;
    return announce(input);
  };
  const engine = new UploadEngine(transport, { joins: 't' });
  engine.add([pick('a.bin', 5)]);
  const done = submit(engine);
  void engine.cancel();
  announced.resolve();
  await done;
  assert.deepEqual(calls, ['announce 1', 'abort u1']);
});

test('does not wait when the day’s emails are used up, and completes without them', async () => {
  const { transport, calls } = fakeTransport();
  const { complete } = transport;
  const detail = 'You can mail 3 more people today.';
  transport.complete = async (input) => {
    if (input.settings.recipientEmails)
      throw new ApiError(429, detail, { code: 'daily_mails_exceeded' }, 40_000);
    return complete(input);
  };
  const engine = new UploadEngine(transport);
  engine.add([pick('a.bin', 5)]);
  await submit(engine, { recipientEmails: ['rex@example.org'] });
  assert.equal(engine.state.error, `Failed to complete upload: ${detail}`);
  await submit(engine);
  assert.equal(engine.state.phase, 'success');
  assert.deepEqual(calls, ['announce 1', 'complete 1 of 1'], 'nothing is announced or sent again');
});

test('finishes an upload that has arrived without its files', async () => {
  const { transport, arrived, calls } = fakeTransport();
  const engine = new UploadEngine(transport);
  const uploads = [
    unfinishedUpload('film', 'film.bin', [0, 1]),
    unfinishedUpload('empty', 'empty.txt', [], 0),
    unfinishedUpload('late', 'late.bin', [1]),
  ];
  assert.deepEqual(
    engine.adopt(uploads, { completedFiles: 2 }).map(({ uploadId }) => uploadId),
    ['late'],
  );
  assert.equal(engine.state.sentBytes, 10 * MIB);
  await submit(engine);
  assert.deepEqual([arrived, calls], [[], ['complete 2 of 4']]);
  assert.equal(engine.state.phase, 'success');
});

test('files added to a resumed upload belong to the same transfer', async () => {
  const { transport } = fakeTransport();
  const engine = new UploadEngine(transport);
  engine.adopt([unfinishedUpload('film', 'film.bin', [0, 1])]);
  engine.add([pick('more.bin', 3)]);
  engine.adopt([]);
  assert.equal(engine.state.transferId, 't0');
});

test('announces files again that the server lost, but not files that exist only there', async () => {
  const gone = new ApiError(404, 'This upload is unknown or has ended.', { code: 'upload_not_found' });
  const { transport, calls } = fakeTransport();
  let isGone = true;
  const complete = transport.complete;
  transport.complete = async (input) => {
    if (isGone) throw gone;
    return complete(input);
  };
  const engine = new UploadEngine(transport);
  engine.adopt([unfinishedUpload('film', 'film.bin', [0, 1])]);
  engine.add([pick('more.bin', 3)]);
  await submit(engine);
  assert.equal(engine.state.phase, 'failed');
  isGone = false;
  await submit(engine);
  assert.deepEqual(calls, ['announce 1', 'announce 1', 'complete 1 of 1']);
});

test('sends bytes ahead, also of files added meanwhile, and completes only when it is submitted', async () => {
  const { transport, arrived, calls } = fakeTransport({ beforeSend: () => new Promise(setImmediate) });
  const engine = new UploadEngine(transport);
  engine.add([pick('a.bin', 20 * MIB)]);
  const done = engine.sendAhead();
  while (engine.state.phase !== 'uploading') await new Promise(setImmediate);
  engine.add([pick('b.bin', 1)]);
  await done;
  assert.equal(engine.state.phase, 'arrived');
  assert.deepEqual(arrived.sort(), ['u1/0', 'u1/1', 'u1/2', 'u1/3', 'u2/0']);
  assert.deepEqual(calls, ['announce 1', 'announce 1']);
  await submit(engine);
  assert.equal(engine.state.phase, 'success');
  assert.deepEqual(calls.slice(2), ['complete 2 of 2']);
});

test('submitting resumes bytes that were sent ahead and paused', async () => {
  const { transport, calls } = fakeTransport({ beforeSend: () => new Promise(setImmediate) });
  const engine = new UploadEngine(transport);
  engine.add([pick('a.bin', 20 * MIB)]);
  void engine.sendAhead();
  while (engine.state.phase !== 'uploading') await new Promise(setImmediate);
  engine.pause();
  await submit(engine);
  assert.equal(engine.state.phase, 'success');
  assert.deepEqual(calls, ['announce 1', 'complete 1 of 1']);
});

test('reads the settings when the bytes have arrived, and waits if they have mistakes', async () => {
  const { transport, calls } = fakeTransport({ beforeSend: () => new Promise(setImmediate) });
  const engine = new UploadEngine(transport);
  engine.add([pick('a.bin', 20 * MIB)]);
  void engine.sendAhead();
  while (engine.state.phase !== 'uploading') await new Promise(setImmediate);
  assert.equal(engine.state.isSubmitted, false);
  let reads = 0;
  const done = engine.submit(async () => {
    reads += 1;
    return undefined;
  });
  assert.deepEqual([engine.state.isSubmitted, reads], [true, 0]);
  await done;
  assert.deepEqual([engine.state.phase, engine.state.isSubmitted, reads], ['arrived', false, 1]);
  await submit(engine);
  assert.deepEqual(calls, ['announce 1', 'complete 1 of 1']);
});

test('the progress never goes backwards when a pause aborts chunks', async () => {
  const { transport } = fakeTransport();
  transport.send = async (_task, { signal, onProgress }) => {
    onProgress(4 * MIB);
    await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  };
  const engine = new UploadEngine(transport);
  engine.add([pick('a.bin', 20 * MIB)]);
  void engine.sendAhead();
  while (engine.state.phase !== 'uploading') await new Promise(setImmediate);
  engine.wake();
  engine.pause();
  const { sentBytes } = engine.state;
  assert.ok(sentBytes >= 4 * MIB);
  await new Promise((resolve) => setTimeout(resolve, 5));
  engine.add([]);
  assert.equal(engine.state.sentBytes, sentBytes);
});

test('removing all files that are sent ahead deletes the draft', async () => {
  const { transport, calls } = fakeTransport();
  const engine = new UploadEngine(transport);
  engine.add([pick('a.bin', 5)]);
  await engine.sendAhead();
  engine.remove([...engine.state.items]);
  assert.deepEqual(calls, ['announce 1', 'discard t with u1']);
  assert.equal(engine.state.phase, 'idle');
});

test('files of a shared transfer are completed one by one as they arrive', async () => {
  let release = () => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  let sends = 0;
  // The first file arrives, the second one waits.
  const { transport, calls } = fakeTransport({ beforeSend: () => (++sends > 1 ? gate : Promise.resolve()) });
  const engine = new UploadEngine(transport);
  engine.add([pick('a.txt', 3), pick('b.txt', 5), pick('empty', 0)]);
  const ended = engine.sendAhead();
  await waitFor(() => engine.state.items[0]!.phase === 'sent');
  await engine.share({ title: 'Early' });
  assert.equal(engine.state.sharedToken, 'token');
  await waitFor(() => engine.state.completedFiles === 2);
  assert.deepEqual(calls, ['announce 3', 'publish 3', 'complete 2 of 3']);
  assert.equal(engine.state.phase, 'uploading');
  release();
  await ended;
  assert.equal(engine.state.phase, 'success');
  assert.deepEqual(engine.state.result, { token: 'token', transfer: { id: 't' } });
  assert.deepEqual(calls.slice(3), ['complete 1 of 3']);
});

test('a file that changed after its beginning was shared is sent as another upload', async () => {
  const differs = new ApiError(409, 'This file has changed.', { code: 'chunk_differs' });
  const { transport, arrived, calls } = fakeTransport({
    refuse: (sent) => (sent === 2 ? differs : undefined),
  });
  const engine = new UploadEngine(transport);
  engine.add([pick('a.bin', 10 * MIB)]);
  await submit(engine);
  assert.equal(engine.state.phase, 'failed');
  await submit(engine);
  assert.equal(engine.state.phase, 'success');
  assert.ok(calls.includes('abort u1'));
  assert.deepEqual(arrived.filter((chunk) => chunk.startsWith('u2/')).sort(), ['u2/0', 'u2/1']);
});

async function waitFor(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 5));
}

import assert from 'node:assert/strict';
import test from 'node:test';
import { ApiError } from '../../../../client/api-error.ts';
import { CHUNK_BYTES } from '../../../../contracts/plans/limits.ts';
import { listArriving, publishTransfer, viewArrival } from '../../../../contracts/transfers/arrival.ts';
import { viewDownload } from '../../../../contracts/transfers/downloads/downloads.ts';
import { deleteTransfer, getTransfer, resendTransfer } from '../../../../contracts/transfers/transfers.ts';
import { abortUpload, completeUploads, initUpload } from '../../../../contracts/transfers/uploads/uploads.ts';
import { beginUpdate, listVersions } from '../../../../contracts/transfers/versions.ts';
import { DAY_MS, HOUR_MS } from '../../../../contracts/values/durations.ts';
import { until } from '../../../../testing/lib/until.ts';
import { startTestServer } from '../../../../testing/test-context.ts';
import { chunkOf, publishFiles, storeChunk } from '../../../../testing/uploads/arriving-transfers.ts';
import {
  announceFile,
  describeFile,
  makeBytes,
  sendChunk,
} from '../../../../testing/uploads/upload-files.ts';

const FILM = { name: 'film.mp4', bytes: makeBytes(2 * CHUNK_BYTES + 1_000, 'film') };
const NOTE = { name: 'note.txt', bytes: makeBytes(300, 'note') };

const code = (expected: string) => (error: unknown) =>
  error instanceof ApiError && error.code === expected ? true : assert.fail(String(error));

test('a link that is shared early shows each file and how much of it has arrived', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  const arriving = await publishFiles(frida, [FILM, NOTE], { title: 'Holiday', message: 'Look' });
  const [film, note] = arriving.files;
  await storeChunk(frida, film!, 2);
  await storeChunk(frida, note!, 0);
  await frida.call(completeUploads, { body: { transferId: arriving.id, uploadIds: [note!.uploadId] } });

  const guest = server.anonymous();
  const view = await guest.call(viewDownload, { params: { token: arriving.token } });
  assert.equal(view.title, 'Holiday');
  assert.deepEqual([view.fileCount, view.totalSize], [2, FILM.bytes.length + 300]);
  assert.deepEqual(
    view.files!.map(({ originalName, state, receivedBytes }) => [originalName, state, receivedBytes]),
    [
      ['film.mp4', 'arriving', 1_000],
      ['note.txt', 'here', 300],
    ],
  );
  const { arrival } = view;
  assert.equal(arrival!.status, 'arriving');
  assert.deepEqual([arrival!.receivedBytes, arrival!.totalBytes], [1_300, FILM.bytes.length + 300]);
  assert.deepEqual([arrival!.arrivedFiles, arrival!.fileCount], [1, 2]);
  assert.deepEqual(arrival!.files, [{ id: film!.uploadId, receivedBytes: 1_000, availableBytes: 0 }]);
  const detail = await frida.call(getTransfer, { params: { id: arriving.id } });
  assert.deepEqual([detail.status, detail.fileCount, detail.files.length], ['arriving', 2, 2]);
  assert.deepEqual(
    (await frida.call(listArriving)).map(({ id, arrivedFiles, isStopped }) => [id, arrivedFiles, isStopped]),
    [[arriving.id, 1, false]],
  );
});

test('the progress has an ETag, so that a page that asks again gets only what has changed', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  const { token, files } = await publishFiles(frida, [FILM]);
  const path = `/api/download/${token}/arrival`;
  const guest = server.anonymous();
  const first = await guest.fetch(path);
  const etag = first.headers.get('etag')!;
  assert.ok(etag);
  assert.equal((await guest.fetch(path, { headers: { 'if-none-match': etag } })).status, 304);
  await storeChunk(frida, files[0]!, 0);
  await until(async () => {
    const next = await guest.fetch(path, { headers: { 'if-none-match': etag } });
    if (next.status === 304) return false;
    const progress = viewArrival.response.parse(await next.json());
    return progress.files[0]!.receivedBytes === CHUNK_BYTES;
  });
});

test('the last completion makes it ready: recipients are mailed then, and the expiry counts from then', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  const arriving = await publishFiles(frida, [FILM, NOTE], {
    recipientEmails: 'rex@example.org',
    expirationDays: 2,
  });
  assert.equal((await server.mails()).length, 0);
  const view = () => server.anonymous().call(viewDownload, { params: { token: arriving.token } });
  assert.equal((await view()).expiresAt, null);
  server.clock.advance(40 * HOUR_MS);
  for (const file of arriving.files) {
    const { totalChunks } = describeFile(file.name, file.bytes);
    for (let index = 0; index < totalChunks; index += 1) await storeChunk(frida, file, index);
    await frida.call(completeUploads, { body: { transferId: arriving.id, uploadIds: [file.uploadId] } });
  }
  const ready = await view();
  assert.equal(ready.arrival, undefined);
  assert.equal(Date.parse(ready.expiresAt!), server.clock.now() + 2 * DAY_MS);
  assert.ok(ready.files!.every(({ state }) => state === undefined));
  const mails = await server.mails();
  assert.deepEqual(
    mails.map(({ recipient, kind }) => [recipient, kind]),
    [['rex@example.org', 'transfer-ready']],
  );
  assert.deepEqual(await frida.call(listArriving), []);
});

test('it can be published once all announced files are known, and again without effect', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  const { transferId } = await announceFile(frida, FILM.name, FILM.bytes);
  const publish = (expectedFiles: number) =>
    frida.call(publishTransfer, { params: { id: transferId }, body: { expectedFiles, title: 'One' } });
  await assert.rejects(publish(2), code('files_not_announced'));
  assert.equal((await publish(1)).status, 'arriving');
  assert.equal((await publish(1)).status, 'arriving');
  const other = await server.signIn('paula');
  await assert.rejects(
    other.call(publishTransfer, { params: { id: transferId }, body: { expectedFiles: 1 } }),
    code('transfer_not_found'),
  );
});

test('what needs all files is refused while they arrive, and says so', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  const { id, files } = await publishFiles(frida, [NOTE]);
  const params = { id };
  const repair = { ...describeFile(NOTE.name, NOTE.bytes), transferId: id, repairs: files[0]!.uploadId };
  const calls = [
    frida.call(resendTransfer, { params, body: { recipientEmails: ['rex@example.org'] } }),
    frida.call(beginUpdate, { params }),
    frida.call(listVersions, { params }),
    frida.call(initUpload, { body: repair }),
  ];
  await Promise.all(calls.map((call) => assert.rejects(call, code('still_arriving'))));
});

test('a transfer whose files have all arrived is ready as soon as it is published', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  const empty = await announceFile(frida, 'empty.txt', Buffer.alloc(0));
  await frida.call(completeUploads, {
    body: { transferId: empty.transferId, uploadIds: [empty.uploadId], fileCount: 5 },
  });
  const published = await frida.call(publishTransfer, {
    params: { id: empty.transferId },
    body: { expectedFiles: 1 },
  });
  assert.equal(published.status, 'ready');
  assert.equal((await frida.call(getTransfer, { params: { id: empty.transferId } })).status, 'ready');
});

test('a stored chunk of an arriving transfer cannot be replaced by other bytes', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  const draft = await announceFile(frida, FILM.name, FILM.bytes);
  const other = makeBytes(FILM.bytes.length, 'another version');
  const send = (bytes: Buffer, index: number) =>
    sendChunk(frida, { uploadId: draft.uploadId, index, body: chunkOf(bytes, index) });
  assert.equal((await send(other, 0)).status, 200);
  assert.equal((await send(FILM.bytes, 0)).status, 200, 'nobody can have read a draft');
  await frida.call(publishTransfer, { params: { id: draft.transferId }, body: { expectedFiles: 1 } });
  assert.equal((await send(FILM.bytes, 0)).status, 200, 'sending it again is harmless');
  if (!server.context.blobs.readsOpenUploads) return;
  const refused = await send(other, 0);
  assert.equal(refused.status, 409);
  assert.equal(((await refused.json()) as { code: string }).code, 'chunk_differs');
  assert.equal((await send(other, 1)).status, 200, 'a chunk that is missing has no other version');
});

test('files can be added and withdrawn while it is arriving', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  const arriving = await publishFiles(frida, [FILM, NOTE]);
  const [film, note] = arriving.files;
  const count = async () =>
    (await server.anonymous().call(viewDownload, { params: { token: arriving.token } })).fileCount;
  const late = await frida.call(initUpload, {
    body: { ...describeFile('late.txt', NOTE.bytes), transferId: arriving.id },
  });
  assert.equal(await count(), 3);
  await frida.call(abortUpload, { params: { uploadId: late.uploadId } });
  assert.equal(await count(), 2);
  await storeChunk(frida, note!, 0);
  await frida.call(completeUploads, { body: { transferId: arriving.id, uploadIds: [note!.uploadId] } });
  await frida.call(abortUpload, { params: { uploadId: film!.uploadId } });
  const ready = await frida.call(getTransfer, { params: { id: arriving.id } });
  assert.deepEqual([ready.status, ready.fileCount], ['ready', 1], 'nothing else has to arrive');
});

test('a transfer whose files are all withdrawn, or that is deleted, has no link any more', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  const view = (token: string) => server.anonymous().call(viewDownload, { params: { token } });
  const withdrawn = await publishFiles(frida, [NOTE]);
  await frida.call(abortUpload, { params: { uploadId: withdrawn.files[0]!.uploadId } });
  await assert.rejects(view(withdrawn.token), code('transfer_not_found'));
  const deleted = await publishFiles(frida, [NOTE]);
  await frida.call(deleteTransfer, { params: { id: deleted.id } });
  await assert.rejects(view(deleted.token), code('transfer_not_found'));
});

test('after two days without a byte the link says that the upload has stopped, until the sender goes on', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  const arriving = await publishFiles(frida, [FILM, NOTE]);
  const view = () => server.anonymous().call(viewDownload, { params: { token: arriving.token } });
  const passHours = async (hours: number) => {
    // Jobs that delete by age distrust a clock that jumps by a day.
    for (let left = hours; left > 0; left -= 12) {
      server.clock.advance(Math.min(left, 12) * HOUR_MS);
      await server.drainJobs();
    }
  };
  await passHours(47);
  assert.equal((await view()).arrival?.status, 'arriving');
  await passHours(2);
  assert.deepEqual(await view(), { isStopped: true });
  const refused = await server.anonymous().fetch(`/api/download/${arriving.token}/arrival`);
  assert.equal(refused.status, 410);
  assert.equal((await frida.call(listArriving))[0]!.isStopped, true);
  await passHours(20);
  await storeChunk(frida, arriving.files[0]!, 0);
  await frida.call(publishTransfer, { params: { id: arriving.id }, body: { expectedFiles: 2 } });
  assert.equal((await view()).arrival?.status, 'arriving');
  await passHours(108);
  await assert.rejects(view(), code('transfer_not_found'), 'an abandoned upload is removed');
});

test('with a virus scanner, the link cannot be shared early', async (t) => {
  const server = await startTestServer(t, { SCAN: 'clamd://127.0.0.1:9' });
  const frida = await server.signIn('frida');
  await assert.rejects(publishFiles(frida, [NOTE]), code('publish_scanned'));
});

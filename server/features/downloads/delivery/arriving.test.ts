import assert from 'node:assert/strict';
import { get, type IncomingMessage } from 'node:http';
import test from 'node:test';
import { setTakenDown } from '../../../../contracts/admin/transfers.ts';
import { CHUNK_BYTES } from '../../../../contracts/plans/limits.ts';
import { viewReaders } from '../../../../contracts/transfers/arrival.ts';
import { viewDownload } from '../../../../contracts/transfers/downloads/downloads.ts';
import { deleteTransfer } from '../../../../contracts/transfers/transfers.ts';
import { abortUpload, completeUploads } from '../../../../contracts/transfers/uploads/uploads.ts';
import { fileDownloadPath, zipDownloadPath } from '../../../../contracts/values/addresses/links.ts';
import { HOUR_MS } from '../../../../contracts/values/durations.ts';
import type { Client } from '../../../../testing/calls/client.ts';
import { until } from '../../../../testing/lib/until.ts';
import { ResumingDownload } from '../../../../testing/network/resuming-download.ts';
import { filesAreOnDisk } from '../../../../testing/storage/test-storage.ts';
import { startTestServer, type TestServer } from '../../../../testing/test-context.ts';
import {
  type ArrivingTransfer,
  chunkOf,
  publishFiles,
  storeChunk,
} from '../../../../testing/uploads/arriving-transfers.ts';
import { makeBytes, sendChunk } from '../../../../testing/uploads/upload-files.ts';

const FILM = { name: 'film.mp4', bytes: makeBytes(2 * CHUNK_BYTES + 1_000, 'film') };
const onDisk = { skip: !filesAreOnDisk && 'files are downloaded one by one there' };

type Arriving = {
  server: TestServer;
  sender: Client;
  guest: Client;
  transfer: ArrivingTransfer;
  download: ResumingDownload;
};

async function startArriving(t: test.TestContext, settings: object = {}): Promise<Arriving> {
  const server = await startTestServer(t);
  const sender = await server.signIn('paula');
  const transfer = await publishFiles(sender, [FILM], settings);
  const guest = server.anonymous();
  const path = fileDownloadPath(transfer.token, transfer.files[0]!.uploadId);
  return { server, sender, guest, transfer, download: new ResumingDownload(guest, path) };
}

const received = (download: ResumingDownload, bytes: number) =>
  until(async () => download.receivedBytes >= bytes);

test('a download streams behind the upload, whatever the order of the chunks', onDisk, async (t) => {
  const { sender, guest, transfer, download } = await startArriving(t);
  const [film] = transfer.files;
  await storeChunk(sender, film!, 2);
  const done = download.receive();
  await storeChunk(sender, film!, 0);
  await received(download, CHUNK_BYTES);
  assert.equal(download.sizeBytes, FILM.bytes.length, 'the length is known from the beginning');
  const answer = await sendChunk(sender, {
    uploadId: film!.uploadId,
    index: 2,
    body: chunkOf(FILM.bytes, 2),
  });
  assert.equal(
    ((await answer.json()) as { wanted: number }).wanted,
    1,
    'the sender learns what the recipient waits for',
  );
  await storeChunk(sender, film!, 1);
  await done;
  assert.ok(download.bytes.equals(FILM.bytes));
  await until(async () => {
    const { readers } = await sender.call(viewReaders, { params: { id: transfer.id } });
    return readers[0]?.completedAt !== null;
  });
  const view = await guest.call(viewDownload, { params: { token: transfer.token } });
  assert.equal(view.downloadCount, 1);
});

test('a download that breaks off goes on by Range, also after everything has arrived', onDisk, async (t) => {
  const { sender, guest, transfer, download } = await startArriving(t, { maxDownloads: 1 });
  const [film] = transfer.files;
  await storeChunk(sender, film!, 0);
  const first = download.receive();
  await received(download, CHUNK_BYTES);
  download.stop();
  await first;
  await storeChunk(sender, film!, 1);
  const second = download.receive();
  await received(download, 2 * CHUNK_BYTES);
  await storeChunk(sender, film!, 2);
  await second;
  assert.ok(download.bytes.equals(FILM.bytes));
  await sender.call(completeUploads, { body: { transferId: transfer.id, uploadIds: [film!.uploadId] } });
  const view = await guest.call(viewDownload, { params: { token: transfer.token } });
  assert.deepEqual([view.downloadCount, view.arrival], [1, undefined]);
});

test('the sender sees how far each download is', onDisk, async (t) => {
  const { sender, transfer, download } = await startArriving(t);
  await storeChunk(sender, transfer.files[0]!, 0);
  const done = download.receive();
  await received(download, CHUNK_BYTES);
  await until(async () => {
    const { arrival, readers } = await sender.call(viewReaders, { params: { id: transfer.id } });
    const [reader] = readers;
    return arrival.receivedBytes === CHUNK_BYTES && reader?.sentBytes === CHUNK_BYTES && reader.isActive;
  });
  download.stop();
  await done;
});

for (const [who, withdraw, statusAfter] of [
  [
    'a sender who withdraws the file',
    ({ sender, transfer }: Arriving) =>
      sender.call(abortUpload, { params: { uploadId: transfer.files[0]!.uploadId } }),
    404,
  ],
  [
    'a sender who deletes the transfer',
    ({ sender, transfer }: Arriving) => sender.call(deleteTransfer, { params: { id: transfer.id } }),
    404,
  ],
  [
    'an administrator who takes the transfer down',
    async ({ server, transfer }: Arriving) => {
      const ada = await server.signIn('ada');
      await ada.call(setTakenDown, { params: { id: transfer.id }, body: { isTakenDown: true } });
    },
    410,
  ],
] as const)
  test(`${who} breaks off the download, which is not whole`, onDisk, async (t) => {
    const arriving = await startArriving(t);
    await storeChunk(arriving.sender, arriving.transfer.files[0]!, 0);
    const done = arriving.download.receive();
    await received(arriving.download, CHUNK_BYTES);
    await withdraw(arriving);
    await done;
    assert.equal(arriving.download.receivedBytes, CHUNK_BYTES);
    const again = await arriving.guest.fetch(
      fileDownloadPath(arriving.transfer.token, arriving.transfer.files[0]!.uploadId),
    );
    assert.equal(again.status, statusAfter);
  });

test(
  'a download that has to wait for its first byte begins with its head, and is counted',
  onDisk,
  async (t) => {
    const { server, guest, transfer } = await startArriving(t, { maxDownloads: 1 });
    const path = fileDownloadPath(transfer.token, transfer.files[0]!.uploadId);
    const response = await new Promise<IncomingMessage>((resolve) => {
      get(server.url + path, { agent: false }, resolve);
    });
    assert.equal(response.headers['content-length'], String(FILM.bytes.length));
    assert.equal((await guest.fetch(path)).status, 410, 'its place is taken');
    response.destroy();
  },
);

test('where a file can be read only once it is complete, it can be downloaded then', async (t) => {
  const { sender, guest, transfer } = await startArriving(t);
  const [film] = transfer.files;
  const path = fileDownloadPath(transfer.token, film!.uploadId);
  if (!filesAreOnDisk) {
    const early = await guest.fetch(path);
    assert.equal(early.status, 503);
    assert.ok(Number(early.headers.get('retry-after')) > 0);
  }
  const late = await publishFiles(sender, [FILM, { name: 'later.txt', bytes: makeBytes(10) }]);
  const [whole] = late.files;
  for (const index of [2, 0, 1]) await storeChunk(sender, whole!, index);
  await sender.call(completeUploads, { body: { transferId: late.id, uploadIds: [whole!.uploadId] } });
  const response = await guest.fetch(fileDownloadPath(late.token, whole!.uploadId));
  assert.equal(response.status, 200);
  assert.ok(Buffer.from(await response.arrayBuffer()).equals(FILM.bytes));
});

test('a zip of arriving files waits for each file, and has the bytes of the zip of the complete transfer', async (t) => {
  const server = await startTestServer(t);
  const sender = await server.signIn('paula');
  const files = [
    { name: 'a.bin', bytes: makeBytes(CHUNK_BYTES + 5, 'a') },
    { name: 'b.txt', bytes: makeBytes(700, 'b') },
    { name: 'empty', bytes: Buffer.alloc(0) },
    { name: 'c.bin', bytes: makeBytes(CHUNK_BYTES + 9, 'c') },
  ];
  const transfer = await publishFiles(sender, files);
  const [a, b, empty, c] = transfer.files;
  const guest = server.anonymous();
  const zip = new ResumingDownload(guest, zipDownloadPath(transfer.token));
  const complete = async (file: typeof a, order: number[]) => {
    for (const index of order) await storeChunk(sender, file!, index);
    await sender.call(completeUploads, {
      body: { transferId: transfer.id, uploadIds: [file!.uploadId] },
    });
  };
  const first = zip.receive();
  await complete(b, [0]);
  await complete(a, [1, 0]);
  await received(zip, CHUNK_BYTES + 705);
  zip.stop();
  await first;
  const rest = zip.receive();
  await complete(empty, []);
  await storeChunk(sender, c!, 0);
  await complete(c, [1]);
  await rest;
  assert.ok(zip.isWhole);
  const view = await guest.call(viewDownload, { params: { token: transfer.token } });
  assert.deepEqual([view.downloadCount, view.arrival, view.zipSize], [1, undefined, zip.sizeBytes]);
  const later = await guest.fetch(zipDownloadPath(transfer.token));
  assert.ok(Buffer.from(await later.arrayBuffer()).equals(zip.bytes));
});

test('a zip that breaks off while files arrive goes on when the transfer is ready', onDisk, async (t) => {
  const { sender, guest } = await startArriving(t);
  const whole = await publishFiles(sender, [{ name: 'b.txt', bytes: makeBytes(700, 'b') }, FILM]);
  const [note, film] = whole.files;
  await storeChunk(sender, note!, 0);
  const zip = new ResumingDownload(guest, zipDownloadPath(whole.token));
  const first = zip.receive();
  await received(zip, 700);
  zip.stop();
  await first;
  for (const index of [1, 2, 0]) await storeChunk(sender, film!, index);
  await sender.call(completeUploads, {
    body: { transferId: whole.id, uploadIds: [note!.uploadId, film!.uploadId] },
  });
  await zip.receive();
  assert.ok(zip.isWhole, 'same tag, same bytes');
  const { downloadCount } = await guest.call(viewDownload, { params: { token: whole.token } });
  assert.equal(downloadCount, 1);
});

test('a zip with a file that the sender withdraws is broken off', onDisk, async (t) => {
  const server = await startTestServer(t);
  const sender = await server.signIn('paula');
  const { token, files } = await publishFiles(sender, [{ name: 'b.txt', bytes: makeBytes(700, 'b') }, FILM]);
  const [note, film] = files;
  await storeChunk(sender, note!, 0);
  const zip = new ResumingDownload(server.anonymous(), zipDownloadPath(token));
  const done = zip.receive();
  await received(zip, 700);
  await sender.call(abortUpload, { params: { uploadId: film!.uploadId } });
  await done;
  assert.ok(!zip.isWhole);
});

test(
  'the last download of an auto-delete transfer does not remove what is still being uploaded',
  onDisk,
  async (t) => {
    const server = await startTestServer(t);
    const sender = await server.signIn('paula');
    const note = { name: 'b.txt', bytes: makeBytes(700, 'b') };
    const settings = { maxDownloads: 1, autoDeleteAfterDownloads: true };
    const transfer = await publishFiles(sender, [note, FILM], settings);
    const [small, film] = transfer.files;
    await storeChunk(sender, small!, 0);
    const path = fileDownloadPath(transfer.token, small!.uploadId);
    const download = await server.anonymous().fetch(path);
    assert.ok(Buffer.from(await download.arrayBuffer()).equals(note.bytes));
    assert.equal((await server.anonymous().fetch(path)).status, 410);
    server.clock.advance(2 * HOUR_MS);
    await server.drainJobs();
    for (const index of [0, 1, 2]) await storeChunk(sender, film!, index);
    await sender.call(completeUploads, {
      body: { transferId: transfer.id, uploadIds: [small!.uploadId, film!.uploadId] },
    });
    server.clock.advance(2 * HOUR_MS);
    await server.drainJobs();
    assert.equal((await server.anonymous().fetch(path)).status, 404, 'it is removed once it is ready');
  },
);

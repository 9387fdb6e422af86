import assert from 'node:assert/strict';
import test from 'node:test';
import { abortUpload, initUpload } from '../../../../contracts/transfers/uploads/uploads.ts';
import { fileDownloadPath, zipDownloadPath } from '../../../../contracts/values/addresses/links.ts';
import { MINUTE_MS } from '../../../../contracts/values/durations.ts';
import { MIB } from '../../../../contracts/values/sizes.ts';
import type { Client } from '../../../../testing/calls/client.ts';
import { flipBit } from '../../../../testing/storage/stored-blobs.ts';
import { startTestServer, type TestServer } from '../../../../testing/test-context.ts';
import { sendTransfer } from '../../../../testing/uploads/send-transfer.ts';
import {
  completeFile,
  describeFile,
  makeBytes,
  sendChunks,
} from '../../../../testing/uploads/upload-files.ts';

const FILES = [
  { fileName: 'small.txt', bytes: makeBytes(20_000, 'small') },
  { fileName: 'large.bin', bytes: makeBytes(6 * MIB, 'large') },
  { fileName: 'other.txt', bytes: makeBytes(30_000, 'other') },
];

/** A checked transfer whose first two files are damaged. */
async function sendAndDamage(server: TestServer) {
  const client = await server.signIn('frida');
  const transfer = await sendTransfer(client, FILES);
  await server.drainJobs();
  const guest = server.anonymous();
  const before = await readAll(guest, zipDownloadPath(transfer.token));
  const etag = (await guest.fetch(fileDownloadPath(transfer.token, transfer.fileIds[0]!))).headers.get(
    'etag',
  );
  for (const id of transfer.fileIds.slice(0, 2)) await flipBit(server.context, await rowOf(server, id));
  await server.context.db
    .updateTable('files')
    .set({ damagedAt: server.clock.now() })
    .where('id', 'in', transfer.fileIds.slice(0, 2))
    .execute();
  return { client, guest, transfer, before, etag };
}

const rowOf = ({ context }: TestServer, id: string) =>
  context.db.selectFrom('files').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

async function readAll(client: Client, path: string): Promise<Buffer> {
  const response = await client.fetch(path);
  assert.equal(response.status, 200, path);
  return Buffer.from(await response.arrayBuffer());
}

type Repair = { transferId: string; fileId: string; bytes: Buffer };

async function announceRepair(client: Client, { transferId, fileId, bytes }: Repair): Promise<string> {
  const body = { ...describeFile('any name', bytes), transferId, repairs: fileId };
  return (await client.call(initUpload, { body })).uploadId;
}

async function sendRepair(client: Client, repair: Repair): Promise<void> {
  const uploadId = await announceRepair(client, repair);
  await sendChunks(client, uploadId, repair.bytes);
  await completeFile(client, uploadId);
}

const countsOf = ({ context }: TestServer) =>
  Promise.all([
    context.db.selectFrom('transfers').select(['fileCount', 'totalBytes', 'reservedBytes']).execute(),
    context.db.selectFrom('monthlyUsage').select('bytes').execute(),
  ]);

test('resending repairs damaged files: same id, ETag, zip and counts, and the old bytes are removed', async (t) => {
  const server = await startTestServer(t);
  const { client, guest, transfer, before, etag } = await sendAndDamage(server);
  const counts = await countsOf(server);
  const [smallId, largeId] = transfer.fileIds as [string, string, string];
  const old = [await rowOf(server, smallId), await rowOf(server, largeId)];
  assert.equal((await guest.fetch(fileDownloadPath(transfer.token, smallId))).status, 410);

  await sendRepair(client, { transferId: transfer.id, fileId: smallId, bytes: FILES[0]!.bytes });
  await sendRepair(client, { transferId: transfer.id, fileId: largeId, bytes: FILES[1]!.bytes });
  assert.equal((await guest.fetch(fileDownloadPath(transfer.token, largeId))).status, 410, 'not read yet');
  await server.drainJobs();

  const response = await guest.fetch(fileDownloadPath(transfer.token, smallId));
  assert.deepEqual(Buffer.from(await response.arrayBuffer()), FILES[0]!.bytes);
  assert.equal(response.headers.get('etag'), etag);
  assert.deepEqual(await readAll(guest, fileDownloadPath(transfer.token, largeId)), FILES[1]!.bytes);
  assert.deepEqual(await readAll(guest, zipDownloadPath(transfer.token)), before);
  assert.deepEqual(await countsOf(server), counts);
  const keys: string[] = [];
  for await (const { storageKey } of server.context.blobs.list()) keys.push(storageKey);
  assert.ok(!keys.includes(old[1]!.storageKey), 'the old blob is removed');
  if (server.context.blobs.packsSmallFiles) assert.ok(keys.includes(old[0]!.storageKey), 'the pack stays');
});

test('a different file is refused clearly: a wrong length at once, wrong content at the end', async (t) => {
  const server = await startTestServer(t);
  const { client, transfer } = await sendAndDamage(server);
  const counts = await countsOf(server);
  const [fileId, , wholeId] = transfer.fileIds as [string, string, string];
  const repair = { transferId: transfer.id, fileId, bytes: makeBytes(20_000, 'wrong') };
  await assert.rejects(announceRepair(client, { ...repair, bytes: makeBytes(19_999) }), {
    code: 'repair_differs',
  });
  const uploadId = await announceRepair(client, repair);
  await sendChunks(client, uploadId, repair.bytes);
  await assert.rejects(completeFile(client, uploadId), { status: 409, code: 'repair_differs' });
  await assert.rejects(completeFile(client, uploadId), { code: 'upload_not_found' });
  await assert.rejects(announceRepair(client, { ...repair, fileId: wholeId, bytes: FILES[2]!.bytes }), {
    code: 'file_not_damaged',
  });
  await assert.rejects(announceRepair(client, { ...repair, fileId: transfer.id }), {
    code: 'file_not_found',
  });
  const stranger = await server.signIn('paula');
  await assert.rejects(announceRepair(stranger, repair), { code: 'transfer_not_found' });
  assert.ok((await rowOf(server, fileId)).damagedAt);
  assert.deepEqual(await countsOf(server), counts);
});

test('content with the same CRC-32 but a different SHA-256 can never be downloaded', async (t) => {
  const server = await startTestServer(t);
  const { client, guest, transfer } = await sendAndDamage(server);
  const [fileId] = transfer.fileIds as [string];
  await server.context.db
    .updateTable('files')
    .set({ sha256: 'f'.repeat(64) })
    .where('id', '=', fileId)
    .execute();
  await sendRepair(client, { transferId: transfer.id, fileId, bytes: FILES[0]!.bytes });
  await server.drainJobs();
  assert.equal((await guest.fetch(fileDownloadPath(transfer.token, fileId))).status, 410);
});

test('an unfinished repair reserves nothing and leaves nothing behind when aborted', async (t) => {
  const server = await startTestServer(t);
  const { client, transfer } = await sendAndDamage(server);
  const counts = await countsOf(server);
  const repair = { transferId: transfer.id, fileId: transfer.fileIds[0]!, bytes: FILES[0]!.bytes };
  const uploadId = await announceRepair(client, repair);
  assert.deepEqual(await countsOf(server), counts);
  await sendChunks(client, uploadId, repair.bytes);
  const upload = await server.context.db
    .selectFrom('uploads')
    .selectAll()
    .where('id', '=', uploadId)
    .executeTakeFirstOrThrow();
  await client.call(abortUpload, { params: { uploadId } });
  assert.deepEqual(await countsOf(server), counts);
  for await (const { storageKey } of server.context.blobs.list())
    assert.notEqual(storageKey, upload.storageKey);
});

test('a file whose own bytes are restored meanwhile no longer needs a repair', async (t) => {
  const server = await startTestServer(t);
  const { client, transfer } = await sendAndDamage(server);
  const repair = { transferId: transfer.id, fileId: transfer.fileIds[0]!, bytes: FILES[0]!.bytes };
  const uploadId = await announceRepair(client, repair);
  await sendChunks(client, uploadId, repair.bytes);
  await server.context.db.updateTable('files').set({ damagedAt: null }).execute();
  server.clock.advance(MINUTE_MS);
  await assert.rejects(completeFile(client, uploadId), { code: 'file_not_damaged' });
});

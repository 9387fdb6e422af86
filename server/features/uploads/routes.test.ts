import assert from 'node:assert/strict';
import test from 'node:test';
import { CHUNK_BYTES, MAX_FILES_PER_TRANSFER } from '../../../contracts/plans/limits.ts';
import { getTransfer } from '../../../contracts/transfers/transfers.ts';
import {
  abortUpload,
  abortUploads,
  completeUploads,
  initUpload,
  initUploads,
  listChunks,
  listUploads,
} from '../../../contracts/transfers/uploads/uploads.ts';
import { onceUnlessAll } from '../../../testing/lib/only-in-all.ts';
import { THOUSANDS } from '../../../testing/storage/test-storage.ts';
import { startTestServer, type TestServer } from '../../../testing/test-context.ts';
import {
  announceFile,
  completeFile,
  describeFile,
  makeBytes,
  readStored,
  sendChunk,
  sendChunks,
  uploadFile,
} from '../../../testing/uploads/upload-files.ts';

const UNKNOWN_ID = 'zzzzzzzzzzzzzzzzzzzzzzzzzz';

test('a file of several chunks, sent in parallel and in any order, arrives byte for byte', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  const bytes = makeBytes(2 * CHUNK_BYTES + 12_345);
  const upload = await announceFile(frida, 'film.mp4', bytes);
  assert.equal(upload.chunkSize, CHUNK_BYTES);
  assert.deepEqual(upload.receivedChunks, []);
  await sendChunks(frida, upload.uploadId, bytes);
  assert.deepEqual(await frida.call(listChunks, { params: { uploadId: upload.uploadId } }), {
    chunks: [0, 1, 2],
  });
  const answer = await completeFile(frida, upload.uploadId, { title: 'The film', mimeType: 'video/mp4' });
  assert.equal(answer.transfer.id, upload.transferId);
  const [file] = await server.context.db.selectFrom('files').selectAll().execute();
  assert.equal(file!.id, upload.uploadId);
  assert.equal(file!.mimeType, 'video/mp4');
  assert.ok((await readStored(server.context, file!)).equals(bytes));
});

test('each recipient is mailed the link once, however often the upload is completed', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  const settings = {
    title: 'Plans <b>',
    message: 'See you',
    recipientEmails: 'rex@example.org, vera@example.org',
  };
  const { uploadId, token } = await uploadFile(frida, 'plan.pdf', makeBytes(10), settings);
  const again = await completeFile(frida, uploadId, { recipientEmails: ['else@example.org'] });
  assert.equal(again.token, token);
  const mails = await server.mails();
  assert.deepEqual(mails.map(({ recipient }) => recipient).sort(), ['rex@example.org', 'vera@example.org']);
  for (const mail of mails) {
    assert.equal(mail.replyTo, 'frida@example.org');
    assert.equal(mail.subject, 'Frida Free sent you “Plans <b>”');
    assert.ok(mail.text.includes(`${server.context.config.publicUrl}/download/${token}`));
    assert.ok(mail.text.includes('See you'));
    assert.ok(!mail.html.includes('<b>'));
  }
});

test('a transfer is ready, and mailed, when the announced number of files is complete', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  const [one, two] = [makeBytes(100, 'one'), makeBytes(200, 'two')];
  const first = await announceFile(frida, 'one.txt', one);
  const second = await announceFile(frida, 'two.txt', two, first.transferId);
  assert.equal(second.transferId, first.transferId);
  await sendChunks(frida, first.uploadId, one);
  await sendChunks(frida, second.uploadId, two);
  await completeFile(frida, first.uploadId, { fileCount: 2, recipientEmails: ['rex@example.org'] });
  assert.equal((await server.mails()).length, 0);
  assert.equal((await findTransfer(server)).status, 'draft');
  await completeFile(frida, second.uploadId, { transferId: first.transferId });
  assert.equal((await server.mails()).length, 1);
  const transfer = await findTransfer(server);
  assert.equal(transfer.status, 'ready');
  assert.equal(transfer.fileCount, 2);
  assert.equal(transfer.totalBytes, 300);
  assert.equal(transfer.reservedBytes, 300);
});

test('files can be added to the owner’s ready transfer without another mail', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  const { transfer } = await uploadFile(frida, 'a.txt', makeBytes(5), {
    recipientEmails: ['rex@example.org'],
  });
  const bytes = makeBytes(6, 'later');
  const late = await announceFile(frida, 'b.txt', bytes, transfer.id);
  const [unfinished] = await frida.call(listUploads);
  const { createdAt } = await frida.call(getTransfer, { params: { id: transfer.id } });
  assert.deepEqual(
    unfinished?.addsTo,
    { title: null, firstFileName: 'a.txt', fileCount: 1, createdAt },
    'another tab learns where it belongs',
  );
  await sendChunks(frida, late.uploadId, bytes);
  const answer = await completeFile(frida, late.uploadId, { title: 'Not any more' });
  assert.equal(answer.transfer.id, transfer.id);
  assert.equal((await server.mails()).length, 1);
  const row = await findTransfer(server);
  assert.equal(row.fileCount, 2);
  assert.equal(row.title, null);
});

test('an upload can join a transfer that is named only at completion', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  const { transfer } = await uploadFile(frida, 'a.txt', makeBytes(5));
  const bytes = makeBytes(7, 'joins');
  const { uploadId, transferId } = await announceFile(frida, 'b.txt', bytes);
  assert.notEqual(transferId, transfer.id);
  await sendChunks(frida, uploadId, bytes);
  const answer = await completeFile(frida, uploadId, { transferId: transfer.id });
  assert.equal(answer.transfer.id, transfer.id);
  const row = await findTransfer(server);
  assert.deepEqual([row.fileCount, row.totalBytes, row.reservedBytes], [2, 12, 12]);
  const files = await server.context.db.selectFrom('files').selectAll().orderBy('position').execute();
  assert.deepEqual(
    files.map(({ position }) => position),
    [0, 1],
  );
  assert.ok((await readStored(server.context, files[1]!)).equals(bytes));
});

test('all files of a draft can join a transfer that is named only at completion', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  const { transfer } = await uploadFile(frida, 'a.txt', makeBytes(5));
  const contents = [makeBytes(7, 'one'), makeBytes(8, 'two')];
  const { uploads } = await frida.call(initUploads, {
    body: { files: contents.map((bytes, index) => describeFile(`${index}.txt`, bytes)) },
  });
  const uploadIds = uploads.map(({ uploadId }) => uploadId);
  for (const [index, uploadId] of uploadIds.entries()) await sendChunks(frida, uploadId, contents[index]!);
  await frida.call(completeUploads, { body: { transferId: transfer.id, uploadIds } });
  const row = await findTransfer(server);
  assert.deepEqual([row.fileCount, row.totalBytes, row.reservedBytes], [3, 20, 20]);
});

test('no upload joins a transfer that has expired, is used up or is full', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  const { db, clock } = server.context;
  const { transfer } = await uploadFile(frida, 'a.txt', makeBytes(5));
  const { uploadId } = await announceFile(frida, 'b.txt', Buffer.from('b'));
  await sendChunks(frida, uploadId, Buffer.from('b'));
  const { expiresAt } = await findRow(server, transfer.id);
  const join = () => completeFile(frida, uploadId, { transferId: transfer.id });
  const change = (set: object) =>
    db.updateTable('transfers').set(set).where('id', '=', transfer.id).execute();

  await change({ expiresAt: clock.now() });
  await assert.rejects(join(), { code: 'transfer_expired' });
  await change({ expiresAt, closedAt: clock.now() });
  await assert.rejects(join(), { code: 'transfer_used_up' });
  await change({ closedAt: null, fileCount: MAX_FILES_PER_TRANSFER });
  await db
    .updateTable('files')
    .set({ position: MAX_FILES_PER_TRANSFER - 1 })
    .execute();
  await assert.rejects(join(), { code: 'invalid_input', message: /at most 100,000 files/ });
  await change({ fileCount: 1 });
  await join();
});

test('positions that earlier files used up do not count against the number of files', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  const { transfer } = await uploadFile(frida, 'a.txt', makeBytes(5));
  const { db } = server.context;
  await db.updateTable('files').set({ position: MAX_FILES_PER_TRANSFER }).execute();
  const change = (fileCount: number) => db.updateTable('transfers').set({ fileCount }).execute();
  await change(MAX_FILES_PER_TRANSFER - 1);
  await announceFile(frida, 'b.txt', makeBytes(5), transfer.id);
  const tooMany = { code: 'invalid_input', message: /at most 100,000 files/ };
  await assert.rejects(announceFile(frida, 'c.txt', makeBytes(5), transfer.id), tooMany);
  await change(1);
  await announceFile(frida, 'c.txt', makeBytes(5), transfer.id);
});

test('thousands of small files can be sent by the batch calls', onceUnlessAll, async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  const count = THOUSANDS;
  // Four of five files are empty, because this test is about announcing and completing.
  const contents = Array.from({ length: count }, (_, index) =>
    makeBytes(index % 5 === 0 ? 64 + (index % 50) : 0, `file ${index}`),
  );
  let transferId: string | undefined;
  const uploadIds: string[] = [];
  for (let start = 0; start < count; start += 1_000) {
    const files = contents.slice(start, start + 1_000).map((bytes, index) => ({
      ...describeFile(`f${start + index}.txt`, bytes),
      relativePath: `folder/sub/f${start + index}.txt`,
    }));
    const answer = await frida.call(initUploads, { body: { transferId, files } });
    transferId = answer.transferId;
    uploadIds.push(...answer.uploads.map(({ uploadId }) => uploadId));
  }
  const waiting = uploadIds.entries();
  const lane = async () => {
    for (const [index, uploadId] of waiting) await sendChunks(frida, uploadId, contents[index]!);
  };
  await Promise.all([lane(), lane(), lane(), lane()]);
  for (let start = 0; start < count; start += 1_000) {
    const body = { transferId, uploadIds: uploadIds.slice(start, start + 1_000), fileCount: count };
    await frida.call(completeUploads, { body });
    assert.equal((await findTransfer(server)).status, start + 1_000 < count ? 'draft' : 'ready');
  }
  const files = await server.context.db.selectFrom('files').selectAll().orderBy('position').execute();
  assert.equal(files.length, count);
  for (const index of [0, 1, 5, count / 2, count - 5]) {
    assert.equal(files[index]!.relativePath, `folder/sub/f${index}.txt`);
    assert.ok((await readStored(server.context, files[index]!)).equals(contents[index]!));
  }
  if (server.context.blobs.packsSmallFiles) assert.equal((await listBlobs(server)).length, 1);
});

test('an empty file can be announced with no chunk or with one', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  const nothing = Buffer.alloc(0);
  const { token } = await uploadFile(frida, 'empty.txt', nothing);
  assert.ok(token);
  const upload = await frida.call(initUpload, { body: { fileName: 'e', fileSize: 0, totalChunks: 1 } });
  const sent = await sendChunk(frida, { uploadId: upload.uploadId, index: 0, body: new Uint8Array(0) });
  assert.equal(sent.status, 200);
  await completeFile(frida, upload.uploadId);
  const files = await server.context.db.selectFrom('files').selectAll().execute();
  assert.deepEqual(
    files.map(({ sizeBytes, crc32 }) => [sizeBytes, crc32]),
    [
      [0, 0],
      [0, 0],
    ],
  );
});

test('unfinished uploads are listed for their owner only, so that another tab can resume', async (t) => {
  const server = await startTestServer(t);
  const [frida, paula] = [await server.signIn('frida'), await server.signIn('paula')];
  const bytes = makeBytes(CHUNK_BYTES + 1);
  const { uploadId, transferId } = await announceFile(frida, 'half.bin', bytes);
  await sendChunk(frida, { uploadId, index: 1, body: new Uint8Array(bytes.subarray(CHUNK_BYTES)) });
  const [unfinished, ...others] = await frida.call(listUploads);
  assert.deepEqual(others, []);
  assert.deepEqual(
    { ...unfinished!, createdAt: '', lastActivityAt: '' },
    {
      uploadId,
      transferId,
      chunkSize: CHUNK_BYTES,
      receivedChunks: [1],
      addsTo: null,
      sharedToken: null,
      encryption: null,
      fileName: 'half.bin',
      relativePath: 'half.bin',
      mimeType: 'application/octet-stream',
      fileSize: CHUNK_BYTES + 1,
      totalChunks: 2,
      createdAt: '',
      lastActivityAt: '',
    },
  );
  assert.deepEqual(await paula.call(listUploads), []);
});

test('an incomplete upload cannot be completed, and the error lists the missing chunks', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  const bytes = makeBytes(2 * CHUNK_BYTES + 1);
  const { uploadId } = await announceFile(frida, 'gaps.bin', bytes);
  await sendChunk(frida, { uploadId, index: 2, body: new Uint8Array(bytes.subarray(2 * CHUNK_BYTES)) });
  await assert.rejects(completeFile(frida, uploadId), (error: { status: number; problem: object }) => {
    assert.equal(error.status, 409);
    assert.partialDeepStrictEqual(error.problem, { code: 'chunks_missing', count: 2, missing: [0, 1] });
    return true;
  });
  await sendChunks(frida, uploadId, bytes);
  assert.ok((await completeFile(frida, uploadId)).token);
});

test('aborting releases the reservation, and removes the draft with its last upload', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  const { uploadId } = await announceFile(frida, 'a.bin', makeBytes(3 * CHUNK_BYTES));
  const { db } = server.context;
  await frida.call(abortUpload, { params: { uploadId } });
  assert.deepEqual(await db.selectFrom('transfers').select('id').execute(), []);
  const usage = await db.selectFrom('monthlyUsage').select('bytes').executeTakeFirstOrThrow();
  assert.equal(usage.bytes, 0);
  assert.deepEqual(await listBlobs(server), []);
  await assert.rejects(frida.call(abortUpload, { params: { uploadId } }), { code: 'upload_not_found' });
  const chunk = await sendChunk(frida, { uploadId, index: 0, body: new Uint8Array(CHUNK_BYTES) });
  assert.equal(chunk.status, 404);
  assert.deepEqual(await listBlobs(server), []);
});

test('a draft is kept while another upload continues; its pack is removed with the last one', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  const [one, two] = [makeBytes(100, 'one'), makeBytes(50, 'two')];
  const first = await announceFile(frida, 'one', one);
  const second = await announceFile(frida, 'two', two, first.transferId);
  await sendChunks(frida, second.uploadId, two);
  await frida.call(abortUpload, { params: { uploadId: first.uploadId } });
  assert.equal((await findTransfer(server)).reservedBytes, 50);
  assert.deepEqual(await frida.call(listChunks, { params: { uploadId: second.uploadId } }), { chunks: [0] });
  await frida.call(abortUpload, { params: { uploadId: second.uploadId } });
  assert.deepEqual(await listBlobs(server), []);
});

test('many uploads are aborted in one call, which ignores those that are complete, unknown or foreign', async (t) => {
  const server = await startTestServer(t);
  const [frida, paula] = [await server.signIn('frida'), await server.signIn('paula')];
  const { db } = server.context;
  const large = makeBytes(3 * CHUNK_BYTES);
  const first = await announceFile(frida, 'large', large);
  const { transferId } = first;
  await sendChunk(frida, {
    uploadId: first.uploadId,
    index: 0,
    body: new Uint8Array(large.subarray(0, CHUNK_BYTES)),
  });
  const files = Array.from({ length: 600 }, (_, index) => ({
    fileName: `${index}`,
    fileSize: 1,
    totalChunks: 1,
  }));
  const { uploads } = await frida.call(initUploads, { query: {}, body: { transferId, files } });
  const small = uploads.map(({ uploadId }) => uploadId);
  const kept = small.pop()!;
  const foreign = await announceFile(paula, 'hers', makeBytes(10));
  const { uploadId: complete, transfer } = await uploadFile(frida, 'done', makeBytes(7));
  const { storageKey } = await db
    .selectFrom('uploads')
    .select('storageKey')
    .where('id', '=', first.uploadId)
    .executeTakeFirstOrThrow();
  const uploadIds = [first.uploadId, first.uploadId, ...small, complete, foreign.uploadId, UNKNOWN_ID];
  await frida.call(abortUploads, { query: {}, body: { uploadIds } });

  const left = await db.selectFrom('uploads').select('id').where('state', '=', 'open').execute();
  assert.deepEqual(left.map(({ id }) => id).sort(), [kept, foreign.uploadId].sort());
  const rows = await db.selectFrom('transfers').select(['id', 'reservedBytes', 'status']).execute();
  const byId = new Map(rows.map(({ id, ...row }) => [id, row]));
  assert.deepEqual(byId.get(transferId), { reservedBytes: 1, status: 'draft' });
  assert.equal(byId.get(transfer.id)?.status, 'ready');
  const usage = db.selectFrom('monthlyUsage').select('bytes').where('userId', '=', server.userId('frida'));
  assert.equal((await usage.executeTakeFirstOrThrow()).bytes, 8);
  assert.ok(!(await listBlobs(server)).includes(storageKey));

  await frida.call(abortUploads, { query: {}, body: { uploadIds: [kept, ...small] } });
  assert.equal((await db.selectFrom('transfers').select('id').execute()).length, 2, 'the draft is gone');
  await assert.rejects(server.anonymous().call(abortUploads, { query: {}, body: { uploadIds } }), {
    status: 401,
  });
});

test('strangers learn nothing about an upload, and all calls require a session', async (t) => {
  const server = await startTestServer(t);
  const [frida, paula] = [await server.signIn('frida'), await server.signIn('paula')];
  const bytes = makeBytes(10);
  const { uploadId } = await announceFile(frida, 'mine', bytes);
  for (const id of [uploadId, UNKNOWN_ID, '..%2f..%2fetc', 'x'.repeat(200)]) {
    const params = { uploadId: id };
    const chunk = await sendChunk(paula, { uploadId: id, index: 0, body: new Uint8Array(bytes) });
    assert.equal(chunk.status, 404);
    await assert.rejects(paula.call(listChunks, { params }), { status: 404 });
    await assert.rejects(paula.call(abortUpload, { params }), { status: 404 });
    await assert.rejects(completeFile(paula, id), { status: 404 });
  }
  const anonymous = server.anonymous();
  const chunk = await sendChunk(anonymous, { uploadId, index: 0, body: new Uint8Array(bytes) });
  assert.equal(chunk.status, 401);
  assert.deepEqual(await frida.call(listChunks, { params: { uploadId } }), { chunks: [] });
});

test('no file can be added to a foreign, unknown or deleted transfer', async (t) => {
  const server = await startTestServer(t);
  const [frida, paula] = [await server.signIn('frida'), await server.signIn('paula')];
  const { transfer } = await uploadFile(frida, 'a', makeBytes(3));
  const bytes = makeBytes(4);
  for (const id of [transfer.id, UNKNOWN_ID]) {
    await assert.rejects(announceFile(paula, 'b', bytes, id), { status: 404, code: 'transfer_not_found' });
  }
  const { uploadId } = await announceFile(paula, 'b', bytes);
  await sendChunks(paula, uploadId, bytes);
  const foreign = completeFile(paula, uploadId, { transferId: transfer.id });
  await assert.rejects(foreign, { status: 404, code: 'transfer_not_found' });

  const late = await announceFile(frida, 'late', bytes, transfer.id);
  await sendChunks(frida, late.uploadId, bytes);
  await frida.fetch(`/api/transfers/${transfer.id}`, { method: 'DELETE' });
  await assert.rejects(completeFile(frida, late.uploadId), { status: 404 });
  const chunk = await sendChunk(frida, { uploadId: late.uploadId, index: 0, body: new Uint8Array(bytes) });
  assert.equal(chunk.status, 404);
  assert.deepEqual(await frida.call(listUploads), []);
});

async function findRow({ context }: TestServer, id: string) {
  return context.db.selectFrom('transfers').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
}

async function findTransfer({ context }: TestServer) {
  return context.db.selectFrom('transfers').selectAll().executeTakeFirstOrThrow();
}

async function listBlobs({ context }: TestServer): Promise<string[]> {
  const keys: string[] = [];
  for await (const { storageKey } of context.blobs.list()) keys.push(storageKey);
  return keys;
}

test('files that name their transfer only at completion get distinct positions', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  const { transfer } = await uploadFile(frida, 'first.txt', Buffer.from('first'));
  for (const name of ['second.txt', 'third.txt', 'fourth.txt']) {
    const { uploadId } = await announceFile(frida, name, Buffer.from(name));
    await sendChunks(frida, uploadId, Buffer.from(name));
    await completeFile(frida, uploadId, { transferId: transfer.id });
  }
  const files = await server.context.db.selectFrom('files').selectAll().orderBy('position').execute();
  assert.deepEqual(
    files.map(({ originalName, position }) => [originalName, position]),
    [
      ['first.txt', 0],
      ['second.txt', 1],
      ['third.txt', 2],
      ['fourth.txt', 3],
    ],
  );
});

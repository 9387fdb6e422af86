import assert from 'node:assert/strict';
import test from 'node:test';
import { deleteTransfer } from '../../../../contracts/transfers/transfers.ts';
import { abortUpload, completeUploads } from '../../../../contracts/transfers/uploads/uploads.ts';
import { startTestServer } from '../../../../testing/test-context.ts';
import {
  announceFile,
  completeFile,
  makeBytes,
  readStored,
  sendChunks,
  uploadFile,
} from '../../../../testing/uploads/upload-files.ts';

test('twelve parallel completions make one file, one mail and one response', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  const bytes = makeBytes(5_000);
  const { uploadId } = await announceFile(frida, 'once.bin', bytes);
  await sendChunks(frida, uploadId, bytes);
  const answers = await Promise.all(
    Array.from({ length: 12 }, () => completeFile(frida, uploadId, { recipientEmails: ['rex@example.org'] })),
  );
  assert.equal(new Set(answers.map((answer) => JSON.stringify(answer))).size, 1);
  const { db } = server.context;
  assert.equal((await db.selectFrom('files').select('id').execute()).length, 1);
  const transfer = await db.selectFrom('transfers').selectAll().executeTakeFirstOrThrow();
  assert.deepEqual([transfer.fileCount, transfer.totalBytes, transfer.reservedBytes], [1, 5_000, 5_000]);
  assert.equal((await server.mails()).length, 1);
});

test('overlapping parallel completions complete each file of a transfer once', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  const contents = Array.from({ length: 12 }, (_, index) => makeBytes(50 + index, `file ${index}`));
  const first = await announceFile(frida, 'f0', contents[0]!);
  const uploads = [first];
  for (const bytes of contents.slice(1))
    uploads.push(await announceFile(frida, 'f', bytes, first.transferId));
  await Promise.all(uploads.map(({ uploadId }, index) => sendChunks(frida, uploadId, contents[index]!)));
  const ids = uploads.map(({ uploadId }) => uploadId);
  const many = (uploadIds: string[]) =>
    frida.call(completeUploads, {
      body: { transferId: first.transferId, uploadIds, fileCount: 12, recipientEmails: ['rex@example.org'] },
    });
  await Promise.all([many(ids.slice(0, 8)), many(ids.slice(4)), many([...ids].reverse()), many([ids[3]!])]);
  const files = await server.context.db.selectFrom('files').selectAll().orderBy('position').execute();
  assert.equal(files.length, 12);
  for (const [index, file] of files.entries())
    assert.ok((await readStored(server.context, file)).equals(contents[index]!));
  assert.equal((await server.mails()).length, 1);
});

test('an upload either completes or aborts, never both', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  const bytes = makeBytes(100);
  for (let round = 0; round < 5; round += 1) {
    const { uploadId, transferId } = await announceFile(frida, 'x', bytes);
    await sendChunks(frida, uploadId, bytes);
    const [completed, aborted] = await Promise.allSettled([
      completeFile(frida, uploadId),
      frida.call(abortUpload, { params: { uploadId } }),
    ]);
    assert.notEqual(completed.status, aborted.status);
    const file = await server.context.db
      .selectFrom('files')
      .selectAll()
      .where('transferId', '=', transferId)
      .executeTakeFirst();
    assert.equal(file !== undefined, completed.status === 'fulfilled');
    if (file) assert.ok((await readStored(server.context, file)).equals(bytes));
  }
});

test('a file completed during its transfer’s deletion is deleted with it or refused', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  const bytes = makeBytes(100);
  for (let round = 0; round < 5; round += 1) {
    const { transfer } = await uploadFile(frida, 'first', bytes);
    const { uploadId } = await announceFile(frida, 'second', bytes, transfer.id);
    await sendChunks(frida, uploadId, bytes);
    const [completed] = await Promise.allSettled([
      completeFile(frida, uploadId),
      frida.call(deleteTransfer, { params: { id: transfer.id } }),
    ]);
    if (completed.status === 'rejected') assert.equal((completed.reason as { status: number }).status, 404);
    await server.drainJobs();
    assert.deepEqual(await server.context.db.selectFrom('files').select('id').execute(), []);
    for await (const blob of server.context.blobs.list()) assert.fail(`left behind: ${blob.storageKey}`);
  }
});

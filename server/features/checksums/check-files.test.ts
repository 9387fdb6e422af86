import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import test, { type TestContext } from 'node:test';
import { viewDownload } from '../../../contracts/transfers/downloads/downloads.ts';
import { encodeSelection } from '../../../contracts/transfers/downloads/selection.ts';
import { deleteTransfer, getTransfer } from '../../../contracts/transfers/transfers.ts';
import {
  fileDownloadPath,
  selectionDownloadPath,
  zipDownloadPath,
} from '../../../contracts/values/addresses/links.ts';
import { HOUR_MS } from '../../../contracts/values/durations.ts';
import { MIB } from '../../../contracts/values/sizes.ts';
import { createReadyTransfer } from '../../../testing/factories.ts';
import { live } from '../../../testing/live.ts';
import { startTestServer, type TestServer } from '../../../testing/test-context.ts';
import { sendTransfer } from '../../../testing/uploads/send-transfer.ts';
import { announceFile, completeFile, makeBytes, sendChunks } from '../../../testing/uploads/upload-files.ts';
import { checkFilesJob } from './check-files.ts';
import { scrub } from './scrub.ts';
import { CONFIRM_DAMAGE_AFTER_MS } from './verdicts.ts';

const sha256 = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest('hex');
const { signal } = new AbortController();

const FILES = [
  { path: 'a.txt', bytes: Buffer.from('hello world') },
  { path: 'b/large.bin', bytes: makeBytes(11 * MIB + 7, 'large') },
  { path: 'b/empty', bytes: Buffer.alloc(0) },
  { path: 'c.txt', bytes: makeBytes(100_000, 'c') },
];

async function startWithTransfer(t: TestContext) {
  const server = await startTestServer(t);
  const transfer = await createReadyTransfer(server.context, {
    userId: server.userId('paula'),
    files: FILES,
  });
  return { server, transfer };
}

const listFiles = ({ context }: TestServer) =>
  context.db.selectFrom('files').selectAll().orderBy('position').execute();

/** Checks a transfer's files, then reads those that looked damaged again, late enough to confirm the damage. */
async function checkTwice({ context, clock }: TestServer, transferId: string): Promise<void> {
  await checkFilesJob.run(context, { transferId }, { attempt: 1, signal });
  assert.ok(
    (await context.db.selectFrom('files').select('damagedAt').execute()).every((file) => !file.damagedAt),
  );
  clock.advance(CONFIRM_DAMAGE_AFTER_MS);
  await scrub(context, { signal });
}

/** Changes the recorded CRC-32 so that the file's bytes look damaged. */
async function damage({ context }: TestServer, fileId: string): Promise<void> {
  await context.db
    .updateTable('files')
    .set((eb) => ({ crc32: eb('crc32', '-', 1) }))
    .where('id', '=', fileId)
    .execute();
}

test('each file of a transfer gets a SHA-256, which recipients and the owner see', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  const files = FILES.map(({ path, bytes }) => ({ fileName: path.split('/').at(-1)!, bytes }));
  const sent = await sendTransfer(frida, files);
  const guest = server.anonymous();
  const sumsOf = async () =>
    (await guest.call(viewDownload, { params: { token: sent.token } })).files!.map((file) => file.sha256);
  assert.deepEqual(await sumsOf(), [null, null, null, null]);
  await server.drainJobs();
  const sums = files.map(({ bytes }) => sha256(bytes));
  assert.deepEqual(await sumsOf(), sums);
  const detail = await frida.call(getTransfer, { params: { id: sent.id } });
  assert.deepEqual(
    detail.files.map((file) => [file.sha256, file.isDamaged]),
    sums.map((sum) => [sum, false]),
  );
});

test('a file added to a ready transfer gets a checksum, and no file is read twice', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  const sent = await sendTransfer(frida, [{ fileName: 'first.txt', bytes: Buffer.from('first') }]);
  await server.drainJobs();
  await server.context.db.updateTable('files').set({ sha256: 'kept' }).execute();
  const { uploadId } = await announceFile(frida, 'second.txt', Buffer.from('second'), sent.id);
  await sendChunks(frida, uploadId, Buffer.from('second'));
  await completeFile(frida, uploadId);
  await server.drainJobs();
  assert.deepEqual(
    (await listFiles(server)).map((file) => file.sha256),
    ['kept', sha256('second')],
  );
});

test('a file with changed bytes is damaged: neither it nor a zip containing it can be downloaded', async (t) => {
  const { server, transfer } = await startWithTransfer(t);
  const [a, large] = transfer.files;
  await damage(server, large!.id);
  await checkTwice(server, transfer.id);
  const guest = server.anonymous();
  const codeOf = async (path: string) => {
    const response = await guest.fetch(path, { headers: { accept: 'application/json' } });
    const { code, detail } = (await response.json()) as { code: string; detail: string };
    return [response.status, code, detail.includes('damaged')];
  };
  const { token } = transfer;
  const refused = [410, 'file_damaged', true];
  assert.deepEqual(await codeOf(fileDownloadPath(token, large!.id)), refused);
  assert.deepEqual(await codeOf(zipDownloadPath(token)), refused);
  assert.deepEqual(await codeOf(selectionDownloadPath(token, encodeSelection([0, 1]))), refused);
  for (const path of [
    fileDownloadPath(token, a!.id),
    selectionDownloadPath(token, encodeSelection([0, 2, 3])),
  ]) {
    const response = await guest.fetch(path);
    assert.equal(response.status, 200);
    await response.arrayBuffer();
  }
  const view = await guest.call(viewDownload, { params: { token } });
  assert.deepEqual(
    view.files!.map(({ isDamaged }) => isDamaged),
    [false, true, false, false],
  );
  assert.equal(view.files![1]!.sha256, null);
  assert.equal(view.downloadCount, 2);
  const paula = await server.signIn('paula');
  const detail = await paula.call(getTransfer, { params: { id: transfer.id } });
  assert.equal(detail.files[1]!.isDamaged, true);
});

test('files with missing or too few bytes are damaged', async (t) => {
  const { server, transfer } = await startWithTransfer(t);
  const [, large, , small] = transfer.files;
  await server.context.blobs.remove(large!.storageKey);
  await server.context.db
    .updateTable('files')
    .set((eb) => ({ sizeBytes: eb('sizeBytes', '+', 10 * MIB) }))
    .where('id', '=', small!.id)
    .execute();
  await checkTwice(server, transfer.id);
  const files = await listFiles(server);
  assert.deepEqual(
    files.map(({ damagedAt }) => damagedAt !== null),
    [false, true, false, true],
  );
  assert.ok(files.every(({ checkedAt }) => checkedAt !== null));
});

test('an interrupted check keeps its results and resumes after them', async (t) => {
  const { server, transfer } = await startWithTransfer(t);
  const stop = new AbortController();
  const { blobs } = server.context;
  const context = {
    ...server.context,
    blobs: Object.assign(Object.create(blobs) as typeof blobs, {
      openRange: (key: string, start: number, end: number) => {
        if (key === transfer.files[1]!.storageKey) stop.abort(new Error('the server stops'));
        return blobs.openRange(key, start, end);
      },
    }),
  };
  const payload = { transferId: transfer.id };
  await assert.rejects(
    Promise.resolve(checkFilesJob.run(context, payload, { attempt: 1, signal: stop.signal })),
    /the server stops/,
  );
  const known = (await listFiles(server)).map(({ sha256: sum }) => sum);
  assert.deepEqual(known, [sha256('hello world'), null, null, null]);
  await checkFilesJob.run(server.context, payload, { attempt: 2, signal });
  assert.deepEqual(
    (await listFiles(server)).map(({ sha256: sum }) => sum),
    FILES.map(({ bytes }) => sha256(bytes)),
  );
});

test('no file counts as damaged while the storage is unreachable', async (t) => {
  const { server, transfer } = await startWithTransfer(t);
  const { blobs } = server.context;
  const openRange = () => Promise.reject(new Error('EIO'));
  const context = {
    ...server.context,
    blobs: Object.assign(Object.create(blobs) as typeof blobs, { openRange }),
  };
  await assert.rejects(
    Promise.resolve(checkFilesJob.run(context, { transferId: transfer.id }, { attempt: 1, signal })),
    /EIO/,
  );
  assert.ok((await listFiles(server)).every(({ checkedAt, damagedAt }) => !checkedAt && !damagedAt));
});

test('files uploaded before checksums existed get theirs eventually', async (t) => {
  const { server } = await startWithTransfer(t);
  await server.drainJobs();
  assert.ok((await listFiles(server)).every(({ checkedAt }) => checkedAt === null));
  await live(server, HOUR_MS);
  assert.ok((await listFiles(server)).every(({ checkedAt }) => checkedAt !== null));
});

test('a transfer deleted during the check is not reported as damaged', async (t) => {
  const { server, transfer } = await startWithTransfer(t);
  const paula = await server.signIn('paula');
  const { blobs } = server.context;
  let deleted = false;
  const context = {
    ...server.context,
    log: { ...server.context.log, error: () => assert.fail('an error was logged') } as never,
    blobs: Object.assign(Object.create(blobs) as typeof blobs, {
      check: () => blobs.check(),
      openRange: async (key: string, start: number, end: number) => {
        if (!deleted) await paula.call(deleteTransfer, { params: { id: transfer.id } });
        deleted = true;
        await blobs.remove(key);
        return blobs.openRange(key, start, end);
      },
    }),
  };
  await checkFilesJob.run(context, { transferId: transfer.id }, { attempt: 1, signal });
  assert.ok((await listFiles(server)).every((file) => file.damagedAt === null && file.suspectedAt === null));
});

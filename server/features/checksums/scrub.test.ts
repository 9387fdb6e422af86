import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { crc32 } from 'node:zlib';
import { fileDownloadPath, zipDownloadPath } from '../../../contracts/values/addresses/links.ts';
import { DAY_MS, MINUTE_MS } from '../../../contracts/values/durations.ts';
import { MIB } from '../../../contracts/values/sizes.ts';
import { createReadyTransfer, type ReadyTransfer } from '../../../testing/factories.ts';
import { flipBit, replaceBlob } from '../../../testing/storage/stored-blobs.ts';
import { startTestServer, type TestServer } from '../../../testing/test-context.ts';
import { makeBytes } from '../../../testing/uploads/upload-files.ts';
import { checkFilesJob } from './check-files.ts';
import { findScrubState, measureScrubDelay, saveScrubState, scrub } from './scrub.ts';

const { signal } = new AbortController();
const FILES = [
  { path: 'a.txt', bytes: Buffer.from('hello world') },
  { path: 'large.bin', bytes: makeBytes(6 * MIB + 7, 'large') },
  { path: 'c.txt', bytes: makeBytes(100_000, 'c') },
];

/** A transfer whose files have passed their first check. */
async function startWithCheckedTransfer(t: TestContext, env: Record<string, string> = {}) {
  const server = await startTestServer(t, env);
  const transfer = await createReadyTransfer(server.context, {
    userId: server.userId('paula'),
    files: FILES,
    expiresAt: server.clock.now() + 400 * DAY_MS,
  });
  await checkFilesJob.run(server.context, { transferId: transfer.id }, { attempt: 1, signal });
  return { server, transfer };
}

const runScrub = ({ context }: TestServer) => scrub(context, { signal });

async function listStates({ context }: TestServer): Promise<string[]> {
  const files = await context.db.selectFrom('files').selectAll().orderBy('position').execute();
  return files.map(({ suspectedAt, damagedAt }) =>
    damagedAt !== null ? 'damaged' : suspectedAt !== null ? 'suspected' : 'fine',
  );
}

const download = (server: TestServer, { token, files }: ReadyTransfer, index: number) =>
  server.anonymous().fetch(fileDownloadPath(token, files[index]!.id));

test('the scrub finds a bit that flipped after the check, by two reads minutes apart', async (t) => {
  const { server, transfer } = await startWithCheckedTransfer(t);
  await flipBit(server.context, transfer.files[1]!);
  await runScrub(server);
  assert.deepEqual(await listStates(server), ['fine', 'fine', 'fine'], 'nothing is due yet');
  server.clock.advance(36 * DAY_MS);
  await runScrub(server);
  assert.deepEqual(await listStates(server), ['fine', 'suspected', 'fine']);
  await runScrub(server);
  server.clock.advance(9 * MINUTE_MS);
  await runScrub(server);
  assert.deepEqual(await listStates(server), ['fine', 'suspected', 'fine'], 'too soon for a second read');
  server.clock.advance(MINUTE_MS);
  await runScrub(server);
  assert.deepEqual(await listStates(server), ['fine', 'damaged', 'fine']);
  assert.equal((await download(server, transfer, 1)).status, 410);
});

test('a second read that finds the right bytes clears the suspicion', async (t) => {
  const { server, transfer } = await startWithCheckedTransfer(t);
  const restore = await flipBit(server.context, transfer.files[0]!);
  server.clock.advance(36 * DAY_MS);
  await runScrub(server);
  assert.equal((await listStates(server))[0], 'suspected');
  await restore();
  server.clock.advance(10 * MINUTE_MS);
  await runScrub(server);
  assert.deepEqual(await listStates(server), ['fine', 'fine', 'fine']);
});

test('a damaged file can be downloaded again once its bytes are restored', async (t) => {
  const { server, transfer } = await startWithCheckedTransfer(t);
  const restore = await flipBit(server.context, transfer.files[0]!);
  server.clock.advance(36 * DAY_MS);
  await runScrub(server);
  server.clock.advance(10 * MINUTE_MS);
  await runScrub(server);
  assert.equal((await download(server, transfer, 0)).status, 410);
  await restore();
  await runScrub(server);
  assert.equal((await listStates(server))[0], 'damaged', 'damaged files are read again once a day');
  server.clock.advance(DAY_MS);
  await runScrub(server);
  const response = await download(server, transfer, 0);
  assert.deepEqual([response.status, await response.text()], [200, 'hello world']);
});

test('with SCRUB_RATE=off only suspected and damaged files are read again', async (t) => {
  const { server, transfer } = await startWithCheckedTransfer(t, { SCRUB_RATE: 'off' });
  const restore = await flipBit(server.context, transfer.files[2]!);
  server.clock.advance(36 * DAY_MS);
  await runScrub(server);
  assert.deepEqual(await listStates(server), ['fine', 'fine', 'fine']);
  assert.equal(await measureScrubDelay(server.context), undefined);
  assert.equal((await download(server, transfer, 2)).status, 503);
  server.clock.advance(10 * MINUTE_MS);
  await runScrub(server);
  assert.deepEqual(await listStates(server), ['fine', 'fine', 'damaged']);
  await restore();
  server.clock.advance(DAY_MS);
  await runScrub(server);
  assert.deepEqual(await listStates(server), ['fine', 'fine', 'fine']);
});

test('a download of wrong bytes never completes and makes the file suspected', async (t) => {
  const { server, transfer } = await startWithCheckedTransfer(t);
  await flipBit(server.context, transfer.files[0]!);
  const small = await download(server, transfer, 0);
  assert.equal(small.status, 503, 'refused before anything was sent');
  assert.deepEqual(await listStates(server), ['suspected', 'fine', 'fine'], 'at once');
  const other = await download(server, transfer, 2);
  assert.equal(other.status, 200);
  await other.arrayBuffer();
  await server.drainJobs();
  server.clock.advance(10 * MINUTE_MS);
  await server.drainJobs();
  assert.deepEqual(await listStates(server), ['damaged', 'fine', 'fine']);
});

test('a running download is aborted before its last bytes if bytes are missing', async (t) => {
  const { server, transfer } = await startWithCheckedTransfer(t);
  await server.context.db
    .updateTable('files')
    .set({ sizeBytes: MIB })
    .where('id', '=', transfer.files[1]!.id)
    .execute();
  const response = await download(server, transfer, 1);
  assert.deepEqual([response.status, response.headers.get('content-length')], [200, String(MIB)]);
  await assert.rejects(response.arrayBuffer(), TypeError);
  assert.equal((await listStates(server))[1], 'suspected');
});

test('a zip with wrong bytes is aborted, and their file is suspected', async (t) => {
  const { server, transfer } = await startWithCheckedTransfer(t);
  await flipBit(server.context, transfer.files[2]!);
  await assert.rejects(async () => {
    const response = await server.anonymous().fetch(zipDownloadPath(transfer.token));
    assert.equal(response.status, 200);
    await response.arrayBuffer();
  }, TypeError);
  assert.deepEqual(await listStates(server), ['fine', 'fine', 'suspected']);
});

test('missing bytes make a file suspected, unless the storage is unreachable', async (t) => {
  const { server, transfer } = await startWithCheckedTransfer(t);
  const { blobs } = server.context;
  await blobs.remove(transfer.files[1]!.storageKey);
  server.clock.advance(36 * DAY_MS);
  const silent = {
    openRange: (key: string, start: number, end: number) => blobs.openRange(key, start, end),
    check: () => Promise.reject(new Error('EIO')),
  };
  const context = {
    ...server.context,
    blobs: Object.assign(Object.create(blobs) as typeof blobs, silent),
  };
  await assert.rejects(scrub(context, { signal }), /EIO/);
  assert.deepEqual(await listStates(server), ['fine', 'fine', 'fine']);
  await runScrub(server);
  assert.deepEqual(await listStates(server), ['fine', 'suspected', 'fine']);
  await replaceBlob(server.context, transfer.files[1]!.storageKey, FILES[1]!.bytes);
  server.clock.advance(10 * MINUTE_MS);
  await runScrub(server);
  assert.deepEqual(await listStates(server), ['fine', 'fine', 'fine']);
});

test('a large file is resumed where a run in any process stopped', async (t) => {
  const { server, transfer } = await startWithCheckedTransfer(t);
  const { context, clock } = server;
  const large = transfer.files[1]!;
  clock.advance(36 * DAY_MS);
  const doneBytes = 5 * MIB;
  const partial = {
    fileId: large.id,
    storageKey: large.storageKey,
    offset: large.offset,
    suspectedAt: null,
    damagedAt: null,
    doneBytes,
    crc32: crc32(FILES[1]!.bytes.subarray(0, doneBytes)),
  };
  await saveScrubState(context.db, { since: 0, partial }, clock.now());
  const starts: number[] = [];
  const { blobs } = context;
  const openRange = (key: string, start: number, end: number) => {
    if (key === large.storageKey) starts.push(start);
    return blobs.openRange(key, start, end);
  };
  const watched = Object.assign(Object.create(blobs) as typeof blobs, { openRange });
  await scrub({ ...context, blobs: watched }, { signal });
  assert.deepEqual(starts, [doneBytes]);
  assert.deepEqual(await listStates(server), ['fine', 'fine', 'fine']);
  assert.equal((await findScrubState(context.db))!.partial, null);
});

test('metrics show how much the scrub has read and how overdue it is', async (t) => {
  const { server } = await startWithCheckedTransfer(t);
  const { context, clock } = server;
  await runScrub(server);
  assert.equal(await measureScrubDelay(context), 0);
  clock.advance(40 * DAY_MS);
  assert.ok((await measureScrubDelay(context))! >= 5 * DAY_MS);
  await runScrub(server);
  assert.equal(await measureScrubDelay(context), 0);
  const text = await context.metrics.registry.getSingleMetricAsString('sendwell_scrubbed_bytes_total');
  const total = FILES.reduce((sum, { bytes }) => sum + bytes.length, 0);
  assert.match(text, new RegExp(`sendwell_scrubbed_bytes_total ${total}`));
});

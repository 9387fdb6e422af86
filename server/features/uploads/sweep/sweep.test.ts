import assert from 'node:assert/strict';
import test from 'node:test';
import { CHUNK_BYTES } from '../../../../contracts/plans/limits.ts';
import { DAY_MS, HOUR_MS } from '../../../../contracts/values/durations.ts';
import { startTestServer, type TestServer } from '../../../../testing/test-context.ts';
import {
  announceFile,
  completeFile,
  makeBytes,
  sendChunk,
  sendChunks,
  uploadFile,
} from '../../../../testing/uploads/upload-files.ts';
import { ClockGuard, confirmClock } from '../../../platform/jobs/clock-guard.ts';
import { randomId } from '../../../platform/lib/tokens.ts';
import {
  beginOrphanQuarantine,
  ORPHAN_QUARANTINE_MS,
} from '../../../platform/storage/installation/removal-hold.ts';
import { writeBlob } from '../../../platform/storage/write-blob.ts';
import { CONFIRMATION_MS, confirmSweepStop, findSweepStop } from './records.ts';
import { sweepUploads } from './sweep.ts';

test('uploads expire a day after their last chunk', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  const bytes = makeBytes(2 * CHUNK_BYTES);
  await announceFile(frida, 'lapsing', bytes);
  const living = await announceFile(frida, 'living', bytes);
  await passHours(server, 20);
  const body = new Uint8Array(bytes.subarray(0, CHUNK_BYTES));
  assert.equal((await sendChunk(frida, { uploadId: living.uploadId, index: 0, body })).status, 200);
  await passHours(server, 5);
  const { db } = server.context;
  assert.deepEqual(await listIds(server, 'uploads'), [living.uploadId]);
  assert.deepEqual(await listIds(server, 'transfers'), [living.transferId]);
  const usage = await db.selectFrom('monthlyUsage').select('bytes').executeTakeFirstOrThrow();
  assert.equal(usage.bytes, bytes.length);
  assert.equal((await listBlobs(server)).length, 1);
});

test('a draft that never became ready is removed with its files', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  const bytes = makeBytes(10);
  const { uploadId } = await announceFile(frida, 'one of two', bytes);
  await sendChunks(frida, uploadId, bytes);
  await completeFile(frida, uploadId, { fileCount: 2 });
  await passHours(server, 23);
  await server.drainJobs();
  assert.equal((await listBlobs(server)).length, 1);
  await passHours(server, 2);
  await server.drainJobs();
  assert.deepEqual(await listBlobs(server), []);
  assert.deepEqual(await listIds(server, 'transfers'), []);
});

test('ready transfers, their other files and young blobs are kept', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  const { transfer } = await uploadFile(frida, 'kept', makeBytes(10));
  await announceFile(frida, 'never sent', makeBytes(20), transfer.id);
  await passHours(server, 26);
  const row = await server.context.db.selectFrom('transfers').selectAll().executeTakeFirstOrThrow();
  assert.deepEqual([row.status, row.fileCount, row.reservedBytes], ['ready', 1, 10]);
  assert.equal((await listBlobs(server)).length, 1);
});

test('blobs without a row are trashed after a day and deleted after seven', async (t) => {
  const server = await startTestServer(t);
  await storeBlobs(server, 1);
  await matchClock(server);
  await skipHours(server, 23);
  assert.equal((await listBlobs(server)).length, 1);
  await passHours(server, 2);
  assert.deepEqual([(await listBlobs(server)).length, (await listTrash(server)).length], [0, 1]);
  await skipHours(server, 7 * 24 - 2);
  assert.equal((await listTrash(server)).length, 1);
  await skipHours(server, 25);
  assert.deepEqual([(await listBlobs(server)).length, (await listTrash(server)).length], [0, 0]);
});

test('blobs are restored from the trash when rows name them again', async (t) => {
  const server = await startTestServer(t);
  const { db, blobs } = server.context;
  const { token, transfer } = await uploadFile(await server.signIn('frida'), 'kept', makeBytes(10));
  await matchClock(server);
  const rows = await db.selectFrom('files').selectAll().execute();
  const packs = await db.selectFrom('packs').selectAll().execute();
  await db.deleteFrom('files').execute();
  await db.deleteFrom('packs').execute();
  await db.deleteFrom('uploads').execute();
  await skipHours(server, 26);
  assert.equal((await listTrash(server)).length, 1);
  await skipHours(server, 5 * 24);
  await db.insertInto('files').values(rows).execute();
  if (packs.length > 0) await db.insertInto('packs').values(packs).execute();
  await passHours(server, 1);
  assert.deepEqual([(await listBlobs(server)).length, (await listTrash(server)).length], [1, 0]);
  await skipHours(server, 4 * 24);
  assert.ok(await blobs.openRange(rows[0]!.storageKey, 0, 10));
  assert.ok(token && transfer.id);
});

test('no orphan is moved during the quarantine', async (t) => {
  const server = await startTestServer(t);
  await storeBlobs(server, 3);
  await matchClock(server);
  await beginOrphanQuarantine(server.context.db, server.clock.now());
  await skipHours(server, ORPHAN_QUARANTINE_MS / HOUR_MS - 1);
  assert.deepEqual([(await listBlobs(server)).length, (await listTrash(server)).length], [3, 0]);
  await passHours(server, 2);
  assert.deepEqual([(await listBlobs(server)).length, (await listTrash(server)).length], [0, 3]);
});

test('with too many orphans none is moved until confirmed, and then no others', async (t) => {
  const server = await startTestServer(t);
  const { db } = server.context;
  await storeBlobs(server, 12);
  await matchClock(server);
  await skipHours(server, 27);
  assert.equal((await listBlobs(server)).length, 12);
  const stop = (await findSweepStop({ db }))!;
  assert.deepEqual([stop.orphans, stop.bytes, stop.blobs, stop.sample.length], [12, 24, 12, 12]);
  const confirm = (stopId: string) => confirmSweepStop(db, { stopId, by: 'ada', now: server.clock.now() });
  assert.equal(await confirm('another'), false);
  assert.deepEqual((await Promise.all([confirm(stop.id), confirm(stop.id)])).sort(), [false, true]);
  server.clock.advance(CONFIRMATION_MS);
  await passHours(server, 1);
  assert.equal((await listBlobs(server)).length, 12, 'a day later the confirmation is void');
  assert.equal(await confirm((await findSweepStop({ db }))!.id), true);
  await passHours(server, 1);
  assert.deepEqual([(await listBlobs(server)).length, (await listTrash(server)).length], [0, 12]);
  assert.equal(await findSweepStop({ db }), undefined);
});

test('a confirmation covers no more orphans than were found', async (t) => {
  const server = await startTestServer(t);
  const { db } = server.context;
  await storeBlobs(server, 12);
  await matchClock(server);
  await skipHours(server, 27);
  const stop = (await findSweepStop({ db }))!;
  await confirmSweepStop(db, { stopId: stop.id, by: 'ada', now: server.clock.now() });
  // By the storage's own clock, this blob is as old as the others.
  await storeBlobs(server, 1);
  await passHours(server, 1);
  assert.deepEqual([(await listBlobs(server)).length, (await listTrash(server)).length], [13, 0]);
  const next = (await findSweepStop({ db }))!;
  assert.deepEqual([next.orphans, next.since, next.confirmed], [13, stop.since, null]);
  assert.notEqual(next.id, stop.id);
});

for (const jumpMs of [400 * DAY_MS, -400 * DAY_MS])
  test(`a clock that is ${jumpMs / DAY_MS} days off discards nothing, even across restarts`, async (t) => {
    const server = await startTestServer(t);
    const frida = await server.signIn('frida');
    const { uploadId } = await announceFile(frida, 'alive', makeBytes(CHUNK_BYTES + 1));
    await storeBlobs(server, 2);
    await passHours(server, 2);
    const before = (await listBlobs(server)).length;
    server.clock.jump(jumpMs);
    for (let start = 1; start <= 3; start += 1) {
      const context = { ...server.context, clockGuard: startGuard(server) };
      await sweepUploads(context);
      server.clock.advance(30_000);
      await sweepUploads(context);
    }
    await skipHours(server, 10);
    assert.deepEqual(await listIds(server, 'uploads'), [uploadId]);
    assert.deepEqual([(await listBlobs(server)).length, (await listTrash(server)).length], [before, 0]);
    server.clock.jump(-jumpMs);
    await skipHours(server, 27);
    assert.deepEqual(await listIds(server, 'uploads'), []);
  });

/** As after a restart of the server. */
function startGuard({ context, clock }: TestServer): ClockGuard {
  return new ClockGuard({ ...context, readSharedTime: async () => clock.now() });
}

async function storeBlobs({ context }: TestServer, count: number): Promise<void> {
  for (let stored = 0; stored < count; stored += 1)
    await writeBlob(context.blobs, randomId(), Buffer.alloc(2));
}

/** Sets the storage's own clock to the test clock. */
async function matchClock(server: TestServer): Promise<void> {
  const { db } = server.context;
  const blobs = await listBlobs(server);
  const latest = Math.max(...blobs.map(({ modifiedAt }) => modifiedAt));
  server.clock.jump(latest + 1 - server.clock.now());
  const { stop } = await server.context.clockGuard.check();
  if (stop) await confirmClock(db, { stopId: stop.id, now: server.clock.now() });
}

/** Like `passHours`, but sweeps only at the beginning and at the end. */
async function skipHours(server: TestServer, hours: number): Promise<void> {
  await passHours(server, 1);
  server.clock.advance((hours - 2) * HOUR_MS);
  await passHours(server, 1);
}

/** Sweeps every hour, like the job. */
async function passHours(server: TestServer, hours: number): Promise<void> {
  for (let hour = 0; hour < hours; hour += 1) {
    server.clock.advance(HOUR_MS);
    await sweepUploads(server.context);
  }
}

async function listIds({ context }: TestServer, table: 'uploads' | 'transfers'): Promise<string[]> {
  const rows = await context.db.selectFrom(table).select('id').execute();
  return rows.map(({ id }) => id);
}

async function listTrash({ context }: TestServer): Promise<string[]> {
  const found: string[] = [];
  for await (const { storageKey } of context.blobs.listTrash()) found.push(storageKey);
  return found;
}

async function listBlobs({ context }: TestServer) {
  const found: { storageKey: string; modifiedAt: number }[] = [];
  for await (const blob of context.blobs.list()) found.push(blob);
  return found;
}

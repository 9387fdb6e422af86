import assert from 'node:assert/strict';
import test from 'node:test';
import { CHUNK_BYTES } from '../../../contracts/limits.ts';
import { DAY_MS, HOUR_MS } from '../../platform/lib/clock.ts';
import { randomId } from '../../platform/lib/tokens.ts';
import { startTestServer, type TestServer } from '../../testing/test-context.ts';
import {
  announceFile,
  completeFile,
  makeBytes,
  sendChunk,
  sendChunks,
  uploadFile,
} from '../../testing/upload-files.ts';
import { sweepUploads } from './sweeping.ts';

test('gives up what was idle for a day, and counts from the last chunk', async (t) => {
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

test('removes a draft that never became ready, with its files', async (t) => {
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

test('leaves ready transfers, their appended uploads’ neighbours and young blobs alone', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  const { transfer } = await uploadFile(frida, 'kept', makeBytes(10));
  await announceFile(frida, 'never sent', makeBytes(20), transfer.id);
  await passHours(server, 26);
  const row = await server.context.db.selectFrom('transfers').selectAll().executeTakeFirstOrThrow();
  assert.deepEqual([row.status, row.fileCount, row.reservedBytes], ['ready', 1, 10]);
  assert.equal((await listBlobs(server)).length, 1);
});

test('removes blobs that no row names once they are a day old', async (t) => {
  const server = await startTestServer(t);
  const { blobs } = server.context;
  const orphan = {
    storageKey: randomId(),
    offset: 0,
    sizeBytes: 2,
    firstSlot: 0,
    chunkSize: 1,
    chunkCount: 2,
  };
  await blobs.prepare(orphan);
  const [made] = await listBlobs(server);
  server.clock.advance(made!.modifiedAt + DAY_MS - server.clock.now());
  await sweepUploads(server.context);
  assert.equal((await listBlobs(server)).length, 1);
  await passHours(server, 1);
  assert.deepEqual(await listBlobs(server), []);
});

test('believes a clock that leapt only at the second look', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  const bytes = makeBytes(CHUNK_BYTES + 1);
  const { uploadId } = await announceFile(frida, 'alive', bytes);
  await announceFile(frida, 'dead', bytes);
  await passHours(server, 1);
  server.clock.advance(10 * 365 * DAY_MS);
  await sweepUploads(server.context);
  assert.equal((await listIds(server, 'uploads')).length, 2);
  // Sessions have ended by that clock; whoever is alive signs in again and goes on.
  const again = await server.signIn('frida');
  const body = new Uint8Array(bytes.subarray(CHUNK_BYTES));
  assert.equal((await sendChunk(again, { uploadId, index: 1, body })).status, 200);
  await passHours(server, 1);
  assert.deepEqual(await listIds(server, 'uploads'), [uploadId]);
  server.clock.advance(-10 * 365 * DAY_MS);
  await sweepUploads(server.context);
  assert.deepEqual(await listIds(server, 'uploads'), [uploadId]);
});

/** As the hourly job does it. */
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

async function listBlobs({ context }: TestServer) {
  const found: { storageKey: string; modifiedAt: number }[] = [];
  for await (const blob of context.blobs.list()) found.push(blob);
  return found;
}

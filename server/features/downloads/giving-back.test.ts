import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { viewDownload } from '../../../contracts/downloads.ts';
import { fileDownloadPath, selectionDownloadPath, zipDownloadPath } from '../../../contracts/links.ts';
import { encodeSelection } from '../../../contracts/selection.ts';
import { MIB } from '../../../contracts/sizes.ts';
import { DAY_MS, MINUTE_MS } from '../../platform/lib/clock.ts';
import type { Client } from '../../testing/client.ts';
import { createReadyTransfer } from '../../testing/factories.ts';
import { startTestServer, type TestServer } from '../../testing/test-context.ts';
import { until } from '../../testing/until.ts';
import { createWorker } from '../../worker.ts';
import { claimDownload, completeDownload, resumeDownload } from './claims.ts';
import { giveBackAbandoned } from './giving-back.ts';

/** More than twice what the system takes for a client that reads nothing. */
const SIZE = 48 * MIB;
const { signal } = new AbortController();

type Settings = { maxDownloads?: number; autoDeleteAfterDownloads?: boolean };

async function startWithTransfer(t: TestContext, settings: Settings = {}) {
  const server = await startTestServer(t);
  const transfer = await createReadyTransfer(server.context, {
    userId: server.userId('paula'),
    files: [
      { path: 'large.bin', bytes: Buffer.alloc(SIZE, 1) },
      { path: 'small.txt', bytes: 'hello' },
    ],
    ...settings,
  });
  await server.drainJobs();
  const { token } = transfer;
  const [large, small] = transfer.files.map(({ id }) => fileDownloadPath(token, id));
  return { server, transfer, token, large: large!, small: small!, zip: zipDownloadPath(token) };
}

/** Begins a download and hangs up with the first bytes; resolves when the server has noticed. */
async function breakOff(
  server: TestServer,
  client: Client,
  path: string,
  headers: Record<string, string> = {},
): Promise<void> {
  // So that any progress shows.
  await server.context.db.updateTable('downloads').set({ reachedBytes: 0 }).execute();
  const cut = new AbortController();
  const response = await client.fetch(path, { headers, signal: cut.signal });
  assert.ok(response.ok, `${response.status}`);
  await response.body!.getReader().read();
  cut.abort();
  await until(async () => (await listRows(server)).some(({ reachedBytes }) => reachedBytes > 0));
}

async function get(client: Client, path: string, headers: Record<string, string> = {}): Promise<number> {
  const response = await client.fetch(path, { headers });
  await response.arrayBuffer();
  return response.status;
}

const listRows = ({ context }: TestServer) => context.db.selectFrom('downloads').selectAll().execute();

/** What the page shows: of the transfer, then of each file. */
async function countsOf(server: TestServer, token: string) {
  const view = await server.anonymous().call(viewDownload, { params: { token } });
  return [view.downloadCount, ...view.files!.map(({ downloadCount }) => downloadCount)];
}

/** Lets minutes pass with the jobs that are due. */
async function live({ clock, drainJobs }: TestServer, minutes: number): Promise<void> {
  for (let left = minutes; left > 0; left -= 5) {
    clock.advance(Math.min(left, 5) * MINUTE_MS);
    await drainJobs();
  }
}

test('a download broken off before half is given back after ten minutes, and the limit is open again', async (t) => {
  const { server, token, large } = await startWithTransfer(t, { maxDownloads: 1 });
  await breakOff(server, server.anonymous(), large);
  assert.deepEqual(await countsOf(server, token), [1, 1, 0]);
  await live(server, 9);
  assert.deepEqual(await countsOf(server, token), [1, 1, 0]);
  assert.equal(await get(server.anonymous(), large), 410);
  await live(server, 2);
  assert.deepEqual(await countsOf(server, token), [0, 0, 0]);
  assert.deepEqual(await listRows(server), []);
  assert.equal(await get(server.anonymous(), large), 200);
  assert.equal(await get(server.anonymous(), large), 410);
});

test('a download of which half was delivered stays counted, also when its end was asked for first', async (t) => {
  const { server, token, large } = await startWithTransfer(t);
  const guest = server.anonymous();
  await breakOff(server, guest, large);
  assert.equal(await get(guest, large, { range: `bytes=${SIZE / 2}-${SIZE / 2 + 9}` }), 206);
  await live(server, 30);
  assert.deepEqual(await countsOf(server, token), [1, 1, 0]);
  const [row] = await listRows(server);
  assert.deepEqual([row!.activeAt, row!.completedAt], [null, null]);
});

test('one that is gone on with in time is one download', async (t) => {
  const { server, token, large } = await startWithTransfer(t, { maxDownloads: 1 });
  const guest = server.anonymous();
  for (let breaks = 0; breaks < 3; breaks += 1) {
    await breakOff(server, guest, large, breaks === 0 ? {} : { range: `bytes=${9_000_000 + breaks}-` });
    await live(server, 8);
  }
  assert.deepEqual(await countsOf(server, token), [1, 1, 0]);
  assert.equal(await get(guest, large, { range: 'bytes=1000-' }), 206);
  await until(async () => (await listRows(server))[0]!.completedAt !== null);
  await live(server, 30);
  assert.deepEqual(await countsOf(server, token), [1, 1, 0]);
});

test('one that is gone on with too late is a new download', async (t) => {
  const { server, token, large, small } = await startWithTransfer(t, { maxDownloads: 1 });
  const guest = server.anonymous();
  await breakOff(server, guest, large);
  await live(server, 11);
  assert.equal(await get(guest, large, { range: 'bytes=1000-' }), 206);
  assert.deepEqual(await countsOf(server, token), [1, 1, 0]);
  assert.equal(await get(server.anonymous(), small), 410);
  const late = server.anonymous();
  assert.equal(await get(late, large, { range: 'bytes=1000-' }), 410);
});

test('zips and selections are taken back from each file they held, and from none that joined later', async (t) => {
  const { server, transfer, token, zip } = await startWithTransfer(t);
  const { db } = server.context;
  await breakOff(server, server.anonymous(), zip);
  await breakOff(server, server.anonymous(), selectionDownloadPath(token, encodeSelection([0])));
  assert.deepEqual(await countsOf(server, token), [2, 2, 1]);
  const { zipCount } = await db.selectFrom('transfers').select('zipCount').executeTakeFirstOrThrow();
  const joined = { ...transfer.files[1]!, id: 'y'.repeat(26), position: 2, zipBase: zipCount };
  await db.insertInto('files').values(joined).execute();
  assert.equal(await get(server.anonymous(), fileDownloadPath(token, joined.id)), 200);
  assert.deepEqual(await countsOf(server, token), [3, 2, 1, 1]);
  await live(server, 11);
  assert.deepEqual(await countsOf(server, token), [1, 0, 0, 1]);
  await breakOff(server, server.anonymous(), zip);
  assert.deepEqual(await countsOf(server, token), [2, 1, 1, 2]);
  await live(server, 11);
  assert.deepEqual(await countsOf(server, token), [1, 0, 0, 1]);
});

test('a slow download that moves on is never given back', async (t) => {
  const { server, token, large } = await startWithTransfer(t, { maxDownloads: 1 });
  const response = await server.anonymous().fetch(large);
  const reader = response.body!.getReader();
  const readOn = async (bytes: number) => {
    for (let received = 0; received < bytes; ) received += (await reader.read()).value!.length;
  };
  for (let round = 0; round < 4; round += 1) {
    const [before] = await listRows(server);
    server.clock.advance(5 * MINUTE_MS);
    await readOn(5 * MIB);
    await until(async () => (await listRows(server))[0]!.activeAt! > before!.activeAt!);
    await server.drainJobs();
  }
  assert.deepEqual(await countsOf(server, token), [1, 1, 0]);
  assert.equal(await get(server.anonymous(), large), 410);
  await reader.cancel();
});

test('what a killed server was sending is given back, once, however many sweep at once', async (t) => {
  const { server, transfer, token } = await startWithTransfer(t, { maxDownloads: 5 });
  const [large] = transfer.files;
  const downloaded = { transferId: transfer.id, fileId: large!.id, selection: null };
  const claim = { sizeBytes: SIZE, ipAddress: null, userAgent: null, recipientId: null, isOwn: false };
  for (let claims = 0; claims < 5; claims += 1) await claimDownload(server.context, downloaded, claim);
  assert.deepEqual(await countsOf(server, token), [5, 5, 0]);
  server.clock.advance(10 * MINUTE_MS);
  await Promise.all([
    ...Array.from({ length: 5 }, () => giveBackAbandoned(server.context, { signal })),
    createWorker(server.context).drain(),
    createWorker(server.context).drain(),
  ]);
  assert.deepEqual(await countsOf(server, token), [0, 0, 0]);
});

test('giving back, going on and completing at once leave one truth', async (t) => {
  const { server, transfer, token } = await startWithTransfer(t);
  const [large] = transfer.files;
  const downloaded = { transferId: transfer.id, fileId: large!.id, selection: null };
  const claim = { sizeBytes: SIZE, ipAddress: null, userAgent: null, recipientId: null, isOwn: false };
  const ids = await Promise.all(
    Array.from({ length: 30 }, () => claimDownload(server.context, downloaded, claim)),
  );
  server.clock.advance(10 * MINUTE_MS);
  const [, ...resumed] = await Promise.all([
    Promise.all([1, 2, 3].map(() => giveBackAbandoned(server.context, { signal }))),
    ...ids.slice(0, 15).map((id) => resumeDownload(server.context, id)),
    ...ids.slice(15).map((id) => completeDownload(server.context, id)),
  ]);
  const rows = await listRows(server);
  const goesOn = ids.filter((_id, index) => resumed[index] === true);
  for (const id of goesOn) assert.ok(rows.some((row) => row.id === id));
  assert.deepEqual(await countsOf(server, token), [rows.length, rows.length, 0]);
});

test('after a jump of the clock nothing is given back until running downloads had time to show it', async (t) => {
  const { server, token, large } = await startWithTransfer(t);
  await live(server, 1);
  await breakOff(server, server.anonymous(), large);
  server.clock.jump(DAY_MS / 2);
  await server.drainJobs();
  await live(server, 9);
  assert.deepEqual(await countsOf(server, token), [1, 1, 0]);
  await live(server, 2);
  assert.deepEqual(await countsOf(server, token), [0, 0, 0]);
});

test('auto-delete: a last download that was abandoned opens the transfer again', async (t) => {
  const { server, token, large } = await startWithTransfer(t, {
    maxDownloads: 1,
    autoDeleteAfterDownloads: true,
  });
  await breakOff(server, server.anonymous(), large);
  assert.equal(await get(server.anonymous(), large), 410);
  await live(server, 11);
  assert.deepEqual(await countsOf(server, token), [0, 0, 0]);
  await live(server, 90);
  assert.deepEqual(await countsOf(server, token), [0, 0, 0]);
  assert.equal(await get(server.anonymous(), large), 200);
  await until(async () => (await get(server.anonymous(), `/api/download/${token}`)) === 404);
});

test('auto-delete: closed once more, it has its full hour', async (t) => {
  const { server, token, large } = await startWithTransfer(t, {
    maxDownloads: 1,
    autoDeleteAfterDownloads: true,
  });
  await breakOff(server, server.anonymous(), large);
  await live(server, 40);
  const guest = server.anonymous();
  await breakOff(server, guest, large);
  assert.equal(await get(guest, large, { range: `bytes=${SIZE - 10}-${SIZE - 5}` }), 206);
  await live(server, 59);
  assert.equal(await get(server.anonymous(), `/api/download/${token}`), 200);
  await live(server, 2);
  assert.equal(await get(server.anonymous(), `/api/download/${token}`), 404);
});

test('auto-delete: broken off just before the hour is over, it still has its ten minutes', async (t) => {
  const { server, token, large } = await startWithTransfer(t, {
    maxDownloads: 1,
    autoDeleteAfterDownloads: true,
  });
  const guest = server.anonymous();
  await breakOff(server, guest, large);
  for (let rounds = 0; rounds < 6; rounds += 1) {
    await live(server, 9);
    await breakOff(server, guest, large, { range: `bytes=${9_000_000 + rounds}-` });
  }
  await live(server, 8);
  assert.equal(await get(server.anonymous(), `/api/download/${token}`), 200);
  await live(server, 4);
  assert.deepEqual(await countsOf(server, token), [0, 0, 0]);
  await live(server, 60);
  assert.deepEqual(await countsOf(server, token), [0, 0, 0]);
});

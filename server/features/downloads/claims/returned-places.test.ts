import assert from 'node:assert/strict';
import { connect } from 'node:net';
import test, { type TestContext } from 'node:test';
import { viewDownload } from '../../../../contracts/transfers/downloads/downloads.ts';
import { encodeSelection } from '../../../../contracts/transfers/downloads/selection.ts';
import {
  fileDownloadPath,
  selectionDownloadPath,
  zipDownloadPath,
} from '../../../../contracts/values/addresses/links.ts';
import { DAY_MS, MINUTE_MS } from '../../../../contracts/values/durations.ts';
import { KIB, MIB } from '../../../../contracts/values/sizes.ts';
import type { Client } from '../../../../testing/calls/client.ts';
import { createReadyTransfer, type ReadyTransfer } from '../../../../testing/factories.ts';
import { until } from '../../../../testing/lib/until.ts';
import { startTestServer, type TestServer } from '../../../../testing/test-context.ts';
import { createWorker } from '../../../worker.ts';
import { claimDownload, completeDownload, recordProgress, resumeDownload } from './claims.ts';
import { releaseAbandoned } from './returned-places.ts';

const SIZE = MIB;
const { signal } = new AbortController();

type Settings = {
  maxDownloads?: number;
  autoDeleteAfterDownloads?: boolean;
  recipientEmails?: string[];
  sizeBytes?: number;
};

async function startWithTransfer(t: TestContext, { sizeBytes = SIZE, ...settings }: Settings = {}) {
  const server = await startTestServer(t, { TRUST_PROXY: '1' });
  const transfer = await createReadyTransfer(server.context, {
    userId: server.userId('paula'),
    files: [
      { path: 'large.bin', bytes: Buffer.alloc(sizeBytes, 1) },
      { path: 'small.txt', bytes: 'hello' },
    ],
    ...settings,
  });
  await server.drainJobs();
  const { token } = transfer;
  const [large, small] = transfer.files.map(({ id }) => fileDownloadPath(token, id));
  return { server, transfer, token, large: large!, small: small!, zip: zipDownloadPath(token) };
}

/** Two hundred files of 1 KiB; the first one ends at about byte 1,060 of the zip. */
async function startWithSmallFiles(t: TestContext, settings: Settings = {}) {
  const server = await startTestServer(t, { TRUST_PROXY: '1' });
  const files = Array.from({ length: 200 }, (_, index) => ({
    path: `${String(index).padStart(3, '0')}.bin`,
    bytes: Buffer.alloc(KIB, index),
  }));
  const transfer = await createReadyTransfer(server.context, {
    userId: server.userId('paula'),
    files,
    ...settings,
  });
  await server.drainJobs();
  return { server, transfer, token: transfer.token, zip: zipDownloadPath(transfer.token) };
}

/** Fetches only some bytes, as if the connection broke then. Resolves once the server has recorded the progress. */
async function interrupt(
  server: TestServer,
  client: Client,
  path: string,
  { from = 0, bytes = 10_000, address }: { from?: number; bytes?: number; address?: string } = {},
): Promise<void> {
  const end = from + bytes;
  const known = (await listRows(server)).filter((row) => row.reachedBytes === end).length;
  const headers = { range: `bytes=${from}-${end - 1}`, ...(address && { 'x-forwarded-for': address }) };
  assert.equal(await get(client, path, headers), 206);
  await until(async () => (await listRows(server)).filter((row) => row.reachedBytes === end).length > known);
}

async function get(client: Client, path: string, headers: Record<string, string> = {}): Promise<number> {
  const response = await client.fetch(path, { headers });
  await response.arrayBuffer();
  return response.status;
}

const listRows = ({ context }: TestServer) => context.db.selectFrom('downloads').selectAll().execute();

/** The counts shown on the page: of the transfer, then of each file. */
async function countsOf(server: TestServer, token: string) {
  const view = await server.anonymous().call(viewDownload, { params: { token } });
  return [view.downloadCount, ...view.files!.map(({ downloadCount }) => downloadCount)];
}

/** Advances the clock and runs the jobs that become due. */
async function passMinutes({ clock, drainJobs }: TestServer, minutes: number): Promise<void> {
  for (let left = minutes; left > 0; left -= 5) {
    clock.advance(Math.min(left, 5) * MINUTE_MS);
    await drainJobs();
  }
}

test('the place of a download interrupted near its start is returned after ten minutes', async (t) => {
  const { server, token, large } = await startWithTransfer(t, { maxDownloads: 1 });
  await interrupt(server, server.anonymous(), large);
  assert.deepEqual(await countsOf(server, token), [1, 1, 0]);
  await passMinutes(server, 9);
  assert.deepEqual(await countsOf(server, token), [1, 1, 0]);
  assert.equal(await get(server.anonymous(), large), 410);
  await passMinutes(server, 2);
  assert.deepEqual(await countsOf(server, token), [0, 0, 0]);
  assert.deepEqual(await listRows(server), []);
  assert.equal(await get(server.anonymous(), large), 200);
  assert.equal(await get(server.anonymous(), large), 410);
});

test('the place of a one-byte probe is returned', async (t) => {
  const { server, token, large, zip } = await startWithTransfer(t, { maxDownloads: 2 });
  await interrupt(server, server.anonymous(), large, { bytes: 1 });
  await interrupt(server, server.anonymous(), zip, { bytes: 1 });
  await passMinutes(server, 11);
  assert.deepEqual(await countsOf(server, token), [0, 0, 0]);
});

test('the place of a download of 64 KiB is returned, but not with one byte more', async (t) => {
  const { server, token, large } = await startWithTransfer(t);
  await interrupt(server, server.anonymous(), large, { bytes: 64 * KIB });
  await interrupt(server, server.anonymous(), large, { bytes: 64 * KIB + 1 });
  await passMinutes(server, 30);
  assert.deepEqual(await countsOf(server, token), [1, 1, 0]);
  const [row] = await listRows(server);
  assert.deepEqual([row!.reachedBytes, row!.activeAt, row!.completedAt], [64 * KIB + 1, null, null]);
});

test('a zip interrupted halfway keeps its place once it has delivered a whole file, on every attempt', async (t) => {
  const { server, token, zip } = await startWithSmallFiles(t, { maxDownloads: 3 });
  for (let tries = 0; tries < 3; tries += 1) {
    await interrupt(server, server.anonymous(), zip, { bytes: 40_000 + tries });
    await passMinutes(server, 11);
  }
  assert.equal((await countsOf(server, token))[0], 3);
  assert.equal(await get(server.anonymous(), zip, { range: 'bytes=0-40000' }), 410);
});

test('zips and selections stay counted once the last byte of their first file is sent', async (t) => {
  const { server, token, zip } = await startWithSmallFiles(t);
  const selection = selectionDownloadPath(token, encodeSelection([7, 9, 150]));
  for (const path of [zip, selection]) {
    const guest = server.anonymous();
    const head = Buffer.from(
      await (await guest.fetch(path, { headers: { range: 'bytes=0-99' } })).arrayBuffer(),
    );
    const firstFileEnd = 30 + head.readUInt16LE(26) + head.readUInt16LE(28) + KIB;
    await interrupt(server, guest, path, { from: 100, bytes: firstFileEnd - 101 });
    await passMinutes(server, 11);
    assert.equal((await countsOf(server, token))[0], path === zip ? 0 : 1);
    await interrupt(server, server.anonymous(), path, { bytes: firstFileEnd });
    await passMinutes(server, 11);
    assert.equal((await countsOf(server, token))[0], path === zip ? 1 : 2);
  }
});

test('a small file counts once all of it was delivered, even in pieces starting from its end', async (t) => {
  const { server, token, small } = await startWithTransfer(t, { maxDownloads: 2 });
  await interrupt(server, server.anonymous(), small, { bytes: 4 });
  await passMinutes(server, 11);
  assert.deepEqual(await countsOf(server, token), [0, 0, 0]);
  assert.equal(await get(server.anonymous(), small, { range: 'bytes=4-' }), 206);
  assert.equal(await get(server.anonymous(), small, { range: 'bytes=-1' }), 206);
  await passMinutes(server, 30);
  assert.deepEqual(await countsOf(server, token), [2, 0, 2]);
  assert.equal(await get(server.anonymous(), small, { range: 'bytes=0-3' }), 410);
});

test('the furthest byte counts, even if later requests fetch earlier bytes', async (t) => {
  const { server, token, large } = await startWithTransfer(t);
  const guest = server.anonymous();
  await interrupt(server, guest, large);
  await interrupt(server, guest, large, { from: SIZE / 2, bytes: 10 });
  assert.equal(await get(guest, large, { range: 'bytes=20000-20009' }), 206);
  await passMinutes(server, 30);
  assert.deepEqual(await countsOf(server, token), [1, 1, 0]);
});

test('two places of a transfer are returned per address and two per personal link', async (t) => {
  const { server, transfer, token, large } = await startWithTransfer(t, {
    maxDownloads: 20,
    recipientEmails: ['rex@example.org', 'rita@example.org'],
  });
  const links = await server.context.db
    .selectFrom('transferRecipients')
    .select('token')
    .where('transferId', '=', transfer.id)
    .execute();
  const ways = [
    { path: large, address: '203.0.113.7' },
    { path: large, address: '2001:db8::1' },
    // In the same network as the previous address.
    { path: large, address: '2001:db8::2' },
    ...links.map((link) => ({ path: `${large}?r=${link.token}`, address: '203.0.113.7' })),
  ];
  let kept = 0;
  for (const [index, { path, address }] of ways.entries()) {
    for (let tries = 0; tries < 3; tries += 1) {
      await interrupt(server, server.anonymous(), path, { address, bytes: 100 + tries });
      await passMinutes(server, 11);
    }
    kept += index === 2 ? 3 : 1;
    assert.deepEqual(await countsOf(server, token), [kept, kept, 0], `${index}`);
  }
});

test('exactly two places are returned to an address with parallel probes, even with concurrent sweeps', async (t) => {
  const { server, token, large } = await startWithTransfer(t, { maxDownloads: 10 });
  await Promise.all(Array.from({ length: 12 }, () => get(server.anonymous(), large, { range: 'bytes=0-0' })));
  await until(async () => (await listRows(server)).every(({ reachedBytes }) => reachedBytes === 1));
  assert.deepEqual(await countsOf(server, token), [10, 10, 0]);
  server.clock.advance(10 * MINUTE_MS);
  await Promise.all(Array.from({ length: 4 }, () => releaseAbandoned(server.context, { signal })));
  assert.deepEqual(await countsOf(server, token), [8, 8, 0]);
  await passMinutes(server, 30);
  assert.deepEqual(await countsOf(server, token), [8, 8, 0]);
});

test('a client that reads nothing may have received what was being written and stays counted', async (t) => {
  // More than the kernel keeps for a client that doesn't read: otherwise the download could complete.
  const sizeBytes = 48 * MIB;
  const { server, token, large } = await startWithTransfer(t, { maxDownloads: 1, sizeBytes });
  const { port } = new URL(server.url);
  const socket = connect(Number(port), '127.0.0.1').pause();
  socket.write(`GET ${large} HTTP/1.1\r\nHost: x\r\n\r\n`);
  await until(async () => (await listRows(server)).some(({ isReturnable }) => isReturnable === 0));
  socket.resetAndDestroy();
  await passMinutes(server, 30);
  assert.deepEqual(await countsOf(server, token), [1, 1, 0]);
});

test('a download resumed in time counts once', async (t) => {
  const { server, token, large } = await startWithTransfer(t, { maxDownloads: 1 });
  const guest = server.anonymous();
  for (let breaks = 0; breaks < 3; breaks += 1) {
    await interrupt(server, guest, large, { from: breaks * 1_000, bytes: 1_000 });
    await passMinutes(server, 8);
  }
  assert.deepEqual(await countsOf(server, token), [1, 1, 0]);
  assert.equal(await get(guest, large, { range: 'bytes=1000-' }), 206);
  await until(async () => (await listRows(server))[0]!.completedAt !== null);
  await passMinutes(server, 30);
  assert.deepEqual(await countsOf(server, token), [1, 1, 0]);
});

test('a download resumed too late is a new download', async (t) => {
  const { server, token, large, small } = await startWithTransfer(t, { maxDownloads: 1 });
  const guest = server.anonymous();
  await interrupt(server, guest, large);
  await passMinutes(server, 11);
  assert.equal(await get(guest, large, { range: 'bytes=1000-' }), 206);
  assert.deepEqual(await countsOf(server, token), [1, 1, 0]);
  assert.equal(await get(server.anonymous(), small), 410);
  const late = server.anonymous();
  assert.equal(await get(late, large, { range: 'bytes=1000-' }), 410);
});

test('returning a zip or selection lowers the count of its files but not of files added later', async (t) => {
  const { server, transfer, token, zip } = await startWithTransfer(t);
  const { db } = server.context;
  await interrupt(server, server.anonymous(), zip);
  await interrupt(server, server.anonymous(), selectionDownloadPath(token, encodeSelection([0])), {
    address: '203.0.113.7',
  });
  assert.deepEqual(await countsOf(server, token), [2, 2, 1]);
  const { zipCount } = await db.selectFrom('transfers').select('zipCount').executeTakeFirstOrThrow();
  const joined = { ...transfer.files[1]!, id: 'y'.repeat(26), position: 2, zipBase: zipCount };
  await db.insertInto('files').values(joined).execute();
  assert.equal(await get(server.anonymous(), fileDownloadPath(token, joined.id)), 200);
  assert.deepEqual(await countsOf(server, token), [3, 2, 1, 1]);
  await passMinutes(server, 11);
  assert.deepEqual(await countsOf(server, token), [1, 0, 0, 1]);
  await interrupt(server, server.anonymous(), zip);
  assert.deepEqual(await countsOf(server, token), [2, 1, 1, 2]);
  await passMinutes(server, 11);
  assert.deepEqual(await countsOf(server, token), [1, 0, 0, 1]);
});

test('places of downloads from a killed server are returned once, even with concurrent sweeps', async (t) => {
  const { server, transfer, token } = await startWithTransfer(t, { maxDownloads: 5 });
  for (let claims = 0; claims < 5; claims += 1) await claimLarge(server, transfer, claims);
  assert.deepEqual(await countsOf(server, token), [5, 5, 0]);
  server.clock.advance(10 * MINUTE_MS);
  await Promise.all([
    ...Array.from({ length: 5 }, () => releaseAbandoned(server.context, { signal })),
    createWorker(server.context).drain(),
    createWorker(server.context).drain(),
  ]);
  assert.deepEqual(await countsOf(server, token), [0, 0, 0]);
});

test('returning, resuming and completing at once leave a consistent state', async (t) => {
  const { server, transfer, token } = await startWithTransfer(t);
  const ids = await Promise.all(
    Array.from({ length: 30 }, (_, index) => claimLarge(server, transfer, index)),
  );
  server.clock.advance(10 * MINUTE_MS);
  const [, ...resumed] = await Promise.all([
    Promise.all([1, 2, 3].map(() => releaseAbandoned(server.context, { signal }))),
    ...ids.slice(0, 15).map((id) => resumeDownload(server.context, id)),
    ...ids.slice(15).map((id) => completeDownload(server.context, id)),
  ]);
  const rows = await listRows(server);
  const resumedIds = ids.filter((_id, index) => resumed[index] === true);
  for (const id of resumedIds) assert.ok(rows.some((row) => row.id === id));
  assert.deepEqual(await countsOf(server, token), [rows.length, rows.length, 0]);
});

test('a download keeps its place when a later request reports less progress', async (t) => {
  const { server, transfer, token } = await startWithTransfer(t);
  const id = await claimLarge(server, transfer, 1);
  await recordProgress(server.context, id, { reachedBytes: 500, isReturnable: false });
  await recordProgress(server.context, id, { reachedBytes: 100, isReturnable: true });
  await passMinutes(server, 30);
  assert.deepEqual(await countsOf(server, token), [1, 1, 0]);
});

test('after a clock jump no place is returned until running downloads have had time to record progress', async (t) => {
  const { server, token, large } = await startWithTransfer(t);
  await passMinutes(server, 1);
  await interrupt(server, server.anonymous(), large);
  server.clock.jump(DAY_MS / 2);
  await server.drainJobs();
  await passMinutes(server, 9);
  assert.deepEqual(await countsOf(server, token), [1, 1, 0]);
  await passMinutes(server, 2);
  assert.deepEqual(await countsOf(server, token), [0, 0, 0]);
});

test('auto-delete: abandoning the last download reopens the transfer', async (t) => {
  const { server, token, large } = await startWithTransfer(t, {
    maxDownloads: 1,
    autoDeleteAfterDownloads: true,
  });
  await interrupt(server, server.anonymous(), large);
  assert.equal(await get(server.anonymous(), large), 410);
  await passMinutes(server, 11);
  assert.deepEqual(await countsOf(server, token), [0, 0, 0]);
  await passMinutes(server, 90);
  assert.deepEqual(await countsOf(server, token), [0, 0, 0]);
  assert.equal(await get(server.anonymous(), large), 200);
  await until(async () => (await get(server.anonymous(), `/api/download/${token}`)) === 404);
});

test('auto-delete: a transfer closed again gets its full hour', async (t) => {
  const { server, token, large } = await startWithTransfer(t, {
    maxDownloads: 1,
    autoDeleteAfterDownloads: true,
  });
  await interrupt(server, server.anonymous(), large);
  await passMinutes(server, 40);
  await interrupt(server, server.anonymous(), large, { bytes: SIZE / 2 });
  await passMinutes(server, 59);
  assert.equal(await get(server.anonymous(), `/api/download/${token}`), 200);
  await passMinutes(server, 2);
  assert.equal(await get(server.anonymous(), `/api/download/${token}`), 404);
});

test('auto-delete: a download interrupted just before the hour ends keeps its ten minutes', async (t) => {
  const { server, token, large } = await startWithTransfer(t, {
    maxDownloads: 1,
    autoDeleteAfterDownloads: true,
  });
  const guest = server.anonymous();
  await interrupt(server, guest, large, { bytes: 1_000 });
  for (let rounds = 1; rounds <= 6; rounds += 1) {
    await passMinutes(server, 9);
    await interrupt(server, guest, large, { from: rounds * 1_000, bytes: 1_000 });
  }
  await passMinutes(server, 8);
  assert.equal(await get(server.anonymous(), `/api/download/${token}`), 200);
  await passMinutes(server, 4);
  assert.deepEqual(await countsOf(server, token), [0, 0, 0]);
  await passMinutes(server, 60);
  assert.deepEqual(await countsOf(server, token), [0, 0, 0]);
});

/** Claims a download of the first file, from a different address per index, without sending anything. */
function claimLarge({ context }: TestServer, transfer: ReadyTransfer, index: number): Promise<string> {
  const downloaded = { transferId: transfer.id, fileId: transfer.files[0]!.id, selection: null };
  const claim = { sizeBytes: SIZE, userAgent: null, recipientId: null, isOwn: false };
  return claimDownload(context, downloaded, { ...claim, ipAddress: `203.0.113.${index}` });
}

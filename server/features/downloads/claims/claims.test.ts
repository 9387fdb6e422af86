import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { viewDownload } from '../../../../contracts/transfers/downloads/downloads.ts';
import { getTransfer } from '../../../../contracts/transfers/transfers.ts';
import { fileDownloadPath, zipDownloadPath } from '../../../../contracts/values/addresses/links.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../../contracts/values/durations.ts';
import type { Client } from '../../../../testing/calls/client.ts';
import { createReadyTransfer } from '../../../../testing/factories.ts';
import { until } from '../../../../testing/lib/until.ts';
import { startTestServer, type TestServer } from '../../../../testing/test-context.ts';
import { AppError } from '../../../platform/lib/app-error.ts';
import { delayedClaimsOf } from './delayed-claims.ts';

const FILES = [
  { path: 'a.txt', bytes: 'hello world' },
  { path: 'b.txt', bytes: 'second file' },
];

type Settings = { maxDownloads?: number; autoDeleteAfterDownloads?: boolean };

async function startWithTransfer(t: TestContext, settings: Settings = {}) {
  const server = await startTestServer(t);
  const transfer = await createReadyTransfer(server.context, {
    userId: server.userId('paula'),
    files: FILES,
    ...settings,
  });
  const { token } = transfer;
  const [a, b] = transfer.files.map(({ id }) => fileDownloadPath(token, id));
  return { server, transfer, token, a: a!, b: b!, zip: zipDownloadPath(token) };
}

async function get(client: Client, path: string, headers: Record<string, string> = {}): Promise<number> {
  const response = await client.fetch(path, { headers });
  await response.arrayBuffer();
  return response.status;
}

async function countOf(server: TestServer, token: string): Promise<number | undefined> {
  return (await server.anonymous().call(viewDownload, { params: { token } })).downloadCount;
}

test('fifty concurrent downloads at a limit of seven give exactly seven', async (t) => {
  const { server, token, a } = await startWithTransfer(t, { maxDownloads: 7 });
  const statuses = await Promise.all(Array.from({ length: 50 }, () => get(server.anonymous(), a)));
  assert.equal(statuses.filter((status) => status === 200).length, 7);
  assert.equal(statuses.filter((status) => status === 410).length, 43);
  assert.equal(await countOf(server, token), 7);
});

test('files, zips and ranges without a ticket share one counter', async (t) => {
  const { server, token, a, b, zip } = await startWithTransfer(t, { maxDownloads: 9 });
  const statuses = await Promise.all(
    Array.from({ length: 40 }, (_, index) => {
      const path = [a, b, zip, a][index % 4]!;
      return get(server.anonymous(), path, index % 4 === 3 ? { range: 'bytes=5-' } : {});
    }),
  );
  assert.equal(statuses.filter((status) => status === 200 || status === 206).length, 9);
  assert.equal(statuses.filter((status) => status === 410).length, 31);
  assert.equal(await countOf(server, token), 9);
});

test('a ticket resumes a download even after the limit is reached, but doesn’t start it again', async (t) => {
  const { server, token, a, b, zip } = await startWithTransfer(t, { maxDownloads: 1 });
  const guest = server.anonymous();
  assert.equal(await get(guest, a), 200);
  assert.equal(await get(guest, a, { range: 'bytes=5-' }), 206);
  assert.equal(await get(guest, a, { range: 'bytes=-3' }), 206);
  assert.equal(await get(guest, a, { range: 'bytes=0-3' }), 410);
  assert.equal(await get(guest, a), 410);
  assert.equal(await get(guest, b, { range: 'bytes=5-' }), 410);
  assert.equal(await get(guest, zip, { range: 'bytes=5-' }), 410);
  assert.equal(await get(server.anonymous(), a, { range: 'bytes=5-' }), 410);
  assert.equal(await countOf(server, token), 1);
});

test('a ticket is valid for one resource only, whatever path the cookie is sent with', async (t) => {
  const { server, a, b, zip } = await startWithTransfer(t, { maxDownloads: 1 });
  const guest = server.anonymous();
  assert.equal(await get(guest, a), 200);
  const [ticket] = guest.jar.list();
  assert.equal(ticket!.path, a);
  for (const path of [b, zip]) {
    const thief = server.anonymous();
    thief.jar.add({ ...ticket!, path });
    assert.equal(await get(thief, path, { range: 'bytes=5-' }), 410);
  }
});

test('a ticket is valid for a day and not beyond the expiry', async (t) => {
  const { server, transfer, a } = await startWithTransfer(t, { maxDownloads: 1 });
  const guest = server.anonymous();
  assert.equal(await get(guest, a), 200);
  server.clock.advance(DAY_MS - 1);
  assert.equal(await get(guest, a, { range: 'bytes=5-' }), 206);
  server.clock.advance(1);
  assert.equal(await get(guest, a, { range: 'bytes=5-' }), 410);
  const { expiresAt } = await server.context.db
    .selectFrom('transfers')
    .select('expiresAt')
    .where('id', '=', transfer.id)
    .executeTakeFirstOrThrow();
  const late = server.anonymous();
  await server.context.db
    .updateTable('transfers')
    .set({ maxDownloads: 2, expiresAt: server.clock.now() + HOUR_MS })
    .where('id', '=', transfer.id)
    .execute();
  assert.ok(expiresAt! > server.clock.now());
  assert.equal(await get(late, a), 200);
  server.clock.advance(HOUR_MS);
  assert.equal(await get(late, a, { range: 'bytes=5-' }), 410);
});

test('a range without a ticket counts as a new download', async (t) => {
  const { server, token, a } = await startWithTransfer(t);
  assert.equal(await get(server.anonymous(), a, { range: 'bytes=5-' }), 206);
  assert.equal(await get(server.anonymous(), a, { range: 'bytes=10-' }), 206);
  assert.equal(await countOf(server, token), 2);
});

test('multiple ranges, a malformed range and a stale If-Range send the whole file and count', async (t) => {
  const { server, token, a } = await startWithTransfer(t);
  const guest = server.anonymous();
  assert.equal(await get(guest, a), 200);
  assert.equal(await get(guest, a, { range: 'bytes=2-3,5-6' }), 200);
  assert.equal(await get(guest, a, { range: 'bytes=zwei-' }), 200);
  assert.equal(await get(guest, a, { range: 'bytes=5-', 'if-range': '"another"' }), 200);
  assert.equal(await countOf(server, token), 4);
});

test('HEAD, 304, 412, 416 and prefetches never count', async (t) => {
  const { server, token, a, zip } = await startWithTransfer(t, { maxDownloads: 1 });
  const guest = server.anonymous();
  for (const path of [a, zip]) {
    const head = await guest.fetch(path, { method: 'HEAD' });
    assert.equal(head.status, 200);
    assert.ok(Number(head.headers.get('content-length')) > 0);
    const etag = head.headers.get('etag')!;
    assert.equal(await get(guest, path, { 'if-none-match': etag }), 304);
    assert.equal(await get(guest, path, { 'if-match': '"another"' }), 412);
    assert.equal(await get(guest, path, { range: 'bytes=999999-' }), 416);
    assert.equal(await get(guest, path, { 'sec-purpose': 'prefetch;prerender' }), 503);
  }
  assert.deepEqual(guest.jar.list(), []);
  assert.equal(await countOf(server, token), 0);
  assert.equal(await get(guest, a), 200);
  assert.equal((await server.anonymous().fetch(a, { method: 'HEAD' })).status, 410);
});

test('a file’s count is its own downloads plus the zips since it was added', async (t) => {
  const { server, transfer, a, zip } = await startWithTransfer(t);
  const guest = server.anonymous();
  for (const path of [a, a, zip, zip, zip]) assert.equal(await get(guest, path), 200);
  await server.context.db
    .updateTable('files')
    .set({ zipBase: 2 })
    .where('id', '=', transfer.files[1]!.id)
    .execute();
  const paula = await server.signIn('paula');
  const detail = await paula.call(getTransfer, { params: { id: transfer.id } });
  assert.equal(detail.downloadCount, 5);
  assert.deepEqual(
    detail.files.map(({ downloadCount }) => downloadCount),
    [5, 1],
  );
  const view = await guest.call(viewDownload, { params: { token: transfer.token } });
  assert.deepEqual(
    view.files!.map(({ downloadCount }) => downloadCount),
    [5, 1],
  );
});

test('a download is recorded with its address and browser, and marked when complete', async (t) => {
  const { server, transfer, a } = await startWithTransfer(t);
  assert.equal(await get(server.anonymous(), a, { 'user-agent': `Browser ${'x'.repeat(5_000)}` }), 200);
  const find = () => server.context.db.selectFrom('downloads').selectAll().executeTakeFirstOrThrow();
  await until(async () => (await find()).completedAt !== null);
  const row = await find();
  assert.equal(row.fileId, transfer.files[0]!.id);
  assert.equal(row.ipAddress, '127.0.0.1');
  assert.match(row.userAgent!, /^Browser x+$/);
  assert.ok(row.userAgent!.length <= 512);
});

test('auto-delete closes the transfer with the last download and deletes it once all have ended', async (t) => {
  const { server, transfer, token, a } = await startWithTransfer(t, {
    maxDownloads: 2,
    autoDeleteAfterDownloads: true,
  });
  const guest = server.anonymous();
  assert.equal(await get(guest, a), 200);
  assert.equal(await get(guest, a), 200);
  await until(async () => {
    const { status } = await server.context.db
      .selectFrom('transfers')
      .select('status')
      .where('id', '=', transfer.id)
      .executeTakeFirstOrThrow();
    return status === 'deleting';
  });
  assert.equal(await get(server.anonymous(), `/api/download/${token}`), 404);
  await server.drainJobs();
  await assert.rejects(server.context.blobs.openRange(transfer.files[0]!.storageKey, 0, 1));
  const left = await server.context.db.selectFrom('transfers').selectAll().execute();
  assert.deepEqual(left, []);
});

test('a closed transfer waits an hour for an interrupted download and allows only that one to resume', async (t) => {
  const server = await startTestServer(t);
  const transfer = await createReadyTransfer(server.context, {
    userId: server.userId('paula'),
    files: [{ path: 'large.bin', bytes: Buffer.alloc(30_000_000, 1) }],
    maxDownloads: 1,
    autoDeleteAfterDownloads: true,
  });
  const path = fileDownloadPath(transfer.token, transfer.files[0]!.id);
  const guest = server.anonymous();
  const cut = new AbortController();
  const response = await guest.fetch(path, { signal: cut.signal });
  await response.body!.getReader().read();
  cut.abort();
  assert.equal(await get(server.anonymous(), path), 410);
  assert.equal(await countOf(server, transfer.token), 1);
  assert.equal(await get(guest, path, { range: 'bytes=29999990-29999995' }), 206);
  server.clock.advance(HOUR_MS - 1);
  await server.drainJobs();
  assert.equal(await get(guest, path, { range: 'bytes=29999990-29999995' }), 206);
  server.clock.advance(1);
  await server.drainJobs();
  assert.equal(await get(guest, path, { range: 'bytes=29999990-29999995' }), 206);
  server.clock.advance(10 * MINUTE_MS);
  await server.drainJobs();
  assert.equal(await get(guest, path, { range: 'bytes=29999990-' }), 404);
});

test('a closed transfer waits up to a day for a download that still runs', async (t) => {
  const server = await startTestServer(t);
  const { db } = server.context;
  const transfer = await createReadyTransfer(server.context, {
    userId: server.userId('paula'),
    files: ['one', 'two', 'three'].map((path) => ({ path, bytes: Buffer.alloc(30_000_000, path) })),
    maxDownloads: 1,
    autoDeleteAfterDownloads: true,
  });
  const response = await server.anonymous().fetch(zipDownloadPath(transfer.token));
  const reader = response.body!.getReader();
  const readSome = async () => {
    const now = server.clock.now();
    await until(async () => {
      await reader.read();
      return (await db.selectFrom('downloads').select('activeAt').executeTakeFirst())?.activeAt === now;
    });
  };
  await readSome();
  for (const hours of [2, 20]) {
    server.clock.advance(hours * HOUR_MS);
    await readSome();
    await server.drainJobs();
    const { status } = await db.selectFrom('transfers').select('status').executeTakeFirstOrThrow();
    assert.equal(status, 'ready');
  }
  server.clock.advance(2 * HOUR_MS);
  await readSome();
  await server.drainJobs();
  assert.deepEqual(await db.selectFrom('transfers').selectAll().execute(), []);
  await reader.cancel();
});

test('the claim is undone if the bytes cannot be opened', async (t) => {
  const { server, transfer, token, a } = await startWithTransfer(t, {
    maxDownloads: 1,
    autoDeleteAfterDownloads: true,
  });
  await server.context.blobs.remove(transfer.files[0]!.storageKey);
  const guest = server.anonymous();
  assert.equal(await get(guest, a), 404);
  assert.deepEqual(guest.jar.list(), []);
  const view = await guest.call(viewDownload, { params: { token } });
  assert.equal(view.downloadCount, 0);
  assert.equal(view.files![0]!.downloadCount, 0);
  server.clock.advance(HOUR_MS);
  await server.drainJobs();
  assert.equal(await countOf(server, token), 0);
});

test('on a full disk a download is counted later without a limit and refused with one', async (t) => {
  const { server, transfer, token, a, zip } = await startWithTransfer(t);
  const limited = await createReadyTransfer(server.context, {
    userId: server.userId('paula'),
    files: FILES,
    maxDownloads: 5,
  });
  const { context } = server;
  const full = t.mock.method(context.db, 'transaction', () => {
    throw new AppError('storage_full');
  });
  const rex = server.anonymous();
  assert.equal(await get(rex, a), 200);
  assert.equal(await get(rex, a, { range: 'bytes=5-' }), 206, 'resumes by its ticket');
  assert.equal(await get(rex, zip), 200);
  const refused = await rex.fetch(fileDownloadPath(limited.token, limited.files[0]!.id));
  assert.equal(refused.status, 507);
  assert.match(await refused.text(), /no storage left to count this download/);
  await delayedClaimsOf(context.db).saveAll();
  assert.equal(await countOf(server, token), 0);

  full.mock.restore();
  await delayedClaimsOf(context.db).saveAll();
  assert.equal(await countOf(server, token), 2);
  const listRows = () =>
    context.db
      .selectFrom('downloads')
      .select(['completedAt', 'sizeBytes', 'reachedBytes'])
      .where('transferId', '=', transfer.id)
      .execute();
  assert.equal((await listRows()).length, 2);
  await until(async () =>
    (await listRows()).every((row) => row.completedAt !== null && row.reachedBytes === row.sizeBytes),
  );
  assert.equal(await countOf(server, limited.token), 0);
});

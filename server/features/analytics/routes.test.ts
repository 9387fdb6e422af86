import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { ApiError } from '../../../client/api-error.ts';
import {
  exportAnalytics,
  exportTransferAnalytics,
  getAnalytics,
  getTransferAnalytics,
} from '../../../contracts/analytics.ts';
import { encodeSelection } from '../../../contracts/transfers/downloads/selection.ts';
import { getTransfer } from '../../../contracts/transfers/transfers.ts';
import {
  fileDownloadPath,
  selectionDownloadPath,
  zipDownloadPath,
} from '../../../contracts/values/addresses/links.ts';
import { DAY_MS, HOUR_MS } from '../../../contracts/values/durations.ts';
import type { Client } from '../../../testing/calls/client.ts';
import type { CastName } from '../../../testing/cast.ts';
import { countReadRows } from '../../../testing/databases/read-rows.ts';
import { createReadyTransfer } from '../../../testing/factories.ts';
import { until } from '../../../testing/lib/until.ts';
import { live } from '../../../testing/live.ts';
import { startTestServer } from '../../../testing/test-context.ts';
import { publishFiles } from '../../../testing/uploads/arriving-transfers.ts';
import { seedManyFiles } from '../../../testing/uploads/many-files.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { randomId } from '../../platform/lib/tokens.ts';
import { addRecipients } from '../transfers/mails/recipients.ts';

const PHONE = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Mobile/15E148';

async function startWithTransfer(t: TestContext, owner: CastName = 'paula') {
  const server = await startTestServer(t, { TRUST_PROXY: '1' });
  const transfer = await createReadyTransfer(server.context, {
    userId: server.userId(owner),
    title: '=HYPERLINK("https://evil.example")',
    files: ['a.txt', 'b.txt'].map((path) => ({ path, bytes: path })),
    expiresAt: server.clock.now() + 365 * DAY_MS,
  });
  const client = await server.signIn(owner);
  const params = { id: transfer.id };
  const get = async (path: string, address: string) => {
    const headers = { 'user-agent': PHONE, 'x-forwarded-for': address };
    const response = await server.anonymous().fetch(path, { headers });
    assert.equal(response.status, 200);
    await response.arrayBuffer();
  };
  return { server, transfer, client, params, get };
}

const refusedWith = (status: number, code: string) => (error: unknown) =>
  error instanceof ApiError && error.status === status && error.code === code;

const paths = (id: string) => [
  getAnalytics.path,
  exportAnalytics.path,
  ...[getTransferAnalytics, exportTransferAnalytics].map(({ path }) => path.replace(':id', id)),
];

test('views and downloads are reported by day, country, device and file, before and after counting', async (t) => {
  const { server, transfer, client, params, get } = await startWithTransfer(t);
  const [a, b] = transfer.files;
  const [german, american, nobody] = ['193.99.144.80', '8.8.8.8', '10.0.0.1'];
  await get(`/api/download/${transfer.token}?from=https%3A%2F%2Fblog.example%2Fpost%3Fq`, german);
  await get(`/api/download/${transfer.token}`, nobody);
  await get(fileDownloadPath(transfer.token, a!.id), german);
  await get(zipDownloadPath(transfer.token), american);
  const { db } = server.context;
  await until(async () => (await db.selectFrom('transferViews').select('id').execute()).length === 2);
  await until(async () => {
    const rows = await db.selectFrom('downloads').select('id').where('completedAt', 'is not', null).execute();
    return rows.length === 2;
  });
  const before = await client.call(getTransferAnalytics, { params });
  assert.deepEqual(before.totals, { views: 2, downloads: 2, completed: 2, completionRate: 1 });
  assert.deepEqual([before.from, before.to, before.longestDays], ['2026-10-17', '2026-11-15', 90]);
  assert.equal(before.days.length, 30);
  assert.deepEqual(before.days.at(-1), { date: '2026-11-15', views: 2, downloads: 2 });
  assert.deepEqual(before.days[0], { date: '2026-10-17', views: 0, downloads: 0 });
  assert.deepEqual(before.countries, [
    { country: 'DE', views: 1, downloads: 1 },
    { country: 'US', views: 0, downloads: 1 },
    { country: 'ZZ', views: 1, downloads: 0 },
  ]);
  assert.deepEqual(before.referers, [
    { referer: '', views: 1 },
    { referer: 'https://blog.example/post', views: 1 },
  ]);
  const none = { views: 0, downloads: 0 };
  assert.deepEqual(before.devices, [
    { device: 'desktop', ...none },
    { device: 'mobile', views: 2, downloads: 2 },
    { device: 'tablet', ...none },
    { device: 'other', ...none },
  ]);
  assert.deepEqual(before.files, [
    { id: a!.id, name: 'a.txt', downloads: 2 },
    { id: b!.id, name: 'b.txt', downloads: 1 },
  ]);
  await live(server, 3 * HOUR_MS);
  assert.deepEqual(await client.call(getTransferAnalytics, { params }), before);
  const { files, ...same } = before;
  const { createdAt } = await client.call(getTransfer, { params });
  assert.deepEqual(await client.call(getAnalytics), {
    ...same,
    transfers: [
      {
        id: transfer.id,
        title: '=HYPERLINK("https://evil.example")',
        encryption: null,
        firstFileName: null,
        fileCount: 2,
        createdAt,
        views: 2,
        downloads: 2,
      },
    ],
  });
  const views = await db.selectFrom('transferViews').select('country').execute();
  assert.deepEqual(views.map(({ country }) => country).toSorted(), ['DE', null].toSorted());
});

test('recent downloads show the country and the personal link’s recipient, even before counting', async (t) => {
  const { server, transfer, client, params, get } = await startWithTransfer(t);
  const { db, clock } = server.context;
  const [rex] = await transaction(db, (trx) =>
    addRecipients(trx, transfer.id, ['rex@example.org'], clock.now()),
  );
  await get(zipDownloadPath(transfer.token, rex!.token), '193.99.144.80');
  const read = async () => {
    const { downloads } = await client.call(getTransfer, { params });
    return downloads.map(({ country, recipientEmail }) => [country, recipientEmail]);
  };
  assert.deepEqual(await read(), [['DE', 'rex@example.org']]);
  await live(server, 3 * HOUR_MS);
  assert.deepEqual(await read(), [['DE', 'rex@example.org']]);
  await db.deleteFrom('transferRecipients').execute();
  assert.deepEqual(await read(), [['DE', null]]);
});

test('a transfer without events has zeros and no completion rate', async (t) => {
  const { client, params } = await startWithTransfer(t);
  const analytics = await client.call(getTransferAnalytics, { params, query: { days: '1' } });
  assert.deepEqual(analytics.totals, { views: 0, downloads: 0, completed: 0, completionRate: null });
  assert.deepEqual(analytics.days, [{ date: '2026-11-15', views: 0, downloads: 0 }]);
  assert.deepEqual([analytics.countries, analytics.referers], [[], []]);
  assert.deepEqual((await client.call(getAnalytics)).transfers, []);
});

test('a transfer whose files are still arriving has analytics', async (t) => {
  const { server, client, get } = await startWithTransfer(t);
  const { id, token } = await publishFiles(client, [{ name: 'a.txt', bytes: Buffer.from('a') }]);
  await get(`/api/download/${token}`, '203.0.113.5');
  const readViews = async () => {
    const { totals } = await client.call(getTransferAnalytics, { params: { id } });
    const { transfers } = await client.call(getAnalytics);
    return [totals.views, transfers.map((each) => [each.id, each.views])];
  };
  await until(async () => (await readViews())[0] === 1);
  await server.drainJobs();
  assert.deepEqual(await readViews(), [1, [[id, 1]]]);
});

test('for many files the first thousand and the most downloaded ones are reported', async (t) => {
  const server = await startTestServer(t);
  const { db } = server.context;
  const { id, token } = await seedManyFiles(server.context, { userId: server.userId('prem'), count: 5_000 });
  const late = await db
    .selectFrom('files')
    .select('id')
    .where('position', '=', 4_000)
    .executeTakeFirstOrThrow();
  const guest = server.anonymous();
  await (await guest.fetch(fileDownloadPath(token, late.id))).arrayBuffer();
  await (await guest.fetch(selectionDownloadPath(token, encodeSelection([7, 4_500])))).arrayBuffer();
  const prem = await server.signIn('prem');
  const rows = countReadRows(db);
  const { files } = await prem.call(getTransferAnalytics, { params: { id } });
  assert.ok(rows.take() < 1_100);
  assert.equal(files.length, 1_002);
  assert.deepEqual(
    files.filter(({ downloads }) => downloads > 0).map(({ downloads }) => downloads),
    [1, 1, 1],
  );
});

test('a file added later counts only the zip downloads since then', async (t) => {
  const { server, transfer, client, params, get } = await startWithTransfer(t);
  const { db } = server.context;
  const zip = () => get(zipDownloadPath(transfer.token), '8.8.8.8');
  await zip();
  await zip();
  const late = transfer.files[1]!;
  await db.updateTable('files').set({ zipBase: 2 }).where('id', '=', late.id).execute();
  await zip();
  const { files } = await client.call(getTransferAnalytics, { params });
  assert.deepEqual(
    files.map(({ downloads }) => downloads),
    [3, 1],
  );
});

test('Pro sees 90 days, Premium two years and Free nothing, by the current plan', async (t) => {
  const { server, transfer, client, params } = await startWithTransfer(t);
  const { db, clock } = server.context;
  const at = clock.now() - 100 * DAY_MS;
  await db
    .insertInto('downloads')
    .values({ id: randomId(), transferId: transfer.id, downloadedAt: at })
    .execute();
  await live(server, 3 * HOUR_MS);
  const setTier = (tier: 'free' | 'pro' | 'premium') =>
    db.updateTable('users').set({ tier }).where('id', '=', server.userId('paula')).execute();
  const query = { days: '730' };
  const pro = await client.call(getTransferAnalytics, { params, query });
  assert.deepEqual([pro.days.length, pro.longestDays, pro.totals.downloads], [90, 90, 0]);
  await setTier('premium');
  const premium = await client.call(getTransferAnalytics, { params, query });
  assert.deepEqual([premium.days.length, premium.longestDays, premium.totals.downloads], [730, 730, 1]);
  assert.equal((await client.call(getAnalytics, { query: { days: '101' } })).totals.downloads, 1);
  assert.equal((await client.call(getAnalytics, { query: { days: '100' } })).totals.downloads, 0);
  await setTier('free');
  for (const path of paths(transfer.id)) {
    const response = await client.fetch(path);
    assert.equal(response.status, 402, path);
    assert.equal(await response.text(), 'Transfer analytics is part of the Pro plan. Upgrade to use it.');
  }
});

test('foreign, deleted and unknown transfers are not found, and invalid numbers of days are refused', async (t) => {
  const { server, transfer, client, params } = await startWithTransfer(t);
  const prem = await server.signIn('prem');
  const readAnalytics = (caller: Client, id: string) => caller.call(getTransferAnalytics, { params: { id } });
  await assert.rejects(readAnalytics(prem, transfer.id), refusedWith(404, 'transfer_not_found'));
  await assert.rejects(readAnalytics(client, '0'.repeat(26)), refusedWith(404, 'transfer_not_found'));
  assert.equal((await prem.fetch(exportTransferAnalytics.path.replace(':id', transfer.id))).status, 404);
  assert.equal((await prem.call(getAnalytics)).totals.downloads, 0);
  for (const days of ['0', '-1', '731', '1.5', 'x', '']) {
    await assert.rejects(
      client.call(getTransferAnalytics, { params, query: { days } }),
      refusedWith(400, 'invalid_input'),
      days,
    );
  }
  for (const path of paths(transfer.id)) {
    assert.equal((await server.anonymous().fetch(path)).status, 401, path);
  }
});

test('the daily numbers are exported as CSV', async (t) => {
  const { transfer, client, get } = await startWithTransfer(t);
  await get(zipDownloadPath(transfer.token), '8.8.8.8');
  for (const path of paths(transfer.id).filter((each) => each.endsWith('.csv'))) {
    const response = await client.fetch(`${path}?days=2`);
    assert.equal(response.headers.get('content-type'), 'text/csv; charset=utf-8');
    assert.equal(response.headers.get('cache-control'), 'no-store');
    assert.match(
      response.headers.get('content-disposition')!,
      /^attachment; filename="analytics 2026-11-14 to 2026-11-15.csv"/,
    );
    const lines = (await response.text()).split('\r\n');
    assert.deepEqual(lines.slice(0, 2), ['date,views,downloads,completed', '2026-11-14,0,0,0']);
    assert.match(lines[2]!, /^2026-11-15,0,1,[01]$/);
    assert.deepEqual(lines.slice(3), ['']);
  }
});

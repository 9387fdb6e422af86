import assert from 'node:assert/strict';
import test from 'node:test';
import { getAdminStats, getAdminTrends } from '../../../../contracts/admin/stats.ts';
import { deleteAnyTransfer } from '../../../../contracts/admin/transfers.ts';
import { deleteUser } from '../../../../contracts/admin/users.ts';
import { DAY_MS, HOUR_MS } from '../../../../contracts/values/durations.ts';
import { renewSessions } from '../../../../testing/calls/renewed-sessions.ts';
import { createReadyTransfer } from '../../../../testing/factories.ts';
import { passDays, subscribe } from '../../../../testing/payments/subscriptions.ts';
import { startTestServer, type TestServer } from '../../../../testing/test-context.ts';
import { announceFile, makeBytes, uploadFile } from '../../../../testing/uploads/upload-files.ts';
import { dayOf } from '../../../platform/lib/clock.ts';
import { randomId } from '../../../platform/lib/tokens.ts';

/** Advances the clock to this hour (UTC) of the next day. */
function moveToHour({ clock }: TestServer, hour: number): void {
  const midnight = clock.now() - (clock.now() % DAY_MS);
  clock.advance(midnight + DAY_MS + hour * HOUR_MS - clock.now());
}

/** Advances the clock in steps small enough to be trusted and runs the jobs in between. */
async function passHours(server: TestServer, hours: number): Promise<void> {
  for (let hour = 0; hour < hours; hour += 1) {
    server.clock.advance(HOUR_MS);
    await server.drainJobs();
  }
}

async function addDownload({ context, clock }: TestServer, transferId: string): Promise<void> {
  const row = { id: randomId(), transferId, fileId: null, selection: null, downloadedAt: clock.now() };
  await context.db
    .insertInto('downloads')
    .values({ ...row, countedAt: null })
    .execute();
}

test('the dashboard’s seven numbers exclude drafts, expired and deleted transfers, and give revenue in cents', async (t) => {
  const server = await startTestServer(t);
  moveToHour(server, 1);
  const ada = await server.signIn('ada');
  const zero = await ada.call(getAdminStats);
  assert.deepEqual(zero, {
    totalUsers: 4,
    activeTransfers: 0,
    totalStorage: 0,
    transfersToday: 0,
    proUsers: 1,
    premiumUsers: 2,
    monthlyRevenue: 0,
  });
  const frida = await server.signIn('frida');
  await subscribe(frida, { tier: 'pro' });
  await uploadFile(frida, 'a.bin', makeBytes(100));
  await announceFile(frida, 'unfinished.bin', makeBytes(70));
  const userId = server.userId('paula');
  const make = (expiresAt: number) =>
    createReadyTransfer(server.context, { userId, files: [{ path: 'a', bytes: 'abcde' }], expiresAt });
  await make(server.clock.now() + HOUR_MS);
  const { id } = await make(server.clock.now() + DAY_MS);
  await ada.call(deleteAnyTransfer, { params: { id } });
  const full = await ada.call(getAdminStats);
  assert.deepEqual(full, {
    ...zero,
    activeTransfers: 2,
    totalStorage: 105,
    transfersToday: 3,
    proUsers: 2,
    monthlyRevenue: 999,
  });
  // Expired transfers count toward storage until they are removed. Midnight begins a new day.
  server.clock.advance(HOUR_MS);
  await renewSessions(server);
  assert.deepEqual(await ada.call(getAdminStats), { ...full, activeTransfers: 1 });
  server.clock.advance(22 * HOUR_MS);
  await renewSessions(server);
  const tomorrow = await ada.call(getAdminStats);
  assert.deepEqual([tomorrow.transfersToday, tomorrow.totalStorage], [0, 105]);
  await ada.call(deleteUser, { params: { id: server.userId('paula') } });
  const fewer = await ada.call(getAdminStats);
  assert.deepEqual([fewer.totalUsers, fewer.proUsers, fewer.totalStorage], [3, 1, 100]);
});

test('revenue follows the subscriptions and ignores plans set by an administrator', async (t) => {
  const server = await startTestServer(t);
  const ada = await server.signIn('ada');
  for (const name of ['frida', 'prem'] as const) {
    const userId = server.userId(name);
    await server.context.db.updateTable('users').set({ tier: 'free' }).where('id', '=', userId).execute();
    await subscribe(await server.signIn(name), { tier: 'premium' });
  }
  assert.equal((await ada.call(getAdminStats)).monthlyRevenue, 2 * 2499);
  await passDays(server, 31);
  assert.equal((await ada.call(getAdminStats)).monthlyRevenue, 2 * 2499);
});

test('trends have each of the last 30 days in UTC, oldest first', async (t) => {
  const server = await startTestServer(t);
  const { context, clock } = server;
  moveToHour(server, 23);
  const ada = await server.signIn('ada');
  const files = [{ path: 'a', bytes: 'abcde' }];
  const yesterday = await createReadyTransfer(context, { userId: server.userId('frida'), files });
  await addDownload(server, yesterday.id);
  clock.advance(2 * HOUR_MS);
  await createReadyTransfer(context, { userId: server.userId('frida'), files });
  for (let times = 0; times < 3; times += 1) await addDownload(server, yesterday.id);
  const trends = await ada.call(getAdminTrends);
  const today = clock.now();
  assert.deepEqual(
    trends.map(({ date }) => date),
    Array.from({ length: 30 }, (_, index) => dayOf(today - (29 - index) * DAY_MS)),
  );
  assert.deepEqual(trends.slice(-2), [
    { date: dayOf(today - DAY_MS), newUsers: 0, newTransfers: 1, uploadedBytes: 5, downloads: 1 },
    { date: dayOf(today), newUsers: 0, newTransfers: 1, uploadedBytes: 5, downloads: 3 },
  ]);
  assert.equal(
    trends.reduce((sum, { newUsers }) => sum + newUsers, 0),
    4,
  );
});

test('counts of a past day stay the same after its transfers and accounts are deleted', async (t) => {
  const server = await startTestServer(t);
  moveToHour(server, 12);
  const ada = await server.signIn('ada');
  const userId = server.userId('frida');
  const { id } = await createReadyTransfer(server.context, { userId, files: [{ path: 'a', bytes: 'abc' }] });
  await addDownload(server, id);
  await passHours(server, 14);
  const before = await ada.call(getAdminTrends);
  assert.partialDeepStrictEqual(before.at(-2), { newTransfers: 1, uploadedBytes: 3, downloads: 1 });
  await renewSessions(server);
  await ada.call(deleteUser, { params: { id: userId } });
  await passHours(server, 2);
  assert.equal((await server.context.db.selectFrom('downloads').select('id').execute()).length, 0);
  assert.deepEqual(await ada.call(getAdminTrends), before);
});

test('stored days older than the trends are deleted, and a clock that jumped stores none', async (t) => {
  const server = await startTestServer(t);
  const { clock, context } = server;
  moveToHour(server, 12);
  const kept = async () => {
    const rows = await context.db
      .selectFrom('settings')
      .select('key')
      .where('key', 'like', 'trend.%')
      .execute();
    return rows.map(({ key }) => key.slice('trend.'.length)).sort();
  };
  await passHours(server, 2);
  const first = await kept();
  assert.equal(first.length, 29);
  const [noon, leap] = [clock.now(), 40 * DAY_MS];
  clock.jump(leap);
  await server.drainJobs();
  assert.deepEqual(await kept(), first);
  clock.jump(-leap);
  await server.drainJobs();
  assert.deepEqual(await kept(), first);
  assert.equal(clock.now(), noon);
  await passHours(server, 24);
  assert.deepEqual(await kept(), [...first.slice(1), dayOf(noon)]);
});

import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { getAnalytics } from '../../../../contracts/analytics.ts';
import { getTransfer } from '../../../../contracts/transfers/transfers.ts';
import { DAY_MS, HOUR_MS } from '../../../../contracts/values/durations.ts';
import { createReadyTransfer } from '../../../../testing/factories.ts';
import { startTestServer } from '../../../../testing/test-context.ts';
import { randomId } from '../../../platform/lib/tokens.ts';
import { countAll } from './count-events.ts';
import { removeOldLogs } from './retention.ts';

const NEVER = { signal: new AbortController().signal };

async function startWithLogs(t: TestContext) {
  const server = await startTestServer(t);
  const { context, clock } = server;
  const { db } = context;
  const transfer = await createReadyTransfer(context, {
    userId: server.userId('prem'),
    files: [{ path: 'a.txt', bytes: 'a' }],
    expiresAt: clock.now() + 1_000 * DAY_MS,
  });
  const insertEvents = async (daysAgo: number) => {
    const at = clock.now() - daysAgo * DAY_MS;
    const row = { transferId: transfer.id, ipAddress: '8.8.8.8' };
    await db
      .insertInto('downloads')
      .values({ ...row, id: randomId(), downloadedAt: at, completedAt: at })
      .execute();
    await db
      .insertInto('transferViews')
      .values({ ...row, id: randomId(), viewedAt: at })
      .execute();
  };
  const countRows = async (table: 'downloads' | 'transferViews' | 'transferTotals' | 'userTotals') =>
    (await db.selectFrom(table).selectAll().execute()).length;
  const sweep = async () => {
    clock.advance(HOUR_MS);
    await removeOldLogs(context, NEVER);
  };
  await sweep();
  return { server, context, clock, db, transfer, insertEvents, countRows, sweep };
}

test('counted views and downloads are deleted after 90 days, and the totals stay', async (t) => {
  const { server, context, db, transfer, insertEvents, countRows, sweep } = await startWithLogs(t);
  await db.updateTable('transfers').set({ downloadCount: 3 }).where('id', '=', transfer.id).execute();
  for (const daysAgo of [0, 89, 91]) await insertEvents(daysAgo);
  await sweep();
  assert.deepEqual([await countRows('downloads'), await countRows('transferViews')], [3, 3]);
  await countAll(context, NEVER);
  await sweep();
  assert.deepEqual([await countRows('downloads'), await countRows('transferViews')], [2, 2]);
  const prem = await server.signIn('prem');
  const { totals } = await prem.call(getAnalytics, { query: { days: '100' } });
  assert.deepEqual(totals, { views: 3, downloads: 3, completed: 3, completionRate: 1 });
  const detail = await prem.call(getTransfer, { params: { id: transfer.id } });
  assert.deepEqual([detail.downloadCount, detail.downloads.length], [3, 2]);
});

test('a download row is kept until its completion is counted', async (t) => {
  const { context, clock, db, insertEvents, countRows, sweep } = await startWithLogs(t);
  await insertEvents(91);
  await db.updateTable('downloads').set({ completedAt: null }).execute();
  await countAll(context, NEVER);
  await db.updateTable('downloads').set({ completedAt: clock.now() }).execute();
  await sweep();
  assert.equal(await countRows('downloads'), 1);
  await countAll(context, NEVER);
  await sweep();
  assert.equal(await countRows('downloads'), 0);
});

test('totals are deleted once no plan can show them', async (t) => {
  const { context, db, insertEvents, sweep } = await startWithLogs(t);
  await insertEvents(729);
  await insertEvents(732);
  await countAll(context, NEVER);
  await sweep();
  for (const table of ['transferTotals', 'userTotals'] as const) {
    const rows = await db
      .selectFrom(table)
      .select(['day', 'downloads'])
      .where('dimension', '=', 'all')
      .execute();
    assert.deepEqual(
      rows.map(({ day, downloads }) => [day, downloads]),
      [['2024-11-16', 1]],
    );
  }
});

test('a clock that jumps years ahead deletes nothing', async (t) => {
  const { context, clock, insertEvents, countRows, sweep } = await startWithLogs(t);
  await insertEvents(0);
  await countAll(context, NEVER);
  clock.jump(1_000 * DAY_MS);
  await sweep();
  await sweep();
  assert.equal(await countRows('downloads'), 1);
  clock.jump(-1_000 * DAY_MS);
  await sweep();
  await sweep();
  assert.equal(await countRows('downloads'), 1);
  clock.advance(1_000 * DAY_MS);
  await sweep();
  await sweep();
  assert.equal(await countRows('downloads'), 0);
  assert.equal(await countRows('userTotals'), 0);
});

test('several batches are deleted in one run', async (t) => {
  const { context, clock, db, transfer, countRows, sweep } = await startWithLogs(t);
  const at = clock.now() - 91 * DAY_MS;
  const rows = Array.from({ length: 1_100 }, () => ({
    id: randomId(),
    transferId: transfer.id,
    downloadedAt: at,
  }));
  await db.insertInto('downloads').values(rows).execute();
  await countAll(context, NEVER);
  await sweep();
  assert.equal(await countRows('downloads'), 0);
});

import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { exportAnalytics, getAnalytics } from '../../../../contracts/analytics.ts';
import { DAY_MS, MINUTE_MS } from '../../../../contracts/values/durations.ts';
import { AnalyticsWorld } from '../../../../testing/analytics/analytics-world.ts';
import { seedLargeDatabase } from '../../../../testing/databases/large-database.ts';
import { type SeededRandom, seedRandom } from '../../../../testing/lib/seeded-random.ts';
import { startTestServer } from '../../../../testing/test-context.ts';
import { countAll } from './count-events.ts';

const NEVER = new AbortController().signal;

async function startWorld(t: TestContext, random: SeededRandom = seedRandom(t)): Promise<AnalyticsWorld> {
  const server = await startTestServer(t);
  const world = new AnalyticsWorld(server, random, await server.signIn('prem'));
  for (let count = 0; count < 3; count += 1) await world.send();
  return world;
}

const times = async (count: number, act: () => Promise<void>) => {
  for (let done = 0; done < count; done += 1) await act();
};

test('totals plus uncounted rows match the events in any order', async (t) => {
  const world = await startWorld(t);
  const acts = [
    ...Array(6).fill(() => world.view()),
    ...Array(8).fill(() => world.download()),
    ...Array(5).fill(() => world.complete()),
    ...Array(3).fill(() => world.returnPlace()),
    ...Array(3).fill(() => world.count()),
    ...Array(2).fill(() => world.countAndFail()),
    ...Array(4).fill(() => world.wait()),
  ] as (() => Promise<void>)[];
  await times(12, async () => {
    await times(6, async () => {
      // Runs some of them concurrently.
      await Promise.all(Array.from({ length: world.random.between(1, 6) }, () => world.pick(acts)()));
    });
    await world.check();
    if (world.random.between(1, 6) === 1) {
      await world.deleteTransfer();
      await world.check();
    }
  });
  await world.count();
  await world.check();
});

test('a download is counted when it completes or settles, and a late completion is added once', async (t) => {
  const world = await startWorld(t);
  const { context, clock } = world.server;
  const uncounted = async () => {
    const rows = await context.db
      .selectFrom('downloads')
      .select('id')
      .where('countedAt', 'is', null)
      .execute();
    return rows.length;
  };
  await world.download();
  await world.download();
  await world.complete();
  await countAll(context, { signal: NEVER });
  assert.equal(await uncounted(), 1);
  clock.advance(15 * MINUTE_MS);
  await countAll(context, { signal: NEVER });
  assert.equal(await uncounted(), 0);
  await world.complete();
  await Promise.all([1, 2, 3].map(() => countAll(context, { signal: NEVER })));
  await world.check();
  const { totals } = await world.owner.call(getAnalytics);
  assert.deepEqual(totals, { views: 0, downloads: 2, completed: 2, completionRate: 1 });
});

test('several batches are counted in one run, even by concurrent processes', async (t) => {
  const world = await startWorld(t);
  await times(300, () => world.download());
  await times(300, () => world.view());
  world.server.clock.advance(15 * MINUTE_MS);
  await Promise.all([1, 2, 3].map(() => countAll(world.server.context, { signal: NEVER })));
  await world.check();
});

test('the totals list a hundred referers per day and lose no count', async (t) => {
  const world = await startWorld(t);
  const { context } = world.server;
  await times(250, () => world.view());
  const views = await context.db.selectFrom('transferViews').select('id').execute();
  for (const [index, { id }] of views.entries()) {
    const referer = `https://spam.example/${index}`;
    await context.db.updateTable('transferViews').set({ referer }).where('id', '=', id).execute();
  }
  await countAll(context, { signal: NEVER });
  const totals = await context.db
    .selectFrom('userTotals')
    .select(['value', 'views'])
    .where('dimension', '=', 'referer')
    .execute();
  assert.equal(totals.length, 101);
  assert.equal(totals.find(({ value }) => value === 'other')!.views, 150);
  const { referers } = await world.owner.call(getAnalytics);
  assert.equal(referers.length, 50);
  assert.deepEqual(referers[0], { referer: 'other', views: 150 });
});

test('a completion is counted on the day its download started', async (t) => {
  const world = await startWorld(t);
  await world.download();
  await world.count();
  world.server.clock.advance(DAY_MS);
  await world.complete();
  for (const settle of [async () => {}, () => world.count()]) {
    await settle();
    const response = await world.owner.fetch(`${exportAnalytics.path}?days=3`);
    assert.equal(
      await response.text(),
      'date,views,downloads,completed\r\n2026-11-14,0,0,0\r\n2026-11-15,0,1,1\r\n2026-11-16,0,0,0\r\n',
    );
  }
});

test('downloads of many transfers are counted in short transactions', async (t) => {
  const { context, clock } = await startTestServer(t);
  const { db } = context;
  await seedLargeDatabase(db, { users: 10, transfers: 250, filesOfLargest: 1 }, clock.now());
  await db.updateTable('downloads').set({ countedAt: null, countedCompletedAt: null }).execute();
  await db.deleteFrom('transferTotals').execute();
  const entry = new Set<number>();
  const counting = countAll(context, { signal: NEVER }).then(() => entry.add(250));
  while (!entry.has(250)) {
    const { count } = await db
      .selectFrom('downloads')
      .select(({ fn }) => fn.countAll().as('count'))
      .where('countedAt', 'is not', null)
      .executeTakeFirstOrThrow();
    entry.add(Number(count));
  }
  await counting;
  assert.ok(entry.size >= 4, `others saw only the counts ${[...entry]}`);
  const { sum } = await db
    .selectFrom('transferTotals')
    .select(({ fn }) => fn.sum('downloads').as('sum'))
    .where('dimension', '=', 'all')
    .executeTakeFirstOrThrow();
  assert.equal(Number(sum), 250);
});

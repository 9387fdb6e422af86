import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../contracts/values/durations.ts';
import { describeOnBothEngines, type TestEngine } from '../../../testing/databases/both-engines.ts';
import { ManualClock } from '../../../testing/lib/manual-clock.ts';
import type { Db } from '../db/open.ts';
import { createLog } from '../lib/logging/log.ts';
import { randomId } from '../lib/tokens.ts';
import { ClockGuard, confirmClock, findClockStop } from './clock-guard.ts';

const YEAR_AND_MORE_MS = 400 * DAY_MS;

describeOnBothEngines('the clock guard', (engine) => {
  test('trusts a clock only after a steady hour of this process', async () => {
    const { clock, start } = await open(engine);
    const guard = start();
    assert.equal(await guard.findTrustedNow(), undefined);
    clock.advance(HOUR_MS - 1);
    assert.equal(await guard.findTrustedNow(), undefined);
    clock.advance(1);
    assert.equal(await guard.findTrustedNow(), clock.now());
    assert.equal(await start().findTrustedNow(), undefined, 'another process begins anew');
    clock.jump(HOUR_MS);
    assert.equal(await guard.findTrustedNow(), undefined, 'a small jump begins the hour anew');
    clock.advance(HOUR_MS);
    assert.equal(await guard.findTrustedNow(), clock.now());
  });

  test('stops at a jump ahead for as long as it lasts, even across restarts', async () => {
    const { clock, db, start } = await open(engine);
    let guard = start();
    await guard.check();
    clock.jump(YEAR_AND_MORE_MS);
    for (const pause of [0, 10_000, 30_000, HOUR_MS, 100 * DAY_MS]) {
      guard = start();
      clock.advance(pause);
      assert.ok((await guard.check()).stop!.jumpMs >= YEAR_AND_MORE_MS);
      clock.advance(2 * HOUR_MS);
      assert.equal(await guard.findTrustedNow(), undefined);
    }
    assert.ok(await findClockStop(db));
  });

  test('resumes when the clock is right again', async () => {
    const { clock, db, start } = await open(engine);
    const guard = start();
    await guard.check();
    clock.jump(YEAR_AND_MORE_MS);
    await guard.check();
    clock.advance(10 * DAY_MS);
    await guard.check();
    clock.jump(-YEAR_AND_MORE_MS);
    assert.equal((await guard.check()).stop, undefined);
    assert.equal(await guard.findTrustedNow(), undefined, 'not within the hour');
    clock.advance(HOUR_MS);
    assert.equal(await guard.findTrustedNow(), clock.now());
    assert.equal(await findClockStop(db), undefined);
  });

  test('resumes when that very jump is confirmed', async () => {
    const { clock, db, start } = await open(engine);
    const [guard, other] = [start(), start()];
    await guard.check();
    await other.check();
    clock.jump(YEAR_AND_MORE_MS);
    const { stop } = await guard.check();
    clock.advance(MINUTE_MS);
    const confirm = (stopId: string) => confirmClock(db, { stopId, now: clock.now() });
    assert.equal(await confirm('another'), false);
    assert.deepEqual((await Promise.all([confirm(stop!.id), confirm(stop!.id)])).sort(), [false, true]);
    for (const each of [guard, other]) {
      assert.equal(await each.findTrustedNow(), undefined);
      clock.advance(HOUR_MS);
      assert.equal(await each.findTrustedNow(), clock.now());
    }
  });

  test('stops when the clock is set back, and resets the expected time once that is confirmed', async () => {
    const { clock, db, start } = await open(engine);
    const [guard, other] = [start(), start()];
    for (const each of [guard, other]) await each.check();
    clock.jump(-YEAR_AND_MORE_MS);
    const { stop } = await guard.check();
    assert.equal(stop?.jumpMs, -YEAR_AND_MORE_MS);
    clock.advance(10 * DAY_MS);
    await guard.check();
    assert.equal(await confirmClock(db, { stopId: stop.id, now: clock.now() }), true);
    for (const each of [other, guard]) assert.equal((await each.check()).stop, undefined);
  });

  test('accepts a small step back after an hour, but no jump ahead without confirmation', async () => {
    const back = await open(engine);
    await back.start().check();
    back.clock.jump(-2 * HOUR_MS);
    const guard = back.start();
    assert.ok((await guard.check()).stop);
    back.clock.advance(HOUR_MS - 1);
    assert.ok((await guard.check()).stop);
    back.clock.advance(1);
    assert.equal((await guard.check()).stop, undefined);
    back.clock.advance(HOUR_MS);
    assert.equal(await guard.findTrustedNow(), back.clock.now());

    for (const jumpMs of [2 * DAY_MS, 7 * DAY_MS, -7 * DAY_MS]) {
      const { clock, start } = await open(engine);
      await start().check();
      clock.jump(jumpMs);
      const waiting = start();
      await waiting.check();
      clock.advance(30 * DAY_MS);
      assert.ok((await waiting.check()).stop, String(jumpMs));
    }
  });

  test('accepts an hour or a night of downtime', async () => {
    const { clock, start } = await open(engine);
    await start().check();
    clock.jump(20 * HOUR_MS);
    const guard = start();
    assert.equal((await guard.check()).stop, undefined);
    clock.advance(HOUR_MS);
    assert.ok(await guard.findTrustedNow());
  });

  test('derives the expected time from the rows of an earlier version', async () => {
    const { clock, db, start } = await open(engine);
    const updatedAt = clock.now();
    const row = { id: randomId(), key: 'lastSweep.uploads', value: String(updatedAt), updatedAt };
    await db.insertInto('settings').values(row).execute();
    clock.jump(YEAR_AND_MORE_MS);
    assert.ok((await start().check()).stop);
  });

  test('uses the time of the database server if there is one', async () => {
    const db = await engine.open();
    const clock = new ManualClock(Date.now() + 3 * DAY_MS);
    const { now, skewMs } = await new ClockGuard({ db, clock, log: createLog('silent') }).check();
    if (engine.name === 'SQLite') assert.deepEqual([now, skewMs], [clock.now(), undefined]);
    else assert.ok(Math.abs(skewMs! - 3 * DAY_MS) < HOUR_MS && now < clock.now() - 2 * DAY_MS);
  });

  test('distrusts a machine whose clock differs from the shared one', async () => {
    const { clock, db, start } = await open(engine);
    const apart = new ManualClock(clock.now());
    const guard = start({ clock: apart });
    await guard.check();
    const pass = (milliseconds: number) => {
      clock.advance(milliseconds);
      apart.advance(milliseconds);
    };
    pass(HOUR_MS);
    assert.ok(await guard.findTrustedNow());
    apart.jump(6 * MINUTE_MS);
    assert.equal((await guard.check()).skewMs, 6 * MINUTE_MS);
    pass(2 * HOUR_MS);
    assert.equal(await guard.findTrustedNow(), undefined);
    assert.equal(await findClockStop(db), undefined, 'other processes go on');
    apart.jump(-4 * MINUTE_MS);
    await guard.check();
    pass(HOUR_MS);
    assert.equal(await guard.findTrustedNow(), clock.now(), 'the shared clock decides');
  });
});

async function open(engine: TestEngine): Promise<{
  db: Db;
  clock: ManualClock;
  start: (options?: { clock?: ManualClock }) => ClockGuard;
}> {
  const db = await engine.open();
  const clock = new ManualClock();
  const log = createLog('silent');
  const readSharedTime = async () => clock.now();
  return {
    db,
    clock,
    start: (options = {}) => new ClockGuard({ db, log, readSharedTime, clock: options.clock ?? clock }),
  };
}

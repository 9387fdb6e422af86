import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeOnBothEngines } from '../../../testing/databases/both-engines.ts';
import { until } from '../../../testing/lib/until.ts';
import { type Db, openDatabase } from '../db/open.ts';
import { createLog } from '../lib/logging/log.ts';
import { type Lease, type LeaseEvents, Leases } from './leases.ts';

const QUICK = { beatMs: 20, lastsMs: 3_000, marginMs: 500 };

describeOnBothEngines('leases', (engine) => {
  async function openLeases(count: number, times = QUICK): Promise<{ leases: Leases[]; dbs: Db[] }> {
    const place = await engine.place();
    const dbs = await Promise.all(Array.from({ length: count }, () => openDatabase(place)));
    const log = createLog('silent');
    return { leases: dbs.map((db) => new Leases({ db, log, ...times })), dbs };
  }

  async function end({ leases, dbs }: { leases: Leases[]; dbs: Db[] }): Promise<void> {
    for (const each of leases) await each.close();
    for (const db of dbs) await db.destroy();
  }

  test('give a slot to one of many concurrent callers, and to the next once it is released', async () => {
    const opened = await openLeases(4);
    const results = await Promise.all(opened.leases.map((each) => each.acquireSlot('upload', '3', {})));
    const acquired = results.filter((lease) => lease !== undefined);
    assert.equal(acquired.length, 1);
    assert.equal(acquired[0]!.isOurs(), true);
    await acquired[0]!.release();
    assert.equal(acquired[0]!.isOurs(), false);
    assert.ok(await opened.leases[0]!.acquireSlot('upload', '3', {}));
    assert.ok(await opened.leases[1]!.acquireSlot('upload', '4', {}), 'another slot is free');
    await end(opened);
  });

  test('never grant a slot and the whole key at the same time', async () => {
    const opened = await openLeases(2);
    const [writing, sealing] = opened.leases as [Leases, Leases];
    for (let round = 0; round < 40; round += 1) {
      const key = `upload ${round}`;
      const slot = writing.acquireSlot(key, '0', {});
      const whole = sealing.acquireWhole([key, `other ${round}`]);
      const [mine, theirs] = await Promise.all([slot, whole]);
      // The holder of the whole key lists the writers before relying on it.
      const busy = theirs ? await sealing.listBusy([key]) : [];
      assert.ok(!mine || !theirs || busy.length === 1, 'both have it, and neither knows');
      await Promise.all([mine?.release(), theirs?.release()]);
    }
    await end(opened);
  });

  test('grant all of several keys or none', async () => {
    const opened = await openLeases(2);
    const [one, other] = opened.leases as [Leases, Leases];
    const keys = Array.from({ length: 450 }, (_, index) => `upload ${index}`);
    const whole = (await one.acquireWhole(keys))!;
    assert.equal(whole.isOurs(), true);
    assert.equal(await other.acquireWhole(['upload 449', 'free']), undefined);
    assert.ok(await other.acquireSlot('free', '0', {}), 'its other leases were released');
    assert.equal(await other.acquireSlot('upload 7', '0', {}), undefined);
    await whole.release();
    assert.ok(await other.acquireSlot('upload 7', '0', {}));
    await end(opened);
  });

  test('notify a holder that another process waits, and that one wants the whole key', async () => {
    const opened = await openLeases(2);
    const [holding, asking] = opened.leases as [Leases, Leases];
    const told: string[] = [];
    const events: LeaseEvents = { onRequested: () => told.push('wanted'), onRevoked: () => told.push('end') };
    const lease = (await holding.acquireSlot('upload', '0', events))!;
    assert.equal(await asking.acquireSlot('upload', '0', {}), undefined);
    await until(async () => told.includes('wanted'));
    assert.deepEqual(told, ['wanted']);
    await asking.revokeSlots(['upload']);
    await until(async () => told.includes('end'));
    assert.equal(lease.isOurs(), true, 'it has to end by itself');
    await end(opened);
  });

  test('are renewed by heartbeats, and expire without them', async () => {
    const opened = await openLeases(2);
    const [alive, other] = opened.leases as [Leases, Leases];
    const lease = (await alive.acquireSlot('upload', '0', {}))!;
    for (let looks = 0; looks < 10; looks += 1) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      assert.equal(await other.acquireSlot('upload', '0', {}), undefined);
    }
    assert.equal(lease.isOurs(), true);
    // A heartbeat once a minute simulates a stalled process.
    const still = new Leases({ db: opened.dbs[0]!, log: createLog('silent'), ...QUICK, beatMs: 60_000 });
    const lost = (await still.acquireSlot('upload', '1', {}))!;
    let gained: Lease | undefined;
    await until(async () => {
      gained = await other.acquireSlot('upload', '1', {});
      return gained !== undefined;
    });
    assert.equal(lost.isOurs(), false, 'still considered ours after another process acquired it');
    await lost.release();
    assert.equal(
      await alive.acquireSlot('upload', '1', {}),
      undefined,
      'releasing does not affect the next holder’s lease',
    );
    opened.leases.push(still);
    await end(opened);
  });

  test('of a replaced process are free immediately', async () => {
    const opened = await openLeases(2, { ...QUICK, lastsMs: 60_000 });
    const [db] = opened.dbs as [Db];
    const options = { db, log: createLog('silent'), holder: 'worker 1' };
    const killed = new Leases(options);
    await killed.acquireSlot('upload', '0', {});
    assert.equal(await opened.leases[1]!.acquireSlot('upload', '0', {}), undefined);
    const heir = new Leases(options);
    await heir.open();
    assert.ok(await opened.leases[1]!.acquireSlot('upload', '0', {}));
    opened.leases.push(killed, heir);
    await end(opened);
  });
});

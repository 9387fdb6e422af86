import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS } from '../../../contracts/values/durations.ts';
import { describeOnBothEngines } from '../../../testing/databases/both-engines.ts';
import { ManualClock } from '../../../testing/lib/manual-clock.ts';
import type { Db, Trx } from '../db/open.ts';
import { createLog } from '../lib/logging/log.ts';
import { defineBackfill } from './backfill.ts';

const ROWS = 95;
const BATCH = 10;

describeOnBothEngines('a back-fill', (engine) => {
  async function open() {
    const place = await engine.place();
    const [db, other] = [await engine.openAt(place), await engine.openAt(place)];
    const rows = Array.from({ length: ROWS }, (_, index) => newRow(index));
    await db.insertInto('settings').values(rows).execute();
    return { dbs: [db, other] as const, clock: new ManualClock() };
  }

  async function fillBatch(trx: Trx, afterKey: string): Promise<string | undefined> {
    const rows = await trx
      .selectFrom('settings')
      .select(['id', 'value'])
      .where('id', 'like', 'row-%')
      .where('id', '>', afterKey)
      .orderBy('id')
      .limit(BATCH)
      .execute();
    for (const { id } of rows)
      await trx
        .updateTable('settings')
        .set((eb) => ({ updatedAt: eb('updatedAt', '+', 1) }))
        .where('id', '=', id)
        .execute();
    return rows.at(-1)?.id;
  }

  function runIn(db: Db, clock: ManualClock, signal: AbortSignal, fill = fillBatch): Promise<void> {
    const job = defineBackfill({ name: 'sample', fillBatch: fill });
    return job.run({ db, clock, log: createLog('silent') }, {}, { attempt: 1, signal });
  }

  const never = new AbortController().signal;

  async function countVisits(db: Db): Promise<number[]> {
    const rows = await db.selectFrom('settings').select('updatedAt').where('id', 'like', 'row-%').execute();
    return rows.map(({ updatedAt }) => updatedAt);
  }

  test('visits each row once, even if several processes run it concurrently', async () => {
    const { dbs, clock } = await open();
    await Promise.all(dbs.map((db) => runIn(db, clock, never)));
    assert.deepEqual(await countVisits(dbs[0]), Array(ROWS).fill(1));
  });

  test('resumes after the last committed batch when it was stopped or failed', async () => {
    const { dbs, clock } = await open();
    const stop = new AbortController();
    let batches = 0;
    await runIn(dbs[0], clock, stop.signal, async (trx, afterKey) => {
      batches += 1;
      if (batches === 3) stop.abort();
      return fillBatch(trx, afterKey);
    });
    const failing = runIn(dbs[0], clock, never, async (trx, afterKey) => {
      await fillBatch(trx, afterKey);
      throw new Error('killed before the commit');
    });
    await assert.rejects(failing, /killed before the commit/);
    assert.equal((await countVisits(dbs[0])).filter((count) => count > 0).length, 3 * BATCH);
    await runIn(dbs[1], clock, never);
    assert.deepEqual(await countVisits(dbs[0]), Array(ROWS).fill(1));
  });

  test('makes a second pass a day later, for rows of the previous release, and then stops', async () => {
    const { dbs, clock } = await open();
    await runIn(dbs[0], clock, never);
    await dbs[0].insertInto('settings').values(newRow(7.5)).execute();
    await runIn(dbs[0], clock, never);
    assert.equal((await countVisits(dbs[0])).filter((count) => count === 0).length, 1);
    clock.advance(DAY_MS);
    await runIn(dbs[0], clock, never);
    assert.equal((await countVisits(dbs[0])).filter((count) => count === 0).length, 0);
    clock.advance(30 * DAY_MS);
    await runIn(dbs[0], clock, never, () => assert.fail('a third pass'));
  });
});

function newRow(index: number) {
  const id = `row-${index.toFixed(1).padStart(6, '0')}`;
  return { id, key: id, value: '', updatedAt: 0 };
}

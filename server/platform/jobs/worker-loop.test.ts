import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { DAY_MS, HOUR_MS, SECOND_MS } from '../../../contracts/values/durations.ts';
import { describeOnBothEngines } from '../../../testing/databases/both-engines.ts';
import { ManualClock } from '../../../testing/lib/manual-clock.ts';
import { type Db, openDatabase } from '../db/open.ts';
import { transaction } from '../db/transaction.ts';
import { createLog } from '../lib/logging/log.ts';
import { defineJob, type Job, type JobRun } from './define-job.ts';
import { enqueue, onJobsDue } from './queue.ts';
import { createWorkerLoop, type Timers } from './worker-loop.ts';

type Notes = { notes: string[] };

const note = defineJob({
  name: 'note',
  payload: z.object({ text: z.string() }),
  async run({ notes }: Notes, { text }) {
    notes.push(text);
  },
});

class ManualTimers implements Timers {
  readonly #waiting = new Map<number, { run: () => void; milliseconds: number }>();
  #next = 0;

  setTimeout(run: () => void, milliseconds: number): number {
    this.#next += 1;
    this.#waiting.set(this.#next, { run, milliseconds });
    return this.#next;
  }

  clearTimeout(timer: unknown): void {
    this.#waiting.delete(timer as number);
  }

  fire(milliseconds: number): void {
    for (const [id, timer] of [...this.#waiting]) {
      if (timer.milliseconds > milliseconds) continue;
      this.#waiting.delete(id);
      timer.run();
    }
  }
}

describeOnBothEngines('jobs', (engine) => {
  async function open(jobs: Job<Notes, unknown>[] = []) {
    const db = await engine.open();
    const clock = new ManualClock();
    const context: Notes = { notes: [] };
    const all = [note, ...jobs];
    const log = createLog('silent');
    const createLoop = (timers?: Timers) => createWorkerLoop({ db, clock, log, context, jobs: all, timers });
    return { db, clock, notes: context.notes, createLoop, loop: createLoop() };
  }

  const countJobs = async (db: Db) => (await db.selectFrom('jobs').select('id').execute()).length;

  test('wake the worker once after the commit that enqueued them, unless they wait for the poll', async () => {
    const { db } = await open();
    let wakes = 0;
    onJobsDue(db, () => {
      wakes += 1;
    });
    await transaction(db, async (trx) => {
      await enqueue(trx, note, { text: 'one' });
      await enqueue(trx, note, { text: 'two' });
      assert.equal(wakes, 0);
    });
    assert.equal(wakes, 1);
    const failed = transaction(db, async (trx) => {
      await enqueue(trx, note, { text: 'rolled back' });
      throw new Error('No.');
    });
    await assert.rejects(failed);
    await transaction(db, (trx) => enqueue(trx, note, { text: 'at the poll' }, { waitsForPoll: true }));
    assert.equal(wakes, 1);
  });

  test('run only if the transaction that enqueued them commits', async () => {
    const { db, loop, notes } = await open();
    await transaction(db, (trx) => enqueue(trx, note, { text: 'kept' }));
    await transaction(db, async (trx) => {
      await enqueue(trx, note, { text: 'rolled back' });
      throw new Error('no');
    }).catch(() => {});
    assert.equal(await loop.drain(), 1);
    assert.deepEqual(notes, ['kept']);
    assert.equal(await countJobs(db), 0);
  });

  test('wait until they are due', async () => {
    const { db, clock, loop, notes } = await open();
    await transaction(db, (trx) => enqueue(trx, note, { text: 'later' }, { runAt: clock.now() + HOUR_MS }));
    assert.equal(await loop.drain(), 0);
    clock.advance(HOUR_MS);
    assert.equal(await loop.drain(), 1);
    assert.deepEqual(notes, ['later']);
  });

  test('are claimed once, however many loops poll', async () => {
    const { db, notes, createLoop } = await open();
    for (let index = 0; index < 20; index += 1) {
      await transaction(db, (trx) => enqueue(trx, note, { text: `${index}` }));
    }
    await Promise.all([1, 2, 3].map(() => createLoop().drain()));
    assert.equal(notes.length, 20);
    assert.equal(new Set(notes).size, 20);
  });

  test('are retried after 5 s, 10 s … and given up after 48 hours, with the reason', async () => {
    let tries = 0;
    const failing = defineJob({
      name: 'failing',
      payload: z.object({}),
      async run() {
        tries += 1;
        throw new Error('the printer burns');
      },
    });
    const { db, clock, loop } = await open([failing]);
    const startedAt = clock.now();
    await transaction(db, (trx) => enqueue(trx, failing, {}));
    await loop.drain();
    clock.advance(5 * SECOND_MS - 1);
    assert.equal(await loop.drain(), 0);
    clock.advance(1);
    assert.equal(await loop.drain(), 1);
    const readJob = () => db.selectFrom('jobs').selectAll().executeTakeFirstOrThrow();
    for (let job = await readJob(); job.failedAt === null; job = await readJob()) {
      clock.advance(job.runAt - clock.now());
      await loop.drain();
    }
    assert.ok(clock.now() - startedAt > 47 * HOUR_MS && clock.now() - startedAt <= 48 * HOUR_MS);
    assert.match((await readJob()).lastError ?? '', /the printer burns/);
    const triesInAll = tries;
    clock.advance(DAY_MS);
    assert.equal(await loop.drain(), 0);
    assert.equal(tries, triesInAll);
  });

  test('fail, and do not stop the others, when their payload is no longer understood', async () => {
    const { db, loop, notes } = await open();
    await transaction(db, async (trx) => {
      await enqueue(trx, note, { text: 'old' });
      await trx.updateTable('jobs').set({ payload: '{"words":"old"}' }).execute();
      await enqueue(trx, note, { text: 'new' });
    });
    assert.equal(await loop.drain(), 2);
    assert.deepEqual(notes, ['new']);
    assert.equal(await countJobs(db), 1);
  });

  test('with the same unique key are merged while they wait: earlier start, newer payload', async () => {
    const { db, clock, loop, notes } = await open();
    const at = (text: string, runAt: number) =>
      transaction(db, (trx) => enqueue(trx, note, { text }, { uniqueKey: 'k', runAt }));
    await at('first', clock.now());
    await at('second', clock.now() + HOUR_MS);
    await transaction(db, (trx) => enqueue(trx, note, { text: 'other' }, { uniqueKey: 'other' }));
    assert.equal(await loop.drain(), 2);
    assert.deepEqual(notes.toSorted(), ['other', 'second']);
  });

  test('enqueued again while they run, run once more afterwards and never concurrently', async () => {
    const seen: string[] = [];
    const again = defineJob({
      name: 'again',
      payload: z.object({ round: z.int() }),
      async run(_context: Notes, { round }) {
        seen.push(`begin ${round}`);
        if (round === 1) {
          await transaction(db, (trx) => enqueue(trx, again, { round: 2 }, { uniqueKey: 'k' }));
          assert.equal(await createLoop().drain(), 0);
        }
        seen.push(`end ${round}`);
      },
    });
    const { db, loop, createLoop } = await open([again]);
    await transaction(db, (trx) => enqueue(trx, again, { round: 1 }, { uniqueKey: 'k' }));
    await loop.drain();
    assert.deepEqual(seen, ['begin 1', 'end 1', 'begin 2', 'end 2']);
    assert.equal(await countJobs(db), 0);
  });

  test('of a killed process are claimed by others once their lease has expired', async () => {
    const { db, clock, loop, notes } = await open();
    await transaction(db, (trx) => enqueue(trx, note, { text: 'taken over' }));
    await db
      .updateTable('jobs')
      .set({ leaseId: 'dead', leasedUntil: clock.now() + 60_000, attempts: 1 })
      .execute();
    assert.equal(await loop.drain(), 0);
    clock.advance(60_001);
    assert.equal(await loop.drain(), 1);
    assert.deepEqual(notes, ['taken over']);
  });

  test('renew their lease while they run, and are aborted when it is lost', async () => {
    const begun = Promise.withResolvers<JobRun>();
    const long = defineJob({
      name: 'long',
      payload: z.object({}),
      async run(_context: Notes, _payload, run) {
        begun.resolve(run);
        await new Promise((resolve) => run.signal.addEventListener('abort', resolve));
      },
    });
    const { db, clock, createLoop } = await open([long]);
    const timers = new ManualTimers();
    const draining = transaction(db, (trx) => enqueue(trx, long, {})).then(() => createLoop(timers).drain());
    const run = await begun.promise;

    clock.advance(50_000);
    timers.fire(20_000);
    await until(async () => (await readLease(db)) === clock.now() + 60_000);
    clock.advance(50_000);
    assert.equal(await createLoop().drain(), 0);
    assert.equal(run.signal.aborted, false);

    await db.updateTable('jobs').set({ leaseId: 'somebody else' }).execute();
    await until(async () => {
      timers.fire(20_000);
      return run.signal.aborted;
    });
    await draining;
    assert.equal(await countJobs(db), 1);
  });

  test('start immediately when the loop is woken, and end before it stops', async () => {
    const begun = Promise.withResolvers<void>();
    const finish = Promise.withResolvers<void>();
    const slow = defineJob({
      name: 'slow',
      payload: z.object({}),
      async run({ notes }: Notes) {
        begun.resolve();
        await finish.promise;
        notes.push('ended');
      },
    });
    const { db, notes, createLoop } = await open([slow]);
    const timers = new ManualTimers();
    const loop = createLoop(timers);
    loop.start();
    await transaction(db, (trx) => enqueue(trx, slow, {}));
    loop.wake();
    timers.fire(0);
    await begun.promise;
    const stopped = loop.stop();
    finish.resolve();
    await stopped;
    assert.deepEqual(notes, ['ended']);
    assert.equal(await countJobs(db), 0);
  });

  test('of which one runs at a time leave the other slots free', async () => {
    const finish = Promise.withResolvers<void>();
    const long = defineJob({
      name: 'long',
      payload: z.object({ text: z.string() }),
      oneAtATime: true,
      async run({ notes }: Notes, { text }) {
        notes.push(`begin ${text}`);
        await finish.promise;
        notes.push(`end ${text}`);
      },
    });
    const { db, notes, createLoop } = await open([long]);
    const timers = new ManualTimers();
    const loop = createLoop(timers);
    await transaction(db, async (trx) => {
      for (const text of ['first', 'second', 'third', 'fourth', 'fifth']) await enqueue(trx, long, { text });
      await enqueue(trx, note, { text: 'not waiting' });
    });
    loop.start();
    await until(async () => notes.length === 2);
    assert.deepEqual(notes.toSorted(), ['begin first', 'not waiting']);
    finish.resolve();
    await until(async () => notes.length === 11);
    await loop.stop();
    const others = notes.filter((text) => text !== 'not waiting');
    for (let index = 0; index < 10; index += 2)
      assert.equal(others[index]!.replace('begin', 'end'), others[index + 1]);
  });

  test('with a period run soon after the start and then once per period, in one of several loops', async () => {
    let runs = 0;
    const sweep = defineJob({
      name: 'sweep',
      payload: z.object({}),
      every: HOUR_MS,
      async run() {
        runs += 1;
        if (runs === 2) throw new Error('once');
      },
    });
    const { clock, createLoop } = await open([sweep]);
    const loops = [createLoop(), createLoop()];
    const drainAll = () => Promise.all(loops.map((loop) => loop.drain()));
    await drainAll();
    assert.equal(runs, 0);
    clock.advance(60 * SECOND_MS);
    await drainAll();
    assert.equal(runs, 1);
    clock.advance(HOUR_MS);
    await drainAll();
    assert.equal(runs, 2);
    clock.advance(5 * SECOND_MS);
    await drainAll();
    assert.equal(runs, 3);
    // A restart doesn't wait for the rest of the period.
    const restarted = createLoop();
    await restarted.drain();
    clock.advance(60 * SECOND_MS);
    await restarted.drain();
    assert.equal(runs, 4);
  });

  test('with a period recover after the clock was ten years ahead for a moment', async () => {
    let runs = 0;
    const sweep = defineJob({
      name: 'sweep',
      payload: z.object({}),
      every: HOUR_MS,
      async run() {
        runs += 1;
      },
    });
    const { clock, loop } = await open([sweep]);
    await loop.drain();
    clock.advance(3_650 * DAY_MS);
    await loop.drain();
    assert.equal(runs, 1);
    clock.advance(-3_650 * DAY_MS);
    await loop.drain();
    clock.advance(60 * SECOND_MS);
    await loop.drain();
    assert.equal(runs, 2);
  });
});

test('a loop survives a database that does not respond', async () => {
  const db = await openDatabase({ url: 'postgres://nobody@127.0.0.1:1/none', file: '' });
  const lines: string[] = [];
  const log = createLog('warn', { write: (line) => lines.push(line) });
  const timers = new ManualTimers();
  const loop = createWorkerLoop({ db, clock: new ManualClock(), log, context: {}, jobs: [], timers });
  loop.start();
  await until(async () => {
    timers.fire(1_000);
    return lines.length > 0;
  });
  await loop.stop();
  await db.destroy();
  assert.match(lines.join(''), /the database does not respond/);
});

async function readLease(db: Db): Promise<number | null> {
  return (await db.selectFrom('jobs').select('leasedUntil').executeTakeFirstOrThrow()).leasedUntil;
}

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await new Promise((resolve) => setImmediate(resolve));
}

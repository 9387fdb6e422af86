import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { DAY_MS, HOUR_MS } from '../../../contracts/values/durations.ts';
import type { Db, Trx } from '../db/open.ts';
import { transaction } from '../db/transaction.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/logging/log.ts';
import { randomId } from '../lib/tokens.ts';
import { defineJob, type Job, type JobRun } from './define-job.ts';

type Deps = { db: Db; clock: Clock; log: Log };

type Backfill = {
  /** Stored with the progress: never change or reuse it. */
  name: string;
  /**
   * Fills a few hundred rows after `afterKey` ('' at first), in key order, in a few milliseconds. Returns the
   * last visited key, or undefined at the end. Commits together with the progress.
   */
  fillBatch(trx: Trx, afterKey: string): Promise<string | undefined>;
};

const Progress = z.object({
  pass: z.int(),
  afterKey: z.string(),
  notBefore: z.int().optional(),
});
type Progress = z.infer<typeof Progress>;

/** During a rolling upgrade, the previous release still inserts unfilled rows. */
const PASSES = 2;
const BETWEEN_PASSES_MS = DAY_MS;

/** Leaves most of the database's capacity to requests. */
const PAUSE_MS = 20;

/**
 * Fills a new column (or table) for existing rows in batches, soon after the start. It resumes after
 * interruptions and visits each row once per pass, however many processes run.
 */
export function defineBackfill<Context extends Deps>({ name, fillBatch }: Backfill): Job<Context, object> {
  const progress = progressOf(name);
  return defineJob({
    name: `backfill-${name}`,
    payload: z.object({}),
    every: HOUR_MS,
    oneAtATime: true,
    async run({ db, clock, log }: Context, _payload, { signal }: JobRun) {
      while (!signal.aborted) {
        const outcome = await transaction(db, async (trx) => {
          const before = await progress.read(trx);
          if (before.pass > PASSES || clock.now() < (before.notBefore ?? 0)) return 'idle';
          // The update locks the row, so a process that lost its lease cannot run the same batch.
          if (!(await progress.claim(trx, before))) return 'again';
          const lastKey = await fillBatch(trx, before.afterKey);
          const after =
            lastKey === undefined ? endPass(before, clock.now()) : { ...before, afterKey: lastKey };
          await progress.write(trx, after, clock.now());
          return lastKey === undefined ? 'ended' : 'again';
        });
        if (outcome === 'ended') log.info({ backfill: name }, 'A backfill pass has ended');
        if (outcome !== 'again') return;
        await sleep(PAUSE_MS);
      }
    },
  });
}

function endPass({ pass }: Progress, now: number): Progress {
  return { pass: pass + 1, afterKey: '', notBefore: now + BETWEEN_PASSES_MS };
}

type Stored = Progress & { text: string | undefined };

function progressOf(name: string) {
  const key = `backfill.${name}`;
  return {
    async read(db: Db): Promise<Stored> {
      const row = await db.selectFrom('settings').select('value').where('key', '=', key).executeTakeFirst();
      return row
        ? { ...Progress.parse(JSON.parse(row.value)), text: row.value }
        : { pass: 1, afterKey: '', text: undefined };
    },

    /** Locks the row; false if another process has changed it. */
    async claim(trx: Trx, { text }: Stored): Promise<boolean> {
      if (text === undefined) {
        const value = JSON.stringify({ pass: 1, afterKey: '' });
        const { numInsertedOrUpdatedRows } = await trx
          .insertInto('settings')
          .values({ id: randomId(), key, value, updatedAt: 0 })
          .onConflict((conflict) => conflict.column('key').doNothing())
          .executeTakeFirstOrThrow();
        return numInsertedOrUpdatedRows === 1n;
      }
      const { numUpdatedRows } = await trx
        .updateTable('settings')
        .set({ value: text })
        .where('key', '=', key)
        .where('value', '=', text)
        .executeTakeFirstOrThrow();
      return numUpdatedRows === 1n;
    },

    async write(trx: Trx, progress: Progress, now: number): Promise<void> {
      const { pass, afterKey, notBefore } = progress;
      const value = JSON.stringify({ pass, afterKey, notBefore });
      await trx.updateTable('settings').set({ value, updatedAt: now }).where('key', '=', key).execute();
    },
  };
}

import { z } from 'zod';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../contracts/values/durations.ts';
import type { Db, Trx } from '../db/open.ts';
import { readDatabaseTime } from '../db/probe.ts';
import type { Instant } from '../db/schema/column-types.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/logging/log.ts';
import { randomId } from '../lib/tokens.ts';
import { defineJob } from './define-job.ts';

/** Lets a server be off for a day. */
const MAX_AHEAD_MS = DAY_MS;
/** Also the tolerance between two machines. */
const MAX_BEHIND_MS = 5 * MINUTE_MS;
/** Required before destructive jobs. */
const STEADY_FOR_MS = HOUR_MS;

/**
 * A clock that is set back deletes nothing early, so this is accepted after a while. Other jumps need
 * confirmation by a person.
 */
const ACCEPT_SET_BACK_AFTER_MS = HOUR_MS;
const LONGEST_SET_BACK_MS = DAY_MS;

/** Below this difference, it is the reported jump again after a restart. */
const SAME_JUMP_MS = HOUR_MS;
const SAVE_EVERY_MS = 4 * MINUTE_MS;
const CONFIRM_TRIES = 3;

const ClockStop = z.object({
  id: z.string(),
  jumpMs: z.number(),
  /** By the clock, when the jump was first seen. */
  noticedAt: z.number(),
  expectedAt: z.number(),
});
type ClockStop = z.infer<typeof ClockStop>;

const ClockState = z.object({
  /** Incremented when a jump is accepted, so that other processes discard their expected time. */
  generation: z.int(),
  /** The last trusted time, plus the time processes have run since. */
  expectedAt: z.number(),
  stop: ClockStop.nullable(),
});
type ClockState = z.infer<typeof ClockState>;

type ClockReading = {
  /** Epoch milliseconds of the database server on PostgreSQL, of this machine on SQLite. */
  now: Instant;
  stop: ClockStop | undefined;
  /** This machine minus the database server, when they differ too much. */
  skewMs: number | undefined;
  /** How long the clock has run steadily in this process; 0 while it is not trusted. */
  steadyMs: number;
};

type Deps = {
  db: Db;
  clock: Clock;
  log: Log;
  /** Epoch milliseconds; undefined without a shared clock. */
  readSharedTime?: () => Promise<Instant | undefined>;
};

/**
 * Decides whether jobs that delete by age may trust the clock.
 * The database stores the expected time, which follows the clock while that is trusted, and otherwise
 * advances only by processes' monotonic run time. A clock more than a day ahead or five minutes behind it is
 * a *stop*, which lasts until the clock is right again or a person confirms it.
 */
export class ClockGuard {
  readonly #deps: Deps;
  readonly #readSharedTime: () => Promise<Instant | undefined>;
  #seen: { now: Instant; monotonicMs: number };
  #steadySince: number;
  #expected: { generation: number; at: Instant; monotonicMs: number } | undefined;
  #reported: string | undefined;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#readSharedTime = deps.readSharedTime ?? (() => readDatabaseTime(deps.db));
    const { clock } = deps;
    this.#seen = { now: clock.now(), monotonicMs: clock.monotonicMs() };
    this.#steadySince = this.#seen.monotonicMs;
  }

  /** By the database server on PostgreSQL, by this machine on SQLite. */
  async readNow(): Promise<Instant> {
    return (await this.#readSharedTime()) ?? this.#deps.clock.now();
  }

  /**
   * Undefined when the job must delete nothing now: the clock is not trusted, or has run steadily for less
   * than `steadyMs`.
   */
  async findTrustedNow({ steadyMs = STEADY_FOR_MS } = {}): Promise<Instant | undefined> {
    const reading = await this.check();
    const isTrusted = !reading.stop && reading.skewMs === undefined;
    return isTrusted && reading.steadyMs >= steadyMs ? reading.now : undefined;
  }

  async check(): Promise<ClockReading> {
    const { db, clock } = this.#deps;
    const shared = await this.#readSharedTime();
    const monotonicMs = clock.monotonicMs();
    const local = clock.now();
    const now = shared ?? local;
    const skewMs = Math.abs(local - now) > MAX_BEHIND_MS ? local - now : undefined;
    const row = await readClockRow(db);
    const stored = row === undefined ? undefined : ClockState.parse(JSON.parse(row));
    const expectedAt = await this.#expect(stored, { now, monotonicMs });
    const next = evaluate(stored, { now, expectedAt });
    this.#expected = { generation: next.generation, at: next.expectedAt, monotonicMs };
    if (isWorthSaving(stored, next))
      await replaceClockRow(db, { old: row, value: JSON.stringify(next), now });
    this.#updateSteadiness({ now, monotonicMs, isTrusted: !next.stop && skewMs === undefined });
    this.#report({ stop: next.stop ?? undefined, skewMs, accepted: stored?.stop });
    return {
      now,
      stop: next.stop ?? undefined,
      skewMs,
      steadyMs: monotonicMs - this.#steadySince,
    };
  }

  async #expect(
    stored: ClockState | undefined,
    { now, monotonicMs }: { now: Instant; monotonicMs: number },
  ): Promise<Instant> {
    // The newest stored instant is a lower bound of the time.
    if (!stored) {
      const latest = (await findLatestActivity(this.#deps.db)) ?? now;
      const runForMs = monotonicMs - this.#steadySince;
      return Math.max(latest, Math.min(now, latest + runForMs));
    }
    const own = this.#expected;
    if (own?.generation !== stored.generation) return stored.expectedAt;
    return Math.max(stored.expectedAt, own.at + monotonicMs - own.monotonicMs);
  }

  #updateSteadiness(reading: { now: Instant; monotonicMs: number; isTrusted: boolean }): void {
    const { now, monotonicMs, isTrusted } = reading;
    const drift = now - this.#seen.now - (monotonicMs - this.#seen.monotonicMs);
    if (!isTrusted || Math.abs(drift) > MAX_BEHIND_MS) this.#steadySince = monotonicMs;
    this.#seen = { now, monotonicMs };
  }

  #report({
    stop,
    skewMs,
    accepted,
  }: Pick<ClockReading, 'stop' | 'skewMs'> & { accepted: ClockStop | null | undefined }): void {
    const { log } = this.#deps;
    const what = stop?.id ?? (skewMs === undefined ? undefined : 'skew');
    const isOver = what === undefined && accepted;
    if (what === this.#reported && !isOver) return;
    if (stop) {
      log.error(
        { jumpHours: Math.round(stop.jumpMs / HOUR_MS), clockStop: stop.id },
        'The clock has jumped: nothing expires or is deleted by age until it is right again, or confirmed in the admin area or with "npm run cli -- confirm-clock".',
      );
    } else if (skewMs !== undefined) {
      log.error(
        { skewSeconds: Math.round(skewMs / 1000) },
        "This machine's clock differs from the database server's: this process deletes nothing by age until they agree.",
      );
    } else {
      log.warn('The clock is trusted again: deletion by age resumes in an hour.');
    }
    this.#reported = what;
  }
}

function evaluate(
  stored: ClockState | undefined,
  { now, expectedAt }: { now: Instant; expectedAt: Instant },
): ClockState {
  const generation = stored?.generation ?? 0;
  const jumpMs = now - expectedAt;
  if (jumpMs <= MAX_AHEAD_MS && jumpMs >= -MAX_BEHIND_MS) return { generation, expectedAt: now, stop: null };
  const isSame = stored?.stop && Math.abs(stored.stop.jumpMs - jumpMs) <= SAME_JUMP_MS;
  const stop = isSame ? stored.stop! : { id: randomId(), jumpMs, noticedAt: now, expectedAt };
  if (isAccepted(jumpMs, expectedAt - stop.expectedAt))
    return { generation: generation + 1, expectedAt: now, stop: null };
  return { generation, expectedAt, stop };
}

function isAccepted(jumpMs: number, runForMs: number): boolean {
  return jumpMs < 0 && jumpMs >= -LONGEST_SET_BACK_MS && runForMs >= ACCEPT_SET_BACK_AFTER_MS;
}

function isWorthSaving(stored: ClockState | undefined, next: ClockState): boolean {
  if (!stored || stored.stop?.id !== next.stop?.id || stored.generation !== next.generation) return true;
  return Math.abs(next.expectedAt - stored.expectedAt) >= SAVE_EVERY_MS;
}

export async function findClockStop(db: Db): Promise<ClockStop | undefined> {
  const row = await readClockRow(db);
  return (row === undefined ? undefined : ClockState.parse(JSON.parse(row)).stop) ?? undefined;
}

/**
 * Atomic; false if that stop is over. Deletion by age resumes after a steady hour. `now` is the time of a
 * `ClockReading`.
 */
export async function confirmClock(
  db: Db | Trx,
  { stopId, now }: { stopId: string; now: Instant },
): Promise<boolean> {
  // Another process may save the expected time in between.
  for (let tries = 1; tries <= CONFIRM_TRIES; tries += 1) {
    const row = await readClockRow(db);
    const state = row === undefined ? undefined : ClockState.parse(JSON.parse(row));
    if (state?.stop?.id !== stopId) return false;
    const next: ClockState = { generation: state.generation + 1, expectedAt: now, stop: null };
    if (await replaceClockRow(db, { old: row, value: JSON.stringify(next), now })) return true;
  }
  return false;
}

export const checkClockJob = defineJob<{ clockGuard: ClockGuard }, object>({
  name: 'check-clock',
  payload: z.object({}),
  every: 5 * MINUTE_MS,
  async run({ clockGuard }) {
    await clockGuard.check();
  },
});

export const SWEEP_INTERVAL_MS = HOUR_MS;

const STATE_KEY = 'clockState';

async function readClockRow(db: Db | Trx): Promise<string | undefined> {
  const row = await db.selectFrom('settings').select('value').where('key', '=', STATE_KEY).executeTakeFirst();
  return row?.value;
}

async function replaceClockRow(
  db: Db | Trx,
  { old, value, now }: { old: string | undefined; value: string; now: Instant },
): Promise<boolean> {
  if (old === undefined) {
    const inserted = await db
      .insertInto('settings')
      .values({ id: randomId(), key: STATE_KEY, value, updatedAt: now })
      .onConflict((conflict) => conflict.column('key').doNothing())
      .returning('key')
      .executeTakeFirst();
    return inserted !== undefined;
  }
  const updated = await db
    .updateTable('settings')
    .set({ value, updatedAt: now })
    .where('key', '=', STATE_KEY)
    .where('value', '=', old)
    .returning('key')
    .executeTakeFirst();
  return updated !== undefined;
}

/** From an earlier version's sweeps or the newest transfer; undefined in a new database. */
async function findLatestActivity(db: Db): Promise<Instant | undefined> {
  const [sweep, transfer] = await Promise.all([
    db
      .selectFrom('settings')
      .select(({ fn }) => fn.max('updatedAt').as('at'))
      .where('key', '>', 'lastSweep.')
      .where('key', '<', 'lastSweep/')
      .executeTakeFirst(),
    db.selectFrom('transfers').select('createdAt').orderBy('createdAt', 'desc').limit(1).executeTakeFirst(),
  ]);
  const latest = Math.max(Number(sweep?.at ?? 0), transfer?.createdAt ?? 0);
  return latest === 0 ? undefined : latest;
}

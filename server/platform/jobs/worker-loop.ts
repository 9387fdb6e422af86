import { MINUTE_MS, SECOND_MS } from '../../../contracts/values/durations.ts';
import type { Db } from '../db/open.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/logging/log.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { findRetryDelay, type Job } from './define-job.ts';
import {
  type ClaimedJob,
  claimJob,
  ensurePeriodicJobs,
  failJob,
  finishJob,
  LEASE_MS,
  postponeJob,
  renewLease,
} from './queue.ts';

export type Timers = {
  setTimeout(run: () => void, milliseconds: number): unknown;
  clearTimeout(timer: unknown): void;
};

const systemTimers: Timers = {
  setTimeout: (run, milliseconds) => setTimeout(run, milliseconds),
  clearTimeout: (timer) => clearTimeout(timer as NodeJS.Timeout),
};

const POLL_MS = SECOND_MS;

/** Whenever they last ran. */
const FIRST_RUN_AFTER_MS = 10 * SECOND_MS;

type Options<Context> = {
  db: Db;
  clock: Clock;
  log: Log;
  context: Context;
  jobs: readonly Job<Context, unknown>[];
  metrics?: Pick<Metrics, 'countJob'>;
  timers?: Timers;
  concurrency?: number;
};

/** Several loops, in one process or many, share the work. */
export class WorkerLoop<Context> {
  readonly #db: Db;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #context: Context;
  readonly #jobs: Map<string, Job<Context, unknown>>;
  readonly #timers: Timers;
  readonly #metrics: Pick<Metrics, 'countJob'> | undefined;
  readonly #concurrency: number;
  readonly #running = new Set<Promise<void>>();
  readonly #taken = new Set<string>();
  readonly #inOwnPlaces = new Map<string, number>();
  #stopped = new AbortController();
  #started = false;
  #pollTimer: unknown;
  #pumping: Promise<void> | undefined;
  #pumpAgain = false;
  #reachable = true;
  #periodicEnsuredAt = Number.NaN;

  constructor({
    db,
    clock,
    log,
    context,
    jobs,
    metrics,
    timers = systemTimers,
    concurrency = 4,
  }: Options<Context>) {
    this.#db = db;
    this.#clock = clock;
    this.#log = log;
    this.#context = context;
    this.#jobs = new Map(jobs.map((job) => [job.name, job]));
    if (this.#jobs.size < jobs.length) throw new Error('Two jobs have the same name.');
    this.#timers = timers;
    this.#metrics = metrics;
    this.#concurrency = concurrency;
  }

  /** Polls once a second. */
  start(): void {
    this.#started = true;
    this.#stopped = new AbortController();
    this.#poll();
  }

  /** Aborts running jobs by their signal and waits until they have ended. */
  async stop(): Promise<void> {
    this.#started = false;
    this.#timers.clearTimeout(this.#pollTimer);
    this.#stopped.abort();
    await this.#pumping;
    await Promise.all(this.#running);
  }

  /** Polls now. Does nothing before `start()`. */
  wake(): void {
    // Not synchronously: on SQLite the caller's transaction may still be open.
    if (this.#started) this.#timers.setTimeout(() => this.#pump(), 0);
  }

  /** For tests and commands. Returns the number of runs. */
  async drain(): Promise<number> {
    await this.#ensurePeriodicJobs();
    let runs = 0;
    for (let job = await this.#claim(); job; job = await this.#claim()) {
      await this.#run(job);
      runs += 1;
    }
    await Promise.all(this.#running);
    return runs;
  }

  #poll(): void {
    this.#pump().finally(() => {
      if (this.#started) this.#pollTimer = this.#timers.setTimeout(() => this.#poll(), POLL_MS);
    });
  }

  /** If called while it runs, it reruns afterwards. */
  #pump(): Promise<void> {
    this.#pumpAgain = true;
    this.#pumping ??= this.#fillPlaces().finally(() => {
      this.#pumping = undefined;
    });
    return this.#pumping;
  }

  async #fillPlaces(): Promise<void> {
    try {
      await this.#ensurePeriodicJobs();
      while (this.#pumpAgain && this.#started) {
        this.#pumpAgain = false;
        await this.#claimAndLaunch();
      }
      if (!this.#reachable) this.#log.info('Jobs are running again.');
      this.#reachable = true;
    } catch (error) {
      if (this.#reachable) this.#log.warn({ err: error }, 'Jobs are paused: the database does not respond.');
      this.#reachable = false;
    }
  }

  async #claimAndLaunch(): Promise<void> {
    while (this.#started) {
      const job = await this.#claim();
      if (!job) return;
      const run = this.#run(job).finally(() => {
        this.#running.delete(run);
        if (this.#started) this.#pump();
      });
      this.#running.add(run);
    }
  }

  async #claim(): Promise<ClaimedJob | undefined> {
    const names = [...this.#jobs.values()].filter((job) => this.#hasPlaceFor(job)).map(({ name }) => name);
    if (names.length === 0 && this.#jobs.size > 0) return undefined;
    const removing = names.filter((name) => this.#jobs.get(name)?.removesBytes);
    return claimJob(this.#db, { names, removing }, this.#clock.now());
  }

  #hasPlaceFor({ name, ownPlaces }: Job<Context, unknown>): boolean {
    if (ownPlaces !== undefined) return (this.#inOwnPlaces.get(name) ?? 0) < ownPlaces;
    const inOwnPlaces = [...this.#inOwnPlaces.values()].reduce((sum, count) => sum + count, 0);
    return this.#running.size - inOwnPlaces < this.#concurrency && !this.#taken.has(name);
  }

  #countOwnPlace({ name, ownPlaces }: Job<Context, unknown>, change: 1 | -1): void {
    if (ownPlaces === undefined) return;
    this.#inOwnPlaces.set(name, (this.#inOwnPlaces.get(name) ?? 0) + change);
  }

  /** Never throws. */
  async #run(claimed: ClaimedJob): Promise<void> {
    const job = this.#jobs.get(claimed.name)!;
    if (job.oneAtATime) this.#taken.add(job.name);
    this.#countOwnPlace(job, 1);
    const heartbeat = this.#startHeartbeat(claimed);
    const signal = AbortSignal.any([this.#stopped.signal, heartbeat.signal]);
    const startedAt = performance.now();
    let failure: unknown;
    try {
      const payload = job.payload.parse(JSON.parse(claimed.payload));
      await job.run(this.#context, payload, { attempt: claimed.attempts, signal });
    } catch (error) {
      failure = error ?? new Error('The job failed without a reason.');
    }
    heartbeat.end();
    const outcome = failure === undefined ? 'done' : 'failed';
    this.#metrics?.countJob(job.name, outcome, (performance.now() - startedAt) / 1000);
    try {
      await this.#settle(job, claimed, failure);
    } catch (error) {
      this.#log.warn(
        { err: error, job: job.name, jobId: claimed.id },
        'A job ended, but its row could not be updated.',
      );
    }
    this.#taken.delete(job.name);
    this.#countOwnPlace(job, -1);
  }

  async #settle(job: Job<Context, unknown>, claimed: ClaimedJob, failure: unknown): Promise<void> {
    const now = this.#clock.now();
    const retryAt = failure === undefined ? undefined : this.#findRetryInstant(job, claimed, now);
    if (failure !== undefined) {
      const fields = { err: failure, job: job.name, jobId: claimed.id, attempt: claimed.attempts };
      if (retryAt === undefined && !job.every) this.#log.error(fields, 'A job was given up.');
      else this.#log.warn(fields, 'A job failed and will be retried.');
    }
    const reason = failure === undefined ? null : String(failure);
    if (job.every) {
      await postponeJob(this.#db, claimed, { runAt: Math.min(retryAt ?? Infinity, now + job.every), reason });
    } else if (reason === null) {
      await finishJob(this.#db, claimed);
    } else {
      await failJob(this.#db, claimed, { retryAt, reason, now });
    }
  }

  #findRetryInstant(job: Job<Context, unknown>, claimed: ClaimedJob, now: number): number | undefined {
    // Shutting down: the next server resumes the job.
    if (this.#stopped.signal.aborted) return now;
    const delay = findRetryDelay(job.retry, claimed.attempts);
    return delay === undefined ? undefined : now + delay;
  }

  /** The signal aborts if another process has claimed the job. */
  #startHeartbeat(claimed: ClaimedJob): { signal: AbortSignal; end(): void } {
    const lost = new AbortController();
    let timer: unknown;
    const schedule = () => {
      timer = this.#timers.setTimeout(beat, LEASE_MS / 3);
    };
    const beat = () => {
      renewLease(this.#db, claimed, this.#clock.now())
        .then((ours) => {
          if (!ours) lost.abort();
        })
        // The next heartbeat retries; the lease outlasts two missed ones.
        .catch((error: unknown) =>
          this.#log.warn({ err: error, jobId: claimed.id }, 'A lease was not renewed.'),
        )
        .finally(() => {
          if (!ended && !lost.signal.aborted) schedule();
        });
    };
    let ended = false;
    schedule();
    return {
      signal: lost.signal,
      end: () => {
        ended = true;
        this.#timers.clearTimeout(timer);
      },
    };
  }

  /** Once a minute, and whenever the clock has jumped. */
  async #ensurePeriodicJobs(): Promise<void> {
    const now = this.#clock.now();
    const isFirst = Number.isNaN(this.#periodicEnsuredAt);
    if (!isFirst && Math.abs(now - this.#periodicEnsuredAt) < MINUTE_MS) return;
    const runAt = now + FIRST_RUN_AFTER_MS;
    const periodic = [...this.#jobs.values()].flatMap(({ name, every }) =>
      every ? [{ name, latest: isFirst ? runAt : now + every }] : [],
    );
    await ensurePeriodicJobs(this.#db, periodic, { runAt, now });
    this.#periodicEnsuredAt = now;
  }
}

export function createWorkerLoop<Context>(options: Options<Context>): WorkerLoop<Context> {
  return new WorkerLoop(options);
}

import type { z } from 'zod';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../contracts/values/durations.ts';

/** Delays start at `firstDelayMs` and double up to `maxDelayMs`. */
export type Retry = {
  firstDelayMs: number;
  maxDelayMs: number;
  /** The sum of the delays. */
  giveUpAfterMs: number;
};

const DEFAULT_RETRY: Retry = {
  firstDelayMs: 5 * SECOND_MS,
  maxDelayMs: 10 * MINUTE_MS,
  giveUpAfterMs: 48 * HOUR_MS,
};

export type JobRun = {
  /** 1 for the first attempt. */
  attempt: number;
  /** Aborted when the server stops or another process has claimed the job. */
  signal: AbortSignal;
};

/** A job may run more than once, so it must be idempotent. */
export type Job<Context, Payload> = {
  name: string;
  payload: z.ZodType<Payload>;
  retry: Retry;
  /** Milliseconds between the end of a run and the next; undefined if the job is not periodic. */
  every?: number;
  /** At most one per process: for long work that must not occupy all slots. */
  oneAtATime?: boolean;
  /** Must not run while a backup is copying (`removal-hold.ts`). */
  removesBytes?: boolean;
  /** Separate slots per process, for work that mostly waits for other servers. */
  ownPlaces?: number;
  run(context: Context, payload: Payload, run: JobRun): Promise<void>;
};

type Definition<Context, Payload> = {
  name: string;
  payload: z.ZodType<Payload>;
  /** Defaults: 5 s, doubling up to 10 min, given up after 48 h. */
  retry?: Partial<Retry>;
  /** Makes it periodic: run by one process at a time; the payload must accept `{}`. */
  every?: number;
  oneAtATime?: boolean;
  removesBytes?: boolean;
  ownPlaces?: number;
  run(context: Context, payload: Payload, run: JobRun): Promise<void>;
};

/** The name is stored in rows, so it must never change. */
export function defineJob<Context, Payload>({
  retry,
  ...definition
}: Definition<Context, Payload>): Job<Context, Payload> {
  return { ...definition, retry: { ...DEFAULT_RETRY, ...retry } };
}

/** Milliseconds; undefined to give up. */
export function findRetryDelay(retry: Retry, failedTries: number): number | undefined {
  let waited = 0;
  let delay = retry.firstDelayMs;
  for (let tries = 1; tries < failedTries; tries += 1) {
    waited += delay;
    delay = Math.min(delay * 2, retry.maxDelayMs);
  }
  return waited + delay > retry.giveUpAfterMs ? undefined : delay;
}

import type { z } from 'zod';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../contracts/values/durations.ts';

/** How a failed job is retried: after `firstDelayMs`, then with doubling delays up to `maxDelayMs`. */
export type Retry = {
  firstDelayMs: number;
  maxDelayMs: number;
  /** The job is given up once the delays add up to this. */
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

/**
 * Work that outlives its request. It may run more than once (after a crash between its work and the deletion of its
 * row), so it must be idempotent.
 */
export type Job<Context, Payload> = {
  name: string;
  payload: z.ZodType<Payload>;
  retry: Retry;
  /** Milliseconds between the end of a run and the next; undefined for a job that is enqueued. */
  every?: number;
  /** A process runs at most one such job at a time: for long work that must not occupy all slots. */
  oneAtATime?: boolean;
  /** It deletes stored bytes, so it must not run while a backup is copying (`removal-hold.ts`). */
  removesBytes?: boolean;
  /** The number of separate slots in each process: for work that mostly waits for other servers. */
  ownPlaces?: number;
  run(context: Context, payload: Payload, run: JobRun): Promise<void>;
};

type Definition<Context, Payload> = {
  name: string;
  payload: z.ZodType<Payload>;
  /** Overrides parts of: 5 s, doubling up to 10 min, given up after 48 h. */
  retry?: Partial<Retry>;
  /** Makes it periodic: enqueued by the worker loop, run by one process at a time; its payload must accept `{}`. */
  every?: number;
  oneAtATime?: boolean;
  removesBytes?: boolean;
  ownPlaces?: number;
  run(context: Context, payload: Payload, run: JobRun): Promise<void>;
};

/** Defines a job. Its name is stored in rows, so it must never change. */
export function defineJob<Context, Payload>({
  retry,
  ...definition
}: Definition<Context, Payload>): Job<Context, Payload> {
  return { ...definition, retry: { ...DEFAULT_RETRY, ...retry } };
}

/** Milliseconds to wait after the given number of failed attempts; undefined to give up. */
export function findRetryDelay(retry: Retry, failedTries: number): number | undefined {
  let waited = 0;
  let delay = retry.firstDelayMs;
  for (let tries = 1; tries < failedTries; tries += 1) {
    waited += delay;
    delay = Math.min(delay * 2, retry.maxDelayMs);
  }
  return waited + delay > retry.giveUpAfterMs ? undefined : delay;
}

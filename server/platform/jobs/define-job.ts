import type { z } from 'zod';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../lib/clock.ts';

/** How a job that failed is tried again: after `firstDelayMs`, then twice as long each time up to `maxDelayMs`. */
export type Retry = {
  firstDelayMs: number;
  maxDelayMs: number;
  /** The waiting adds up to this before the job is given up. */
  giveUpAfterMs: number;
};

const DEFAULT_RETRY: Retry = {
  firstDelayMs: 5 * SECOND_MS,
  maxDelayMs: 10 * MINUTE_MS,
  giveUpAfterMs: 48 * HOUR_MS,
};

/** What a running job knows about its run. */
export type JobRun = {
  /** 1 for the first try. */
  attempt: number;
  /** Aborted when the server stops or another process has taken the job over. */
  signal: AbortSignal;
};

/**
 * Work that outlives the request that asked for it. It may run more than once (a crash after its work, before
 * its row is gone), so running it again must change nothing.
 */
export type Job<Context, Payload> = {
  name: string;
  payload: z.ZodType<Payload>;
  retry: Retry;
  /** Milliseconds between the end of a run and the next; undefined for a job that is enqueued. */
  every?: number;
  /** A process runs at most one of its kind: for long work that must leave the other places free. */
  oneAtATime?: boolean;
  /** It removes stored bytes that rows named until lately: not while a backup copies (`removal-hold.ts`). */
  removesBytes?: boolean;
  /** It has this many places of its own in each process: for work that mostly waits for somebody else. */
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
  /** A process runs at most one of its kind: for long work that must leave the other places free. */
  oneAtATime?: boolean;
  /** It removes stored bytes that rows named until lately: not while a backup copies (`removal-hold.ts`). */
  removesBytes?: boolean;
  /** It has this many places of its own in each process: for work that mostly waits for somebody else. */
  ownPlaces?: number;
  run(context: Context, payload: Payload, run: JobRun): Promise<void>;
};

/** Names a job. The name is stored with its rows, so it stays when the code moves. */
export function defineJob<Context, Payload>({
  retry,
  ...definition
}: Definition<Context, Payload>): Job<Context, Payload> {
  return { ...definition, retry: { ...DEFAULT_RETRY, ...retry } };
}

/** Milliseconds to wait after the given number of failed tries, or undefined when it is time to give up. */
export function findRetryDelay(retry: Retry, failedTries: number): number | undefined {
  let waited = 0;
  let delay = retry.firstDelayMs;
  for (let tries = 1; tries < failedTries; tries += 1) {
    waited += delay;
    delay = Math.min(delay * 2, retry.maxDelayMs);
  }
  return waited + delay > retry.giveUpAfterMs ? undefined : delay;
}

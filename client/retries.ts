import { ApiError, NetworkError } from './api-error.ts';

/** A file to send changed, moved or became unreadable after it was chosen. */
export class UnreadableFileError extends Error {
  override name = 'UnreadableFileError';

  constructor(options?: ErrorOptions) {
    super('This file changed or can no longer be read.', options);
  }
}

export type RetryPolicy = {
  /** Longest pause between two attempts, unless the server asks for a longer one. Milliseconds. */
  longestWaitMs: number;
  /** A rate limit (429) with a longer Retry-After is final. Seconds. */
  longestLimitSeconds: number;
  /** After a 401, wait until the user has signed in and the caller calls `wake`. Otherwise a 401 is final. */
  canSignIn: boolean;
};

/**
 * What a failed call means:
 * - 'again': retry immediately;
 * - 'wait': the network or the server is down, retry after a pause;
 * - 'sign-in': the session ended, retry after signing in;
 * - 'file': the file can no longer be read, or is another one now;
 * - 'fatal': retrying would not help.
 */
type Verdict = 'again' | 'wait' | 'sign-in' | 'file' | 'fatal';

const AGAIN = new Set(['digest_mismatch', 'chunk_cut_short']);
const WAIT = new Set([408, 425, 429, 500, 502, 503, 504, 507]);
const FIRST_WAIT_MS = 500;

export function judgeFailure(error: unknown, { longestLimitSeconds, canSignIn }: RetryPolicy): Verdict {
  if (error instanceof NetworkError) return 'wait';
  if (error instanceof UnreadableFileError) return 'file';
  if (!(error instanceof ApiError)) return 'fatal';
  // The file has changed since recipients could read it.
  if (error.code === 'chunk_differs') return 'file';
  if (error.status === 401) return canSignIn ? 'sign-in' : 'fatal';
  if (error.code === 'idempotency_key_running') return 'wait';
  if (error.code !== undefined && AGAIN.has(error.code)) return 'again';
  if (error.status === 429 && (error.retryAfterSeconds ?? 0) > longestLimitSeconds) return 'fatal';
  return WAIT.has(error.status) ? 'wait' : 'fatal';
}

type Pause = { failedTries: number; random: number; longestWaitMs: number; retryAfterSeconds?: number };

/**
 * Milliseconds until the next attempt: exponential backoff from half a second with jitter (`random` in [0, 1)), at
 * least Retry-After.
 */
export function waitBefore({ failedTries, random, longestWaitMs, retryAfterSeconds = 0 }: Pause): number {
  const base = Math.min(longestWaitMs, FIRST_WAIT_MS * 2 ** Math.min(failedTries - 1, 10));
  return Math.max(retryAfterSeconds * 1_000, base * (0.5 + random / 2));
}

/** Why calls are paused. */
export type Failure = {
  kind: 'network' | 'sign-in';
  error: unknown;
  /** Since the last success. */
  failedTries: number;
  /** undefined: wait for `wake`. */
  nextTryInSeconds: number | undefined;
};

type Options = {
  policy: RetryPolicy;
  /** undefined: calls succeed again. */
  onFailure(failure: Failure | undefined): void;
  /** Gives up after this long without a success; never by default. */
  giveUp?: { afterSeconds: number; toError(last: unknown): Error } | undefined;
};

/**
 * Retries calls that fail because of the network, the server's health or an ended session. All calls of one instance
 * share one pause, so calls that failed together are retried together.
 */
export class Retries {
  readonly policy: RetryPolicy;
  readonly #options: Options;
  #failedTries = 0;
  #failedSince = 0;
  #pause: Promise<void> | undefined;
  #endPause = () => {};

  constructor(options: Options) {
    this.policy = options.policy;
    this.#options = options;
  }

  /** Throws fatal errors, the error of `giveUp`, or the signal's reason. */
  async run<Answer>(attempt: () => Promise<Answer>, signal?: AbortSignal): Promise<Answer> {
    for (;;) {
      signal?.throwIfAborted();
      if (this.#pause) await this.wait(signal);
      try {
        const answer = await attempt();
        this.succeed();
        return answer;
      } catch (error) {
        await this.fail(error, signal);
      }
    }
  }

  get isWaiting(): boolean {
    return this.#pause !== undefined;
  }

  /** Resolves when the pause is over, immediately if there is none. Throws the signal's reason. */
  async wait(signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    // An abort ends the shared pause; the other callers retry and pause again if needed.
    const wake = () => this.wake();
    signal?.addEventListener('abort', wake);
    await this.#pause;
    signal?.removeEventListener('abort', wake);
    signal?.throwIfAborted();
  }

  /** Resets the backoff. */
  succeed(): void {
    if (this.#failedTries === 0) return;
    this.#failedTries = 0;
    this.#options.onFailure(undefined);
  }

  /** Resolves when the next attempt is due. Throws like `run`. */
  async fail(error: unknown, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    const verdict = judgeFailure(error, this.policy);
    if (verdict === 'again') return;
    if (verdict !== 'wait' && verdict !== 'sign-in') throw error;
    if (!this.#pause) this.#beginPause(verdict, error);
    await this.wait(signal);
  }

  /** Ends the pause early, for example when the browser is online again. */
  wake(): void {
    this.#endPause();
  }

  #beginPause(verdict: 'wait' | 'sign-in', error: unknown): void {
    const now = performance.now();
    if (this.#failedTries === 0) this.#failedSince = now;
    this.#failedTries += 1;
    const failedTries = this.#failedTries;
    const { onFailure, giveUp } = this.#options;
    if (verdict === 'sign-in') {
      this.#startTimer(undefined);
      onFailure({ kind: 'sign-in', error, failedTries, nextTryInSeconds: undefined });
      return;
    }
    const { longestWaitMs } = this.policy;
    const retryAfterSeconds = error instanceof ApiError ? error.retryAfterSeconds : undefined;
    const waitMs = waitBefore({ failedTries, random: Math.random(), longestWaitMs, retryAfterSeconds });
    if (giveUp && now - this.#failedSince + waitMs > giveUp.afterSeconds * 1_000) throw giveUp.toError(error);
    this.#startTimer(waitMs);
    onFailure({ kind: 'network', error, failedTries, nextTryInSeconds: Math.ceil(waitMs / 1_000) });
  }

  #startTimer(milliseconds: number | undefined): void {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = milliseconds === undefined ? undefined : setTimeout(() => this.wake(), milliseconds);
    this.#pause = promise;
    this.#endPause = () => {
      clearTimeout(timer);
      this.#pause = undefined;
      this.#endPause = () => {};
      resolve();
    };
  }
}

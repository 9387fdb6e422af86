import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError, NetworkError } from '../../client/api-error.ts';
import { CommandError, describeError, EXIT } from '../exits.ts';

/** What to do after a try that failed: at once again, after a while, or never. */
type Verdict = 'again' | 'wait' | 'never';

const AGAIN = new Set(['digest_mismatch', 'chunk_cut_short']);
const WAIT = new Set([408, 425, 429, 500, 502, 503, 504, 507]);
/** Nobody waits longer for a limit, as for tomorrow's mails. */
const PATIENCE_SECONDS = 15 * 60;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 30_000;

export function judgeFailure(error: unknown): Verdict {
  if (error instanceof NetworkError) return 'wait';
  if (!(error instanceof ApiError)) return 'never';
  if (error.code === 'idempotency_key_running') return 'wait';
  if (error.code !== undefined && AGAIN.has(error.code)) return 'again';
  if (error.status === 429 && (error.retryAfterSeconds ?? 0) > PATIENCE_SECONDS) return 'never';
  return WAIT.has(error.status) ? 'wait' : 'never';
}

/** Milliseconds before the next try: doubling up to 30 s, spread by `random` in [0, 1), never before Retry-After. */
export function waitBefore(failedTries: number, random: number, retryAfterSeconds = 0): number {
  const base = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(failedTries - 1, 10));
  return Math.max(retryAfterSeconds * 1_000, base * (0.5 + random / 2));
}

export type Trouble = { message: string; nextTryInSeconds: number };

type Options = {
  /** Seconds without any success after which the network is given up; endless unless told. */
  giveUpAfterSeconds?: number | undefined;
  /** undefined: it moves again. */
  onTrouble: (trouble: Trouble | undefined) => void;
};

/** Repeats what only the network or the server's health stand in the way of. One wait for all who wait. */
export class Patience {
  readonly #options: Options;
  #failedTries = 0;
  #failedSince = 0;
  #waiting: Promise<void> | undefined;

  constructor(options: Options) {
    this.#options = options;
  }

  /** Throws what trying again would not mend, CommandError when the network is given up, or the signal's reason. */
  async insist<Answer>(run: () => Promise<Answer>, signal?: AbortSignal): Promise<Answer> {
    for (;;) {
      await this.wait(signal);
      try {
        const answer = await run();
        this.noteSuccess();
        return answer;
      } catch (error) {
        await this.takeFailure(error, signal);
      }
    }
  }

  /** While others wait, there is no use in trying. */
  async wait(signal?: AbortSignal): Promise<void> {
    await this.#waiting;
    signal?.throwIfAborted();
  }

  /** Something moved. */
  noteSuccess(): void {
    if (this.#failedTries === 0) return;
    this.#failedTries = 0;
    this.#options.onTrouble(undefined);
  }

  /** Resolves when it is time for the next try. Throws as `insist`. */
  async takeFailure(error: unknown, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    const verdict = judgeFailure(error);
    if (verdict === 'never') throw error;
    if (verdict !== 'wait') return;
    this.#waiting ??= this.#wait(error as Error, signal);
    await this.#waiting;
  }

  async #wait(error: Error, signal: AbortSignal | undefined): Promise<void> {
    const now = performance.now();
    if (this.#failedTries === 0) this.#failedSince = now;
    this.#failedTries += 1;
    const { giveUpAfterSeconds = Number.POSITIVE_INFINITY, onTrouble } = this.#options;
    const retryAfter = error instanceof ApiError ? error.retryAfterSeconds : undefined;
    const waitMs = waitBefore(this.#failedTries, Math.random(), retryAfter);
    try {
      if (now - this.#failedSince + waitMs > giveUpAfterSeconds * 1_000)
        throw new CommandError(
          EXIT.interrupted,
          `${describeError(error)}. Given up after ${giveUpAfterSeconds} s.`,
        );
      onTrouble({ message: describeError(error), nextTryInSeconds: Math.ceil(waitMs / 1_000) });
      await sleep(waitMs, undefined, signal && { signal });
    } catch (reason) {
      throw signal?.aborted ? signal.reason : reason;
    } finally {
      this.#waiting = undefined;
    }
  }
}

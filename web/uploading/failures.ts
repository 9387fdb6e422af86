import { ApiError } from '../../client/api-error.ts';
import { UnreadableFileError } from './chunk-reader.ts';

/**
 * What a failed call means for the upload:
 * - 'again': nothing is wrong with it, try at once;
 * - 'wait': the network or the server is away, try without end, ever more slowly;
 * - 'sign-in': the session ended, go on after signing in;
 * - 'file': this file cannot be read any more;
 * - 'fatal': trying again would not help.
 */
export type Failure = 'again' | 'wait' | 'sign-in' | 'file' | 'fatal';

/** Nobody waits longer than this in front of the page, as for tomorrow's mails. */
const PATIENCE_SECONDS = 120;
const AGAIN = new Set(['digest_mismatch', 'chunk_cut_short']);
const WAIT = new Set([408, 425, 429, 500, 502, 503, 504, 507]);

export function judgeFailure(error: unknown): Failure {
  if (error instanceof UnreadableFileError) return 'file';
  if (!(error instanceof ApiError)) return 'wait';
  if (error.status === 401) return 'sign-in';
  if (error.code && AGAIN.has(error.code)) return 'again';
  if (error.status === 429 && (error.retryAfterSeconds ?? 0) > PATIENCE_SECONDS) return 'fatal';
  return WAIT.has(error.status) ? 'wait' : 'fatal';
}

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 15_000;

/** Milliseconds before the next try: doubling up to 15 s, spread by `random` in [0, 1), never before Retry-After. */
export function waitBefore(failedTries: number, random: number, retryAfterSeconds = 0): number {
  const base = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(failedTries - 1, 10));
  return Math.max(retryAfterSeconds * 1_000, base * (0.5 + random / 2));
}

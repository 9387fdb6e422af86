import type { ErrorCode } from '../../../contracts/errors.ts';

export type Failure =
  | { kind: 'refused'; status: number; code: ErrorCode | undefined; detail: string }
  /** The transfer is no longer the one whose download began. */
  | { kind: 'changed' }
  /** Bytes that the sender did not seal. Undefined: outside of any file. */
  | { kind: 'damaged'; file: string | undefined }
  /** The browser could not write: no room, no permission, or the place is gone. */
  | { kind: 'unwritable'; reason: string }
  /** Another tab is saving the same files. */
  | { kind: 'busy' }
  /** The service worker ended, so the browser's download is not whole. */
  | { kind: 'worker-ended' }
  /** Stopped in the browser's list of downloads. */
  | { kind: 'stopped-by-browser' }
  | { kind: 'unexpected'; reason: string };

/** Ends a job. Thrown in the worker, where it also crosses to the page as its `failure`. */
export class SaveError extends Error {
  override name = 'SaveError';
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.kind);
    this.failure = failure;
  }
}

export function failureOf(error: unknown): Failure {
  if (error instanceof SaveError) return error.failure;
  return { kind: 'unexpected', reason: error instanceof Error ? error.message : String(error) };
}

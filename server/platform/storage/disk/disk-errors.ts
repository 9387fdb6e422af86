import { AppError } from '../../lib/app-error.ts';

const FULL = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);
const OUT_OF_DESCRIPTORS = new Set(['EMFILE', 'ENFILE']);

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

export function isMissing(error: unknown): boolean {
  return codeOf(error) === 'ENOENT';
}

export function isFull(error: unknown): boolean {
  return FULL.has(codeOf(error));
}

/** Maps a full disk to AppError `storage_full` and exhausted descriptors to `unavailable`. */
export function explainDiskError(error: unknown): unknown {
  if (isFull(error)) return new AppError('storage_full', { cause: error });
  if (OUT_OF_DESCRIPTORS.has(codeOf(error))) {
    return new AppError('unavailable', { cause: error, retryAfterSeconds: 1 });
  }
  return error;
}

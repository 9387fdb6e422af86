import { AppError } from '../../lib/app-error.ts';

const FULL = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);
const OUT_OF_DESCRIPTORS = new Set(['EMFILE', 'ENFILE']);

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/** True when the file or its folder is not there. */
export function isMissing(error: unknown): boolean {
  return codeOf(error) === 'ENOENT';
}

/** True when the disk or a quota is full. */
export function isFull(error: unknown): boolean {
  return FULL.has(codeOf(error));
}

/** A full disk as AppError `storage_full`, exhausted descriptors as `unavailable`, the rest as it came. */
export function explainDiskError(error: unknown): unknown {
  if (isFull(error)) return new AppError('storage_full', { cause: error });
  if (OUT_OF_DESCRIPTORS.has(codeOf(error))) {
    return new AppError('unavailable', { cause: error, retryAfterSeconds: 1 });
  }
  return error;
}

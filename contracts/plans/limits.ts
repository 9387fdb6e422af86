import { MIB } from '../values/sizes.ts';

/** The smallest and usual chunk size of an upload. */
export const CHUNK_BYTES = 5 * MIB;
/** Above this many chunks a file uses the next multiple of CHUNK_BYTES. */
export const MAX_CHUNKS = 9_000;
/** Largest file that can be announced; keeps byte arithmetic exact. */
export const MAX_FILE_BYTES = 2 ** 50;
export const MAX_FILES_PER_CALL = 1_000;
export const MAX_FILES_PER_TRANSFER = 100_000;

export const TITLE_MAX = 200;
export const MESSAGE_MAX = 5_000;
export const RECIPIENTS_MAX = 50;
export const TRANSFER_PASSWORD_MIN = 4;
export const TRANSFER_PASSWORD_MAX = 50;
export const ACCOUNT_PASSWORD_MIN = 6;
export const ACCOUNT_PASSWORD_MAX = 200;
const EXPIRATION_DAYS_MAX = 90;
export const INVITATION_DAYS_MAX = 90;
export const INVITATION_DAYS_DEFAULT = 30;
export const INVITATION_FILES_DEFAULT = 100;
export const PATH_DEPTH_MAX = 32;
export const PATH_LENGTH_MAX = 1_024;

export type ChunkPlan = { chunkSize: number; totalChunks: number };

/** The chunks of a file of this size, as client and server compute them. An empty file has none. */
export function planChunks(sizeBytes: number): ChunkPlan {
  const steps = Math.max(1, Math.ceil(sizeBytes / (CHUNK_BYTES * MAX_CHUNKS)));
  const chunkSize = steps * CHUNK_BYTES;
  return { chunkSize, totalChunks: Math.ceil(sizeBytes / chunkSize) };
}

/** Length in bytes of chunk `index`: all but the last have the full chunk size. */
export function chunkLength(sizeBytes: number, chunkSize: number, index: number): number {
  return Math.min(chunkSize, sizeBytes - index * chunkSize);
}

/** Whether these bytes fit a transfer that already holds `usedBytes`. */
export function fitsTransfer(addedBytes: number, usedBytes: number, storagePerTransfer: number): boolean {
  return usedBytes + addedBytes <= storagePerTransfer;
}

/** Whether these bytes fit what is left of the month. */
export function fitsMonth(addedBytes: number, usageBytes: number, monthlyTotal: number): boolean {
  return usageBytes + addedBytes <= monthlyTotal;
}

/**
 * Days until a transfer expires: the requested number if it is between 1 and the tier's retention, else the retention.
 */
export function clampExpirationDays(wish: number | undefined, retentionDays: number): number {
  const longest = Math.min(retentionDays, EXPIRATION_DAYS_MAX);
  const honoured = wish !== undefined && Number.isInteger(wish) && wish >= 1 && wish <= longest;
  return honoured ? wish : longest;
}

import { MIB } from '../values/sizes.ts';

/** The usual and smallest chunk size. */
export const CHUNK_BYTES = 5 * MIB;
/** A file with more chunks uses the next multiple of CHUNK_BYTES. */
export const MAX_CHUNKS = 9_000;
/** Keeps byte arithmetic exact. */
export const MAX_FILE_BYTES = 2 ** 50;
export const MAX_FILES_PER_CALL = 1_000;
export const MAX_FILES_PER_TRANSFER = 100_000;

export const TITLE_MAX = 200;
export const MESSAGE_MAX = 5_000;
/** Characters. */
export const SECRET_TEXT_MAX = 10_000;
export const RECIPIENTS_MAX = 50;
export const TRANSFER_PASSWORD_MIN = 4;
export const TRANSFER_PASSWORD_MAX = 50;
export const ACCOUNT_PASSWORD_MIN = 6;
export const ADMIN_PASSWORD_MIN = 12;
export const ACCOUNT_PASSWORD_MAX = 200;
const EXPIRATION_DAYS_MAX = 90;
export const INVITATION_DAYS_MAX = 90;
export const INVITATION_DAYS_DEFAULT = 30;
export const INVITATION_FILES_DEFAULT = 100;
export const INVITATION_TOTAL_FILES_MAX = 1_000_000;
export const PATH_DEPTH_MAX = 32;
export const PATH_LENGTH_MAX = 1_024;

export type ChunkPlan = { chunkSize: number; totalChunks: number };

/** Client and server must use the same plan. An empty file has no chunks. */
export function planChunks(sizeBytes: number): ChunkPlan {
  const steps = Math.max(1, Math.ceil(sizeBytes / (CHUNK_BYTES * MAX_CHUNKS)));
  const chunkSize = steps * CHUNK_BYTES;
  return { chunkSize, totalChunks: Math.ceil(sizeBytes / chunkSize) };
}

/** Bytes. All chunks but the last have the full size. */
export function chunkLength(sizeBytes: number, chunkSize: number, index: number): number {
  return Math.min(chunkSize, sizeBytes - index * chunkSize);
}

export function fitsTransfer(addedBytes: number, usedBytes: number, storagePerTransfer: number): boolean {
  return usedBytes + addedBytes <= storagePerTransfer;
}

export function fitsMonth(addedBytes: number, usageBytes: number, monthlyTotal: number): boolean {
  return usageBytes + addedBytes <= monthlyTotal;
}

/** Returns the requested days if they are between 1 and the retention of the plan, else the retention. */
export function clampExpirationDays(wish: number | undefined, retentionDays: number): number {
  const longest = Math.min(retentionDays, EXPIRATION_DAYS_MAX);
  const honoured = wish !== undefined && Number.isInteger(wish) && wish >= 1 && wish <= longest;
  return honoured ? wish : longest;
}

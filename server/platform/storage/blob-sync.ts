import { fdatasync } from 'node:fs';
import { truncate } from 'node:fs/promises';
import { promisify } from 'node:util';
import { NOTES_SUFFIX } from './blob-paths.ts';

const syncData = promisify(fdatasync);

/** Runs a task and reports how long it took, also when it fails. */
export async function timed<T>(task: () => Promise<T>, report: (seconds: number) => void): Promise<T> {
  const startedAt = performance.now();
  try {
    return await task();
  } finally {
    report((performance.now() - startedAt) / 1000);
  }
}

/**
 * Makes a blob's bytes durable. After a failure the kernel takes the lost bytes for clean, and the next sync
 * would succeed without them: so all the blob's notes go, and its chunks are sent again.
 */
export async function syncBlob({ path, fd }: { path: string; fd: number }): Promise<void> {
  try {
    await syncData(fd);
  } catch (error) {
    await truncate(path + NOTES_SUFFIX);
    throw error;
  }
}

import { open, unlink } from 'node:fs/promises';
import { isMissing } from './disk-errors.ts';

/**
 * Makes a file of at least `sizeBytes` (a hole). A pack gets no size: it grows as its files arrive, since
 * two processes that each size it for their own file could cut off the other's bytes.
 */
export async function createFile(path: string, sizeBytes: number): Promise<void> {
  const handle = await open(path, 'a', 0o600);
  try {
    if (sizeBytes > 0 && (await handle.stat()).size < sizeBytes) await handle.truncate(sizeBytes);
  } finally {
    await handle.close();
  }
}

/** Removes a file that may be gone already. */
export async function unlinkIfThere(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

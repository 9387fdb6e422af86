import { access, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { isMissing } from './disk-errors.ts';

/**
 * Creates a sparse file of at least `sizeBytes`. Packs get no size: if two processes each set a size for their own
 * file, one could truncate the other's bytes.
 */
export async function createFile(path: string, sizeBytes: number): Promise<void> {
  const handle = await open(path, 'a', 0o600);
  try {
    if (sizeBytes > 0 && (await handle.stat()).size < sizeBytes) await handle.truncate(sizeBytes);
  } finally {
    await handle.close();
  }
}

export async function unlinkIfThere(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

/** Rejects if the file system can't tell, so that a failing disk doesn't look empty. */
export async function isThere(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch (error) {
    if (!isMissing(error)) throw error;
    return false;
  }
}

const KEY = /^[a-z0-9_-]{16,64}$/;
export const NOTES_SUFFIX = '.notes';

/** Guards every path built from a key. */
export function isStorageKey(name: string): boolean {
  return KEY.test(name);
}

type BlobPaths = { folder: string; bytes: string; notes: string };

export function locateBlob(root: string, storageKey: string): BlobPaths {
  if (!isStorageKey(storageKey)) throw new TypeError('Not a storage key');
  const folder = join(root, storageKey.slice(0, 2));
  const bytes = join(folder, storageKey);
  return { folder, bytes, notes: bytes + NOTES_SUFFIX };
}

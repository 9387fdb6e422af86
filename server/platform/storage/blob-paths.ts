import { join } from 'node:path';

const KEY = /^[a-z0-9_-]{16,64}$/;
export const NOTES_SUFFIX = '.notes';

/** True for names a blob may have; nothing else ever becomes part of a path. */
export function isStorageKey(name: string): boolean {
  return KEY.test(name);
}

export type BlobPaths = { folder: string; bytes: string; notes: string };

/** `<root>/<first two characters>/<key>`, and the chunk notes beside it. Throws for anything but a storage key. */
export function locateBlob(root: string, storageKey: string): BlobPaths {
  if (!isStorageKey(storageKey)) throw new TypeError('Not a storage key');
  const folder = join(root, storageKey.slice(0, 2));
  const bytes = join(folder, storageKey);
  return { folder, bytes, notes: bytes + NOTES_SUFFIX };
}

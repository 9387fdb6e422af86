import { chmod, lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

export const PRIVATE_UMASK = 0o077;

/** Operators may keep other files in DATA_DIR. */
const OURS = /^(sendwell\.db|leases\.db|secret|server\.lock|ballast|blobs|incoming|rendering|earlier-assets)/;

/**
 * Removes group and other permissions from what earlier versions created in DATA_DIR. Leaves files of other
 * users alone.
 */
export async function makeFilesPrivate(dataDir: string): Promise<void> {
  const names = (await listNames(dataDir)).filter((name) => OURS.test(name));
  const shards = await listNames(join(dataDir, 'blobs'));
  const paths = [...names, ...shards.map((shard) => join('blobs', shard))];
  await Promise.all(paths.map((path) => makePrivate(join(dataDir, path))));
}

async function listNames(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => []);
}

async function makePrivate(path: string): Promise<void> {
  try {
    const stat = await lstat(path);
    const { mode } = stat;
    if (!stat.isSymbolicLink() && (mode & PRIVATE_UMASK) !== 0)
      await chmod(path, mode & 0o7777 & ~PRIVATE_UMASK);
  } catch {
    // Deleted meanwhile, or owned by another user.
  }
}

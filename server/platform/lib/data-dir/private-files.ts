import { chmod, lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** New files and folders are accessible only to the server's user. */
export const PRIVATE_UMASK = 0o077;

/** What the server keeps in DATA_DIR; operators may keep files of their own there. */
const OURS = /^(sendwell\.db|leases\.db|secret|server\.lock|ballast|blobs|incoming|rendering)/;

/**
 * Removes group and other permissions from what earlier versions created in DATA_DIR: the server's files and the blob
 * folders. Blobs always had mode 0600. Files of other users are left alone.
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

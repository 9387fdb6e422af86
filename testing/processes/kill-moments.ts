import { type FSWatcher, readdirSync, watch } from 'node:fs';
import { join } from 'node:path';
import type { ServerProcess } from './server-process.ts';

/**
 * Kills the server after this many changes in its DATA_DIR (such as a commit to the database's log or a new or removed
 * blob), immediately if `touches` is 0, or when `end` settles first. This makes the moment of the kill a step of the
 * work rather than a time. Resolves when the process has exited and `end` has settled.
 */
export async function killAfterTouches(
  server: ServerProcess,
  touches: number,
  end: Promise<unknown>,
): Promise<void> {
  const reached = Promise.withResolvers<void>();
  let left = touches;
  const count = () => {
    left -= 1;
    if (left <= 0) reached.resolve();
  };
  const watchers = listFolders(server.dataDir).flatMap((folder) => watchFolder(folder, count));
  if (touches === 0) reached.resolve();
  const settled = end.then(
    () => reached.resolve(),
    () => reached.resolve(),
  );
  await reached.promise;
  const killed = server.kill();
  for (const watcher of watchers) watcher.close();
  await Promise.all([killed, settled]);
}

/** Empty if the folder is gone: the server removes temporary folders at any time. */
function watchFolder(folder: string, onTouch: () => void): FSWatcher[] {
  try {
    return [watch(folder, onTouch).on('error', () => {})];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

function listFolders(folder: string): string[] {
  const below = readdirSync(folder, { withFileTypes: true, recursive: true }).filter((entry) =>
    entry.isDirectory(),
  );
  return [folder, ...below.map(({ parentPath, name }) => join(parentPath, name))];
}

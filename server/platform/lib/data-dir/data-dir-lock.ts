import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** What the lock file tells a second server: its caller prints the sentence and exits. */
export class DataDirInUseError extends Error {
  constructor(dataDir: string, cause: unknown) {
    super(
      `Another Sendwell server is already running on ${dataDir}. ` +
        'Stop it first, or give this one its own DATA_DIR.',
      { cause },
    );
    this.name = 'DataDirInUseError';
  }
}

const SQLITE_BUSY = 5;

/** A database that nobody refers to any more may be closed by the garbage collector, and its lock with it. */
const held = new Set<DatabaseSync>();

/**
 * Makes the data folder and holds it for this process until the returned function is called or the process
 * ends, however it ends: the lock is the operating system's, on `server.lock`, taken by an exclusive SQLite
 * transaction that is never committed. Throws DataDirInUseError when another server holds it (race 32).
 */
export function lockDataDir(dataDir: string): () => void {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const file = new DatabaseSync(join(dataDir, 'server.lock'), { timeout: 0 });
  try {
    file.exec('begin exclusive');
  } catch (error) {
    file.close();
    throw isBusy(error) ? new DataDirInUseError(dataDir, error) : error;
  }
  held.add(file);
  return () => {
    if (held.delete(file)) file.close();
  };
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY;
}

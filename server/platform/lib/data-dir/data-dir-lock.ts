import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

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

/** Garbage collection would close the databases and release their locks. */
const held = new Set<DatabaseSync>();

/**
 * Creates DATA_DIR and locks it until the returned function is called or the process ends. Uses an
 * operating-system lock on `server.lock`: an exclusive SQLite transaction that never commits. Throws
 * DataDirInUseError.
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

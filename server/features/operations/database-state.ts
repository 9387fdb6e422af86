import { mkdir } from 'node:fs/promises';
import type { Config } from '../../config.ts';
import { openOwnDatabase } from '../../create-context.ts';
import { listPendingMigrations, migrateToLatest } from '../../platform/db/migrate.ts';
import { createLog } from '../../platform/lib/log.ts';

/**
 * Brings the configured database up to date; returns the names of the migrations that were pending. Progress goes to
 * standard error, one line per migration and index.
 */
export async function migrateDatabase(config: Config): Promise<string[]> {
  await mkdir(config.dataDir, { recursive: true, mode: 0o700 });
  const db = await openOwnDatabase(config);
  try {
    const pending = await listPendingMigrations(db);
    await migrateToLatest(db, { log: createLog('info', process.stderr) });
    return pending;
  } finally {
    await db.destroy();
  }
}

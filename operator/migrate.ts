import { mkdir } from 'node:fs/promises';
import { EXIT } from '../command-line/exit-codes.ts';
import type { Config } from '../server/config.ts';
import { openOwnDatabase } from '../server/create-context.ts';
import { listPendingMigrations, migrateToLatest } from '../server/platform/db/migrate.ts';
import { createLog } from '../server/platform/lib/logging/log.ts';
import type { Command } from './command.ts';

export const migrate: Command = {
  name: 'migrate',
  summary: 'Migrate the database schema to this version',
  details: [
    'Prints one line per migration. The server does the same at every start. Run this command first if the ' +
      'migrations take longer than your service manager waits for a start.',
  ],
  async run({ config, report }) {
    const done = await migrateDatabase(config);
    report(
      { migrations: done },
      done.length === 0
        ? 'The database schema is up to date.'
        : done.map((name) => `Done: ${name}`).join('\n'),
    );
    return EXIT.ok;
  },
};

/** Returns the migrations that were pending. Logs progress to standard error. */
async function migrateDatabase(config: Config): Promise<string[]> {
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

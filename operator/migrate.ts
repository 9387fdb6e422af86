import { mkdir } from 'node:fs/promises';
import { EXIT } from '../command-line/exit-codes.ts';
import type { Config } from '../server/config.ts';
import { openOwnDatabase } from '../server/create-context.ts';
import { listPendingMigrations, migrateToLatest } from '../server/platform/db/migrate.ts';
import { createLog } from '../server/platform/lib/logging/log.ts';
import type { Command } from './command.ts';

export const migrate: Command = {
  name: 'migrate',
  summary: 'Bring the tables up to date',
  details: [
    'Prints one line per migration. The server does the same at every start; run this command first if your ' +
      'migrations take longer than a start may take.',
  ],
  async run({ config, report }) {
    const done = await migrateDatabase(config);
    report(
      { migrations: done },
      done.length === 0 ? 'The tables are up to date.' : done.map((name) => `Done: ${name}`).join('\n'),
    );
    return EXIT.ok;
  },
};

/** Returns the names of the migrations that were pending. Progress is logged to standard error. */
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

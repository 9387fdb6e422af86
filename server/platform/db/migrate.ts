import { type Migration, Migrator } from 'kysely';
import { up as first } from './migrations/0001-first.ts';
import { up as sendersAndRecipients } from './migrations/0002-senders-and-recipients.ts';
import { up as whatRecipientsSee } from './migrations/0003-what-recipients-see.ts';
import { up as invitations } from './migrations/0004-invitations.ts';
import { up as payments } from './migrations/0005-payments.ts';
import { up as administration } from './migrations/0006-administration.ts';
import type { Db } from './open.ts';

/** In the order of their names. A migration that was released is never edited. */
const MIGRATIONS: Record<string, Migration> = {
  '0001-first': { up: first },
  '0002-senders-and-recipients': { up: sendersAndRecipients },
  '0003-what-recipients-see': { up: whatRecipientsSee },
  '0004-invitations': { up: invitations },
  '0005-payments': { up: payments },
  '0006-administration': { up: administration },
};

/**
 * Brings the tables up to date. All pending migrations are one transaction on both engines, so a process
 * killed at any moment leaves the old state or the new one. Processes that start at once take turns
 * (advisory lock on PostgreSQL, write lock on SQLite). Throws what the migration threw.
 */
export async function migrateToLatest(db: Db): Promise<void> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => MIGRATIONS } });
  const { error } = await migrator.migrateToLatest();
  if (error) throw error;
}

import { type Migration, Migrator } from 'kysely';
import { up as first } from './migrations/0001-first.ts';
import { up as sendersAndRecipients } from './migrations/0002-senders-and-recipients.ts';
import { up as whatRecipientsSee } from './migrations/0003-what-recipients-see.ts';
import { up as invitations } from './migrations/0004-invitations.ts';
import { up as payments } from './migrations/0005-payments.ts';
import { up as administration } from './migrations/0006-administration.ts';
import { up as apiKeys } from './migrations/0007-api-keys.ts';
import { up as webhooks } from './migrations/0008-webhooks.ts';
import { up as leases } from './migrations/0009-leases.ts';
import { up as directParts } from './migrations/0010-direct-parts.ts';
import { up as tus } from './migrations/0011-tus.ts';
import { up as zipSummaries } from './migrations/0017-zip-summaries.ts';
import type { Db } from './open.ts';

/** In the order of their names. A migration that was released is never edited. */
const MIGRATIONS: Record<string, Migration> = {
  '0001-first': { up: first },
  '0002-senders-and-recipients': { up: sendersAndRecipients },
  '0003-what-recipients-see': { up: whatRecipientsSee },
  '0004-invitations': { up: invitations },
  '0005-payments': { up: payments },
  '0006-administration': { up: administration },
  '0007-api-keys': { up: apiKeys },
  '0008-webhooks': { up: webhooks },
  '0009-leases': { up: leases },
  '0010-direct-parts': { up: directParts },
  '0011-tus': { up: tus },
  '0017-zip-summaries': { up: zipSummaries },
};

/** The setting by which a migration says which version a program must be of at least, by that one's last migration. */
export const NEEDS_KEY = 'schemaNeeds';

/**
 * Brings the tables up to date. All pending migrations are one transaction on both engines, so a process
 * killed at any moment leaves the old state or the new one. Processes that start at once take turns
 * (advisory lock on PostgreSQL, write lock on SQLite). A database that a newer version has migrated is served as
 * it is, unless that version said that ours cannot. Throws what the migration threw, and Error with a sentence
 * for the operator when the database is not one of ours or too new.
 */
export async function migrateToLatest(db: Db): Promise<void> {
  for (let newer = await listNewer(db); ; ) {
    const all = { ...MIGRATIONS, ...Object.fromEntries(newer.map((name) => [name, DONE_ELSEWHERE])) };
    const migrator = new Migrator({ db, provider: { getMigrations: async () => all } });
    const { error } = await migrator.migrateToLatest();
    if (!error) return;
    // A newer version may have migrated between our look and our turn.
    const known = newer.length;
    newer = await listNewer(db);
    if (newer.length === known) throw error;
  }
}

const DONE_ELSEWHERE: Migration = { up: async () => {} };

type MigrationTable = { kysely_migration: { name: string } };

/** The names of the migrations of newer versions that the database has. */
async function listNewer(db: Db): Promise<string[]> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  if (!tables.some(({ name }) => name === 'kysely_migration')) return [];
  const rows = await db.withTables<MigrationTable>().selectFrom('kysely_migration').select('name').execute();
  const newest = Object.keys(MIGRATIONS).at(-1)!;
  const unknown = rows.map(({ name }) => name).filter((name) => !(name in MIGRATIONS));
  const strange = unknown.find((name) => name < newest);
  if (strange) throw new Error(`The database has a migration that no version of Sendwell has: ${strange}.`);
  if (unknown.length > 0) await requireCompatible(db, newest);
  return unknown;
}

async function requireCompatible(db: Db, newest: string): Promise<void> {
  const row = await db.selectFrom('settings').select('value').where('key', '=', NEEDS_KEY).executeTakeFirst();
  if (row && row.value > newest)
    throw new Error(
      `A newer version of Sendwell has changed the database (${row.value}) so that this one (${newest}) cannot use it any more: start the newer version.`,
    );
}

/** Names of the migrations that this version has and the database has not; all, where there are no tables. */
export async function listPendingMigrations(db: Db): Promise<string[]> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => MIGRATIONS } });
  const migrations = await migrator.getMigrations();
  return migrations.filter(({ executedAt }) => executedAt === undefined).map(({ name }) => name);
}

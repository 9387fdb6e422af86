import { type Kysely, sql } from 'kysely';
import { isSqlite } from '../open.ts';

/**
 * Unlogged on PostgreSQL, because leases are worthless after a crash. With SQLite this table stays empty
 * (`platform/leases` uses a separate unsynced file).
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('leases')
    .addColumn('key', 'text', (column) => column.notNull())
    .addColumn('slot', 'text', (column) => column.notNull())
    .addColumn('leaseId', 'text', (column) => column.notNull())
    .addColumn('holder', 'text', (column) => column.notNull())
    .addColumn('endsAt', 'bigint', (column) => column.notNull())
    .addColumn('isWanted', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('isToEnd', 'integer', (column) => column.notNull().defaultTo(0))
    .addPrimaryKeyConstraint('leases_key_slot', ['key', 'slot'])
    .execute();
  await db.schema.createIndex('leases_holder').on('leases').column('holder').execute();
  await db.schema.createIndex('leases_endsAt').on('leases').column('endsAt').execute();
  if (!isSqlite(db)) await sql`alter table "leases" set unlogged`.execute(db);
}

import { type Kysely, sql } from 'kysely';

/**
 * Modification times, executable bits, and when files were announced, all of which are known before their bytes.
 * `zipSummary` replaces the columns of 0017, in which the previous release describes a zip with other times.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const table of ['uploads', 'files']) {
    await db.schema.alterTable(table).addColumn('modifiedAt', 'bigint').execute();
    await db.schema
      .alterTable(table)
      .addColumn('isExecutable', 'integer', (column) => column.notNull().defaultTo(sql.lit(0)))
      .execute();
  }
  await db.schema.alterTable('files').addColumn('announcedAt', 'bigint').execute();
  await db.schema.alterTable('transfers').addColumn('zipSummary', 'text').execute();
}

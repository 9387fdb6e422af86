import type { Kysely } from 'kysely';

/** The size of the zip of all files, known without reading their rows; null until it is computed. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('transfers').addColumn('zipSizeBytes', 'bigint').execute();
  await db.schema.alterTable('transfers').addColumn('zipTag', 'text').execute();
  await db.schema.alterTable('transfers').addColumn('zipModifiedAt', 'bigint').execute();
  await db.schema.alterTable('transfers').addColumn('zipFileCount', 'integer').execute();
}

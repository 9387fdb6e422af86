import type { Kysely } from 'kysely';

/** What is known of the zip of all files without reading them; null until it is worked out. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('transfers').addColumn('zipSizeBytes', 'bigint').execute();
  await db.schema.alterTable('transfers').addColumn('zipTag', 'text').execute();
  await db.schema.alterTable('transfers').addColumn('zipModifiedAt', 'bigint').execute();
  await db.schema.alterTable('transfers').addColumn('zipFileCount', 'integer').execute();
}

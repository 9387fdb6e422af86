import type { Kysely } from 'kysely';

/** Null until computed. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('transfers').addColumn('zipSizeBytes', 'bigint').execute();
  await db.schema.alterTable('transfers').addColumn('zipTag', 'text').execute();
  await db.schema.alterTable('transfers').addColumn('zipModifiedAt', 'bigint').execute();
  await db.schema.alterTable('transfers').addColumn('zipFileCount', 'integer').execute();
}

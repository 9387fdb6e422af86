import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  const files = () => db.schema.alterTable('files');
  await files()
    .addColumn('verifyAt', 'bigint', (column) => column.notNull().defaultTo(0))
    .execute();
  await files().addColumn('verifiedAt', 'bigint').execute();
  await files().addColumn('suspectedAt', 'bigint').execute();
  await files().addColumn('damageToldAt', 'bigint').execute();
  await db.schema.alterTable('uploads').addColumn('repairsFileId', 'text').execute();
  await db.schema
    .alterTable('transfers')
    .addColumn('repairCount', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
}

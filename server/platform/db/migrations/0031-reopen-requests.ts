import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('transfers').addColumn('reopenAskedAt', 'bigint').execute();
  await db.schema
    .alterTable('userPreferences')
    .addColumn('emailOnReopenRequest', 'integer', (column) => column.notNull().defaultTo(1))
    .execute();
}

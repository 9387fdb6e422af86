import type { Kysely } from 'kysely';

/** null for accounts that administrators created, and for those from before this column. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('users').addColumn('registeredAt', 'bigint').execute();
}

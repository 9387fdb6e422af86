import type { Kysely } from 'kysely';

/**
 * When people registered their accounts themselves. Accounts that administrators create, and those from before this
 * column, have none.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('users').addColumn('registeredAt', 'bigint').execute();
}

import type { Kysely } from 'kysely';

/** When its owner was last notified of damage. Finding that out from 10^5 damaged files took minutes. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('transfers').addColumn('damageNoticeAt', 'bigint').execute();
}

import type { Kysely } from 'kysely';

/** Finding the last notice among 10^5 damaged files of a transfer took minutes. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('transfers').addColumn('damageNoticeAt', 'bigint').execute();
}

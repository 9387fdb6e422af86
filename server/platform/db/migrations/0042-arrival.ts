import type { Kysely } from 'kysely';

/** Transfers whose link is shared while their files arrive. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const column of ['publishedAt', 'expiresAfterMs', 'arrivalStoppedAt'])
    await db.schema.alterTable('transfers').addColumn(column, 'bigint').execute();
}

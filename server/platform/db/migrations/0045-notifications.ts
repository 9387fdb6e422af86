import type { Kysely } from 'kysely';

/** Webhooks that send messages to other services. Their address contains a secret, so only a part of it is in `url`. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const column of ['format', 'sealedTarget'])
    await db.schema.alterTable('webhooks').addColumn(column, 'text').execute();
}

import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const table of ['users', 'mails'])
    await db.schema.alterTable(table).addColumn('language', 'text').execute();
}

import type { Kysely } from 'kysely';

/** Null: no limit for all visitors together. 0, the default for invitations of earlier releases, is in `schema/transfers.ts`. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const invitations = db.schema.alterTable('uploadInvitations');
  await invitations.addColumn('totalFilesLimit', 'integer', (column) => column.defaultTo(0)).execute();
  await invitations.addColumn('totalBytesLimit', 'bigint', (column) => column.defaultTo(0)).execute();
}

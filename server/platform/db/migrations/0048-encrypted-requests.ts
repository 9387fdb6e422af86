import type { Kysely } from 'kysely';

/** Invitations to send encrypted files, and the keys of what arrives through them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('uploadInvitations').addColumn('encryption', 'text').execute();
  await db.schema.alterTable('transfers').addColumn('receivedKey', 'text').execute();
}

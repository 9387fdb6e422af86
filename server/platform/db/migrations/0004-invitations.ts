import { type Kysely, sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  const invitations = db.schema.alterTable('uploadInvitations');
  await invitations
    .addColumn('allowedTypes', 'text', (column) => column.notNull().defaultTo(sql.lit('[]')))
    .execute();
  await invitations.addColumn('isRecurring', 'integer', (column) => column.notNull().defaultTo(0)).execute();
  const visits = db.schema.alterTable('uploadInvitationVerifications');
  await visits.addColumn('emailKey', 'text', (column) => column.notNull().defaultTo(sql.lit(''))).execute();
  await visits.addColumn('verifiedAt', 'bigint').execute();
  const transfers = db.schema.alterTable('transfers');
  await transfers.addColumn('visitorKey', 'text').execute();
  await transfers.addColumn('visitId', 'text').execute();
  await transfers.addColumn('receiptSentAt', 'bigint').execute();
  await db.schema.alterTable('uploads').addColumn('visitorKey', 'text').execute();
  await db.schema.createIndex('transfers_visitId').on('transfers').column('visitId').execute();
}

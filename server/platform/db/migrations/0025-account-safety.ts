import type { Kysely } from 'kysely';
import { createTable, ofUser } from './create-table.ts';

/**
 * A separate column, because the previous release knows only `gone` and `failing` in
 * `webhooks.disabledReason`.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const table of ['apiKeys', 'webhooks']) {
    await db.schema.alterTable(table).addColumn('recoveryReason', 'text').execute();
    await db.schema.alterTable(table).addColumn('disabledAt', 'bigint').execute();
  }
  await db.schema.alterTable('users').addColumn('firstVerifiedAt', 'bigint').execute();
  await db.schema
    .alterTable('users')
    .addColumn('isClaiming', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
  const visits = 'uploadInvitationVerifications';
  await db.schema.alterTable(visits).addColumn('askedFrom', 'text').execute();
  await db.schema
    .alterTable(visits)
    .addColumn('askerAttempts', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
  await createTable(db, 'accountAlerts', {
    columns: {
      id: 'text',
      userId: 'text',
      email: 'text',
      tokenHash: 'text',
      expiresAt: 'instant',
      createdAt: 'instant',
    },
    primaryKey: ['id'],
    unique: [['tokenHash']],
    indexes: [['userId'], ['expiresAt']],
    references: { userId: ofUser },
  });
  await createTable(db, 'knownPlaces', {
    columns: { subject: 'text', place: 'text', expiresAt: 'instant' },
    primaryKey: ['subject', 'place'],
    indexes: [['expiresAt']],
  });
}

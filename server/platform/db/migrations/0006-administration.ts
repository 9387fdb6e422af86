import { type Kysely, sql } from 'kysely';
import { createTable } from './create-table.ts';

export async function up(db: Kysely<unknown>): Promise<void> {
  await createTable(db, 'auditLog', {
    columns: {
      id: 'text',
      at: 'instant',
      actorId: 'text',
      actorName: 'text',
      action: 'text',
      subject: 'text',
      subjectId: 'text?',
      details: 'text',
      ipAddress: 'text?',
    },
    primaryKey: ['id'],
    indexes: [
      ['at', 'id'],
      ['action', 'at'],
      ['subjectId', 'at'],
    ],
  });
  await db.schema.alterTable('transfers').addColumn('takenDownAt', 'bigint').execute();
  await db.schema
    .alterTable('ads')
    .addColumn('views', 'bigint', (column) => column.notNull().defaultTo(0))
    .execute();
  await db.schema
    .alterTable('ads')
    .addColumn('clicks', 'bigint', (column) => column.notNull().defaultTo(0))
    .execute();
  await db.schema.dropIndex('users_createdAt').execute();
  await db.schema.createIndex('users_createdAt_id').on('users').columns(['createdAt', 'id']).execute();
  await db.schema.createIndex('users_tier').on('users').column('tier').execute();
  await db.schema.createIndex('users_isAdmin').on('users').column('isAdmin').execute();
  await db.schema
    .createIndex('transfers_readyAt')
    .on('transfers')
    .columns(['readyAt', 'totalBytes'])
    .execute();
  // A covering index for the sum of a sender's storage.
  await db.schema
    .createIndex('transfers_userId_totalBytes')
    .on('transfers')
    .columns(['userId', 'totalBytes', 'status'])
    .execute();
  // Covers the sort order of lists; the id breaks ties within a millisecond.
  await db.schema.dropIndex('transfers_createdAt').execute();
  await db.schema
    .createIndex('transfers_createdAt_id')
    .on('transfers')
    .columns(['createdAt', 'id'])
    .execute();
  await db.schema
    .createIndex('transfers_takenDownAt')
    .on('transfers')
    .column('takenDownAt')
    .where(sql.ref('takenDownAt'), 'is not', null)
    .execute();
  await db.schema.createIndex('mails_createdAt_id').on('mails').columns(['createdAt', 'id']).execute();
  await db.schema.createIndex('transfers_totalBytes').on('transfers').columns(['totalBytes', 'id']).execute();
  await db.schema.createIndex('transfers_expiresAt').on('transfers').columns(['expiresAt', 'id']).execute();
}

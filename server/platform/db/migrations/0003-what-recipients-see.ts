import { type Kysely, sql } from 'kysely';
import { createTable, ofTransfer, ofUser } from './create-table.ts';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('files').addColumn('sha256', 'text').execute();
  await db.schema.alterTable('files').addColumn('checkedAt', 'bigint').execute();
  await db.schema.alterTable('files').addColumn('damagedAt', 'bigint').execute();
  await db.schema
    .createIndex('files_checkedAt_transferId')
    .on('files')
    .columns(['checkedAt', 'transferId'])
    .execute();
  await db.schema
    .createIndex('files_transferId_damagedAt')
    .on('files')
    .columns(['transferId', 'damagedAt'])
    .execute();
  await db.schema.alterTable('downloads').addColumn('selection', 'text').execute();
  await db.schema.alterTable('downloads').addColumn('zipNumber', 'integer').execute();
  await db.schema.alterTable('downloads').addColumn('sizeBytes', 'bigint').execute();
  await db.schema
    .alterTable('downloads')
    .addColumn('reachedBytes', 'bigint', (column) => column.notNull().defaultTo(0))
    .execute();
  await db.schema.alterTable('downloads').addColumn('activeAt', 'bigint').execute();
  await db.schema.createIndex('downloads_activeAt').on('downloads').column('activeAt').execute();
  await db.schema.alterTable('fileThumbnails').addColumn('previewStorageKey', 'text').execute();
  await db.schema.alterTable('fileThumbnails').addColumn('previewSizeBytes', 'bigint').execute();
  await db.schema.alterTable('users').addColumn('backgroundSizeBytes', 'bigint').execute();
  await db.schema.alterTable('users').addColumn('backgroundSmallSizeBytes', 'bigint').execute();
  await db.schema
    .createIndex('users_backgroundStorageKey')
    .on('users')
    .column('backgroundStorageKey')
    .execute();
  await addCountMarks(db);
  await createTable(db, 'filePreviews', {
    columns: {
      fileId: 'text',
      kind: 'text?',
      mimeType: 'text?',
      state: 'text',
      rank: 'count',
      attempts: 'count = 0',
      createdAt: 'instant',
    },
    primaryKey: ['fileId'],
    indexes: [['state', 'attempts', 'rank', 'createdAt']],
    references: { fileId: { table: 'files', onDelete: 'cascade' } },
  });
  await db.schema
    .createIndex('fileThumbnails_previewStorageKey')
    .on('fileThumbnails')
    .column('previewStorageKey')
    .execute();
  await createTable(db, 'transferTotals', {
    columns: {
      transferId: 'text',
      day: 'text',
      dimension: 'text',
      value: 'text',
      views: 'count = 0',
      downloads: 'count = 0',
      completed: 'count = 0',
    },
    primaryKey: ['transferId', 'dimension', 'day', 'value'],
    keptByKey: true,
    indexes: [['day']],
    references: { transferId: ofTransfer },
  });
  await createTable(db, 'userTotals', {
    columns: {
      userId: 'text',
      day: 'text',
      dimension: 'text',
      value: 'text',
      views: 'count = 0',
      downloads: 'count = 0',
      completed: 'count = 0',
    },
    primaryKey: ['userId', 'dimension', 'day', 'value'],
    keptByKey: true,
    indexes: [['day']],
    references: { userId: ofUser },
  });
  await createTable(db, 'abuseReports', {
    columns: {
      id: 'text',
      transferId: 'text',
      reason: 'text',
      details: 'text?',
      reporterEmail: 'text?',
      ipAddress: 'text?',
      createdAt: 'instant',
      settledAt: 'instant?',
    },
    primaryKey: ['id'],
    indexes: [['transferId'], ['settledAt', 'createdAt']],
    references: { transferId: ofTransfer },
  });
}

/** The indexes contain only pending rows, so that finding them stays cheap. */
async function addCountMarks(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('downloads').addColumn('country', 'text').execute();
  await db.schema.alterTable('downloads').addColumn('countedAt', 'bigint').execute();
  await db.schema.alterTable('downloads').addColumn('countedCompletedAt', 'bigint').execute();
  await db.schema.alterTable('transferViews').addColumn('countedAt', 'bigint').execute();
  await db.schema
    .createIndex('downloads_uncounted')
    .on('downloads')
    .columns(['transferId', 'downloadedAt'])
    .where(sql.ref('countedAt'), 'is', null)
    .execute();
  await db.schema
    .createIndex('downloads_uncountedCompletion')
    .on('downloads')
    .columns(['transferId', 'completedAt'])
    .where(sql.ref('countedCompletedAt'), 'is', null)
    .where(sql.ref('completedAt'), 'is not', null)
    .execute();
  await db.schema
    .createIndex('transferViews_uncounted')
    .on('transferViews')
    .columns(['transferId', 'viewedAt'])
    .where(sql.ref('countedAt'), 'is', null)
    .execute();
}

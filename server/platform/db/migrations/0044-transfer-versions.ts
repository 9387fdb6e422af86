import type { Kysely } from 'kysely';
import { createTable, ofTransfer } from './create-table.ts';

/** Updates of transfers: the version that each file belongs to, versions that ended, and changes waiting in a draft. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('transfers')
    .addColumn('version', 'integer', (column) => column.notNull().defaultTo(1))
    .execute();
  for (const column of ['updatesTransferId', 'updateDraftId'])
    await db.schema.alterTable('transfers').addColumn(column, 'text').execute();
  await db.schema
    .alterTable('files')
    .addColumn('sinceVersion', 'integer', (column) => column.notNull().defaultTo(1))
    .execute();
  await db.schema.alterTable('files').addColumn('untilVersion', 'integer').execute();
  await createTable(db, 'transferVersions', {
    columns: {
      transferId: 'text',
      version: 'count',
      startedAt: 'instant',
      endedAt: 'instant',
      fileCount: 'count',
      totalBytes: 'bytes',
    },
    primaryKey: ['transferId', 'version'],
    references: { transferId: ofTransfer },
  });
  await createTable(db, 'plannedChanges', {
    columns: { draftId: 'text', fileId: 'text', relativePath: 'text' },
    primaryKey: ['draftId', 'fileId', 'relativePath'],
    keptByKey: true,
    references: { draftId: ofTransfer },
  });
}

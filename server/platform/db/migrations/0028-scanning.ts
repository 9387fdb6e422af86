import type { Kysely } from 'kysely';
import { createTable, ofTransfer } from './create-table.ts';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('transfers').addColumn('scanState', 'text').execute();
  await db.schema.alterTable('transfers').addColumn('announceHeldAt', 'bigint').execute();
  await createTable(db, 'heldFiles', {
    columns: {
      fileId: 'text',
      transferId: 'text',
      userId: 'text',
      state: 'text',
      finding: 'text?',
      sha256: 'text?',
      attempts: 'count = 0',
      createdAt: 'instant',
      foundAt: 'instant?',
      toldAt: 'instant?',
    },
    primaryKey: ['fileId'],
    indexes: [
      ['state', 'userId', 'attempts', 'createdAt'],
      ['state', 'userId', 'createdAt'],
      ['transferId', 'state'],
      ['state', 'foundAt', 'fileId'],
      ['state', 'finding', 'attempts'],
      ['state', 'toldAt', 'transferId'],
      ['sha256', 'state'],
    ],
    references: { fileId: { table: 'files', onDelete: 'cascade' }, transferId: ofTransfer },
  });
  await createTable(db, 'contentRules', {
    columns: {
      id: 'text',
      sha256: 'text',
      verdict: 'text',
      reason: 'text',
      fileName: 'text',
      sizeBytes: 'bytes',
      crc32: 'bytes',
      finding: 'text?',
      createdBy: 'text',
      createdAt: 'instant',
    },
    primaryKey: ['id'],
    unique: [['sha256']],
    indexes: [
      ['crc32', 'verdict'],
      ['verdict', 'createdAt', 'id'],
    ],
  });
}

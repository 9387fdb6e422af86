import type { Kysely } from 'kysely';
import { createTable, ofTransfer } from './create-table.ts';

/** End-to-end encrypted transfers and where their sealed manifests and thumbnails are stored. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const column of ['encryption', 'accessKeyHash'])
    await db.schema.alterTable('transfers').addColumn(column, 'text').execute();
  await db.schema.alterTable('uploads').addColumn('manifestRevision', 'integer').execute();
  await createTable(db, 'sealedDocuments', {
    columns: {
      transferId: 'text',
      kind: 'text',
      revision: 'count',
      storageKey: 'text',
      sizeBytes: 'bytes',
      sha256: 'text',
      storedAt: 'instant',
      usageMonth: 'text',
    },
    primaryKey: ['transferId', 'kind'],
    unique: [['storageKey']],
    references: { transferId: ofTransfer },
  });
}

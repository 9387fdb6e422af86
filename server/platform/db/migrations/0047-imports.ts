import type { Kysely } from 'kysely';
import { createTable, ofTransfer } from './create-table.ts';

const ofImport = { table: 'imports', onDelete: 'cascade' } as const;

/** What was imported from other products, and the addresses that their shares had. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createTable(db, 'imports', {
    columns: { id: 'text', name: 'text', product: 'text', fingerprint: 'text?', createdAt: 'instant' },
    primaryKey: ['id'],
    unique: [['name']],
  });
  await createTable(db, 'importedItems', {
    columns: {
      importId: 'text',
      kind: 'text',
      sourceId: 'text',
      targetId: 'text',
      state: 'text',
      mark: 'text?',
      createdAt: 'instant',
    },
    primaryKey: ['importId', 'kind', 'sourceId'],
    references: { importId: ofImport },
  });
  await createTable(db, 'importedBlobs', {
    columns: {
      importId: 'text',
      sourceId: 'text',
      storageKey: 'text',
      sizeBytes: 'bytes',
      sha256: 'text',
      crc32: 'bytes',
      createdAt: 'instant',
    },
    primaryKey: ['importId', 'sourceId'],
    unique: [['storageKey']],
    references: { importId: ofImport },
  });
  await createTable(db, 'importedAddresses', {
    columns: { address: 'text', transferId: 'text' },
    primaryKey: ['address'],
    indexes: [['transferId']],
    references: { transferId: ofTransfer },
  });
}

import type { Kysely } from 'kysely';
import { createTable } from './create-table.ts';

/** No references: rows outlive the transfers and uploads they are about. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createTable(db, 'fates', {
    columns: {
      id: 'text',
      kind: 'text',
      transferId: 'text',
      uploadId: 'text?',
      tokenHash: 'text?',
      ownerId: 'text',
      cause: 'text',
      at: 'instant',
    },
    primaryKey: ['id'],
    indexes: [['transferId'], ['uploadId'], ['tokenHash'], ['at']],
  });
}

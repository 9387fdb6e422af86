import type { Kysely } from 'kysely';
import { createTable } from './create-table.ts';

/** Rows outlive the transfers and uploads they are about, so there are no references. */
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

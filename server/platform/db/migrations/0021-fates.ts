import type { Kysely } from 'kysely';
import { createTable } from './create-table.ts';

/** What became of transfers and uploads, after their own rows are gone. Hence without references. */
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

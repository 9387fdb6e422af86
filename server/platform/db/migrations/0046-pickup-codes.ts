import type { Kysely } from 'kysely';
import { createTable, ofTransfer } from './create-table.ts';

/** Short codes that lead to a transfer for a day. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createTable(db, 'pickupCodes', {
    columns: { transferId: 'text', codeHash: 'text', nonce: 'text', expiresAt: 'instant' },
    primaryKey: ['transferId'],
    unique: [['codeHash']],
    indexes: [['expiresAt']],
    references: { transferId: ofTransfer },
  });
}

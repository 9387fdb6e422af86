import type { Kysely } from 'kysely';
import { createTable, ofTransfer } from './create-table.ts';

/** The previous release does not set the flag: its downloads are never refunded. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('downloads')
    .addColumn('isReturnable', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
  await createTable(db, 'placeReturns', {
    columns: { transferId: 'text', claimantKey: 'text', count: 'count' },
    primaryKey: ['transferId', 'claimantKey'],
    keptByKey: true,
    references: { transferId: ofTransfer },
  });
}

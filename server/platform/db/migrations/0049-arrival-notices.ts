import type { Kysely } from 'kysely';
import { createTable, ofTransfer } from './create-table.ts';

/** Who wants a mail once an arriving transfer is complete. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('transfers')
    .addColumn('arrivalNoticeCount', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
  await createTable(db, 'arrivalNotices', {
    columns: {
      transferId: 'text',
      emailKey: 'text',
      email: 'text',
      language: 'text?',
      createdAt: 'instant',
    },
    primaryKey: ['transferId', 'emailKey'],
    keptByKey: true,
    references: { transferId: ofTransfer },
  });
}

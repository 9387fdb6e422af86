import type { Kysely } from 'kysely';
import { createTable } from './create-table.ts';

export async function up(db: Kysely<unknown>): Promise<void> {
  await createTable(db, 'storageDirectParts', {
    columns: { storageKey: 'text', partIndex: 'count', crc32: 'bytes' },
    primaryKey: ['storageKey', 'partIndex'],
  });
  await db.schema
    .alterTable('storageMultiparts')
    .addColumn('carriesCrc32', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
}

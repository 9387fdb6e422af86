import type { Kysely } from 'kysely';
import { createTable } from './create-table.ts';

export async function up(db: Kysely<unknown>): Promise<void> {
  await createTable(db, 'diskReservations', {
    columns: { id: 'text', bytes: 'bytes', recounts: 'count' },
    primaryKey: ['id'],
  });
  await db.schema
    .alterTable('uploads')
    .addColumn('receivedBytes', 'bigint', (column) => column.notNull().defaultTo(0))
    .execute();
}

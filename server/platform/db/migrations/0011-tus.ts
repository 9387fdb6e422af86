import type { Kysely } from 'kysely';
import { createTable } from './create-table.ts';

export async function up(db: Kysely<unknown>): Promise<void> {
  await createTable(db, 'tusUploads', {
    columns: { uploadId: 'text', metadata: 'text', wishes: 'text' },
    primaryKey: ['uploadId'],
    references: { uploadId: { table: 'uploads', onDelete: 'cascade' } },
  });
}

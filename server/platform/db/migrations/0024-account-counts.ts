import type { Kysely } from 'kysely';
import { createTable, ofUser } from './create-table.ts';

export async function up(db: Kysely<unknown>): Promise<void> {
  await createTable(db, 'accountCounts', {
    columns: {
      userId: 'text',
      openUploads: 'count = 0',
      drafts: 'count = 0',
      transfers: 'count = 0',
      files: 'bytes = 0',
      countedAt: 'instant = 0',
    },
    primaryKey: ['userId'],
    references: { userId: ofUser },
  });
}

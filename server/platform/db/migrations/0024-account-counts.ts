import type { Kysely } from 'kysely';
import { createTable, ofUser } from './create-table.ts';

/** How much each account has, for the quotas on counts. Values are upper bounds; rows are created when needed. */
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

import type { Kysely } from 'kysely';
import { createTable, ofUser } from './create-table.ts';

export async function up(db: Kysely<unknown>): Promise<void> {
  await createTable(db, 'idempotencyKeys', {
    columns: {
      id: 'text',
      userId: 'text',
      requestHash: 'text',
      runId: 'text?',
      runsUntil: 'instant',
      outcome: 'text?',
      expiresAt: 'instant',
    },
    primaryKey: ['id'],
    indexes: [['userId'], ['expiresAt']],
    references: { userId: ofUser },
  });
}

import type { Kysely } from 'kysely';
import { createTable, ofTransfer, ofUser } from './create-table.ts';

/**
 * Webhooks that send messages to other services, whose address contains a secret, so only a part of it is in `url`; and
 * browsers that get push notifications, of a user or, for one transfer, of a recipient.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const column of ['format', 'sealedTarget'])
    await db.schema.alterTable('webhooks').addColumn(column, 'text').execute();
  await createTable(db, 'pushSubscriptions', {
    columns: {
      id: 'text',
      userId: 'text?',
      transferId: 'text?',
      sessionId: 'text?',
      endpointHash: 'text',
      sealedTarget: 'text',
      service: 'text',
      events: 'text',
      createdAt: 'instant',
    },
    primaryKey: ['id'],
    unique: [
      ['userId', 'endpointHash'],
      ['transferId', 'endpointHash'],
    ],
    indexes: [['sessionId']],
    references: {
      userId: ofUser,
      transferId: ofTransfer,
      sessionId: { table: 'sessions', onDelete: 'cascade' },
    },
  });
}

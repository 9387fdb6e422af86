import type { Kysely } from 'kysely';
import { createTable, ofUser } from './create-table.ts';

export async function up(db: Kysely<unknown>): Promise<void> {
  await createTable(db, 'webhooks', {
    columns: {
      id: 'text',
      userId: 'text',
      url: 'text',
      description: 'text?',
      events: 'text',
      isActive: 'flag = 1',
      secret: 'text',
      oldSecret: 'text?',
      oldSecretUntil: 'instant?',
      failingSince: 'instant?',
      disabledReason: 'text?',
      createdAt: 'instant',
    },
    primaryKey: ['id'],
    indexes: [['userId']],
    references: { userId: ofUser },
  });
  await createTable(db, 'webhookDeliveries', {
    columns: {
      webhookId: 'text',
      id: 'text',
      type: 'text',
      body: 'text',
      state: 'text',
      attempts: 'count = 0',
      createdAt: 'instant',
      nextTryAt: 'instant?',
      lastTriedAt: 'instant?',
      requestUrl: 'text?',
      requestHeaders: 'text?',
      status: 'count?',
      error: 'text?',
      durationMs: 'count?',
      responseHeaders: 'text?',
      responseBody: 'text?',
      isTruncated: 'flag = 0',
    },
    primaryKey: ['webhookId', 'id'],
    indexes: [['webhookId', 'createdAt', 'id'], ['webhookId', 'nextTryAt'], ['createdAt']],
    references: { webhookId: { table: 'webhooks', onDelete: 'cascade' } },
  });
}

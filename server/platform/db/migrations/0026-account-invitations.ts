import type { Kysely } from 'kysely';
import { createTable } from './create-table.ts';

export async function up(db: Kysely<unknown>): Promise<void> {
  await createTable(db, 'accountInvitations', {
    columns: {
      id: 'text',
      email: 'text',
      emailKey: 'text',
      tokenHash: 'text',
      invitedBy: 'text',
      mailId: 'text',
      createdAt: 'instant',
      sentAt: 'instant',
      expiresAt: 'instant',
      acceptedAt: 'instant?',
    },
    primaryKey: ['id'],
    unique: [['emailKey'], ['tokenHash']],
    indexes: [['createdAt', 'id'], ['expiresAt']],
  });
}

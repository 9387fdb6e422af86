import type { Kysely } from 'kysely';
import { createTable, ofUser } from './create-table.ts';

export async function up(db: Kysely<unknown>): Promise<void> {
  await createTable(db, 'passkeys', {
    columns: {
      id: 'text',
      userId: 'text',
      credentialId: 'text',
      publicKey: 'text',
      counter: 'bytes',
      transports: 'text',
      isBackedUp: 'flag',
      deviceType: 'text',
      aaguid: 'text',
      name: 'text',
      createdAt: 'instant',
      lastUsedAt: 'instant?',
    },
    primaryKey: ['id'],
    unique: [['credentialId']],
    indexes: [['userId', 'createdAt', 'id']],
    references: { userId: ofUser },
  });
}

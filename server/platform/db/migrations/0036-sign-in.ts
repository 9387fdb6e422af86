import type { Kysely } from 'kysely';
import { createTable, ofUser } from './create-table.ts';

/** Authenticator apps, recovery codes, account events, and how each session was signed in. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createTable(db, 'totpSecrets', {
    columns: {
      userId: 'text',
      sealedSecret: 'text',
      lastStep: 'bytes = 0',
      createdAt: 'instant',
      confirmedAt: 'instant?',
      lastUsedAt: 'instant?',
    },
    primaryKey: ['userId'],
    references: { userId: ofUser },
  });
  await createTable(db, 'recoveryCodes', {
    columns: { id: 'text', userId: 'text', codeHash: 'text', createdAt: 'instant', usedAt: 'instant?' },
    primaryKey: ['id'],
    unique: [['userId', 'codeHash']],
    references: { userId: ofUser },
  });
  await createTable(db, 'signInAttempts', {
    columns: {
      id: 'text',
      tokenHash: 'text',
      stage: 'text',
      userId: 'text?',
      challenge: 'text?',
      createdAt: 'instant',
      expiresAt: 'instant',
    },
    primaryKey: ['id'],
    unique: [['tokenHash']],
    indexes: [['expiresAt'], ['userId']],
    references: { userId: ofUser },
  });
  await createTable(db, 'accountEvents', {
    columns: {
      id: 'text',
      userId: 'text',
      kind: 'text',
      ipAddress: 'text?',
      userAgent: 'text?',
      details: 'text?',
      createdAt: 'instant',
    },
    primaryKey: ['id'],
    indexes: [['userId', 'createdAt', 'id'], ['createdAt']],
    references: { userId: ofUser },
  });
  for (const [column, type] of [
    ['methods', 'text'],
    ['authenticatedAt', 'bigint'],
  ] as const)
    await db.schema.alterTable('sessions').addColumn(column, type).execute();
  await db.schema
    .alterTable('users')
    .addColumn('hasSecondFactor', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
}

import type { Kysely } from 'kysely';
import { createTable, ofUser } from './create-table.ts';

/** Passkeys, authenticator apps, recovery codes, identity providers, and how each session was signed in. */
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
      aaguid: 'text',
      name: 'text',
      createdAt: 'instant',
      lastUsedAt: 'instant?',
    },
    primaryKey: ['id'],
    unique: [['credentialId']],
    indexes: [['userId']],
    references: { userId: ofUser },
  });
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
  await createTable(db, 'identityProviders', {
    columns: {
      id: 'text',
      label: 'text',
      issuer: 'text',
      clientId: 'text',
      sealedSecret: 'text?',
      domains: 'text',
      mayCreate: 'flag',
      isRequired: 'flag',
      isEnabled: 'flag',
      createdAt: 'instant',
      updatedAt: 'instant',
    },
    primaryKey: ['id'],
  });
  await createTable(db, 'externalIdentities', {
    columns: {
      id: 'text',
      providerId: 'text',
      issuer: 'text',
      subject: 'text',
      userId: 'text',
      email: 'text?',
      createdAt: 'instant',
      lastUsedAt: 'instant',
    },
    primaryKey: ['id'],
    unique: [['issuer', 'subject']],
    indexes: [['userId'], ['providerId']],
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
    ['providerId', 'text'],
    ['providerSession', 'text'],
  ] as const)
    await db.schema.alterTable('sessions').addColumn(column, type).execute();
  await db.schema
    .alterTable('users')
    .addColumn('hasSecondFactor', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
}

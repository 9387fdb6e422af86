import type { Kysely } from 'kysely';
import { createTable, ofUser } from './create-table.ts';

/** OpenID Connect providers, the identities linked to accounts, and with which provider a session began. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createTable(db, 'identityProviders', {
    columns: {
      id: 'text',
      issuer: 'text',
      clientId: 'text',
      sealedSecret: 'text?',
      name: 'text',
      domains: 'text',
      mayCreateAccounts: 'flag = 0',
      isRequiredForDomains: 'flag = 0',
      trustsSecondFactor: 'flag = 0',
      isEnabled: 'flag = 1',
      createdAt: 'instant',
      updatedAt: 'instant',
    },
    primaryKey: ['id'],
    unique: [['issuer', 'clientId']],
  });
  // Providers of the environment have no row, so nothing here refers to `identityProviders`.
  await createTable(db, 'externalIdentities', {
    columns: {
      id: 'text',
      providerId: 'text',
      issuer: 'text',
      subject: 'text',
      userId: 'text',
      email: 'text?',
      createdAt: 'instant',
      lastUsedAt: 'instant?',
    },
    primaryKey: ['id'],
    unique: [['providerId', 'subject']],
    indexes: [['userId']],
    references: { userId: ofUser },
  });
  await createTable(db, 'providerDomains', {
    columns: {
      providerId: 'text',
      domain: 'text',
      provedAt: 'instant?',
      checkedAt: 'instant',
      problem: 'text?',
    },
    primaryKey: ['providerId', 'domain'],
  });
  for (const column of ['providerId', 'providerSession'])
    await db.schema.alterTable('sessions').addColumn(column, 'text').execute();
}

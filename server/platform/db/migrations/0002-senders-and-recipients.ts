import type { Kysely } from 'kysely';
import { randomId } from '../../lib/tokens.ts';
import { createTable, ofTransfer, ofUser } from './create-table.ts';

/** Recipients become rows with links of their own; addresses can be changed, mails ended, accounts deleted. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createTable(db, 'transferRecipients', {
    columns: {
      id: 'text',
      transferId: 'text',
      email: 'text',
      emailKey: 'text',
      token: 'text',
      createdAt: 'instant',
      openedAt: 'instant?',
      downloadedAt: 'instant?',
      remindedAt: 'instant?',
    },
    primaryKey: ['id'],
    unique: [['token'], ['transferId', 'emailKey']],
    references: { transferId: ofTransfer },
  });
  await createTable(db, 'emailChanges', {
    columns: {
      id: 'text',
      userId: 'text',
      oldEmail: 'text',
      tokenHash: 'text',
      expiresAt: 'instant',
      createdAt: 'instant',
    },
    primaryKey: ['id'],
    unique: [['tokenHash']],
    indexes: [['userId'], ['expiresAt']],
    references: { userId: ofUser },
  });
  await createTable(db, 'mailOptOuts', {
    columns: { emailKey: 'text', createdAt: 'instant' },
    primaryKey: ['emailKey'],
  });
  await db.schema.alterTable('users').addColumn('deletedAt', 'bigint').execute();
  await db.schema.alterTable('transfers').addColumn('remindedAt', 'bigint').execute();
  await db.schema.alterTable('transfers').addColumn('expiryNoticeAt', 'bigint').execute();
  await db.schema.alterTable('mails').addColumn('unsubscribeToken', 'text').execute();
  await fillRecipients(db as Kysely<OldTables>);
}

type OldTables = {
  transfers: { id: string; status: string; recipientEmails: string; createdAt: number };
  transferRecipients: {
    id: string;
    transferId: string;
    email: string;
    emailKey: string;
    token: string;
    createdAt: number;
  };
};

/** Whoever was sent a transfer before has a row as well. */
async function fillRecipients(db: Kysely<OldTables>): Promise<void> {
  const transfers = await db
    .selectFrom('transfers')
    .select(['id', 'recipientEmails', 'createdAt'])
    .where('status', '=', 'ready')
    .where('recipientEmails', '!=', '[]')
    .execute();
  for (const { id: transferId, recipientEmails, createdAt } of transfers) {
    const rows = (JSON.parse(recipientEmails) as string[]).map((email) => ({
      id: randomId(),
      transferId,
      email,
      emailKey: email.toLowerCase(),
      token: randomId(),
      createdAt,
    }));
    await db.insertInto('transferRecipients').values(rows).execute();
  }
}

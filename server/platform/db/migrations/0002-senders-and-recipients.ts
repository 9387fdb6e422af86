import { type Kysely, sql } from 'kysely';
import { randomId } from '../../lib/tokens.ts';
import { createTable, ofTransfer, ofUser } from './create-table.ts';

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
  await db.schema.createIndex('users_deletedAt').on('users').column('deletedAt').execute();
  await db.schema.alterTable('transfers').addColumn('remindedAt', 'bigint').execute();
  await db.schema.alterTable('transfers').addColumn('expiryNoticeAt', 'bigint').execute();
  await db.schema.alterTable('mails').addColumn('unsubscribeToken', 'text').execute();
  await db.schema.alterTable('downloads').addColumn('recipientId', 'text').execute();
  await addNoticeMarks(db, 'downloads', 'completedAt');
  await addNoticeMarks(db, 'transferViews', 'viewedAt');
  await fillRecipients(db as Kysely<OldTables>);
}

/**
 * Earlier events count as notified. The index contains only pending events, so that finding them stays cheap.
 */
async function addNoticeMarks(
  db: Kysely<unknown>,
  table: 'downloads' | 'transferViews',
  happenedAt: 'completedAt' | 'viewedAt',
): Promise<void> {
  await db.schema.alterTable(table).addColumn('noticedAt', 'bigint').execute();
  await (db as Kysely<OldTables>)
    .updateTable(table)
    .set((eb) => ({ noticedAt: eb.ref(happenedAt) }))
    .execute();
  const index = db.schema
    .createIndex(`${table}_untold`)
    .on(table)
    .columns(['transferId', happenedAt])
    .where(sql.ref('noticedAt'), 'is', null);
  // On a column that is never null, the condition would keep SQLite from using the index.
  const isNullable = happenedAt === 'completedAt';
  await (isNullable ? index.where(sql.ref(happenedAt), 'is not', null) : index).execute();
}

type OldTables = {
  downloads: { completedAt: number | null; noticedAt: number | null };
  transferViews: { viewedAt: number | null; noticedAt: number | null };
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

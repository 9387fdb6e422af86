import type { Db, Trx } from '../../../platform/db/open.ts';
import type { MailRow, RecipientRow } from '../../../platform/db/schema.ts';
import { randomId } from '../../../platform/lib/tokens.ts';

/** Returns the rows of these addresses, in their order. `now` is in epoch milliseconds. */
export async function addRecipients(
  trx: Trx,
  transferId: string,
  emails: string[],
  now: number,
): Promise<RecipientRow[]> {
  if (emails.length === 0) return [];
  const rows = emails.map((email) => ({
    id: randomId(),
    transferId,
    email,
    emailKey: recipientKey(email),
    token: randomId(),
    createdAt: now,
  }));
  await trx
    .insertInto('transferRecipients')
    .values(rows)
    .onConflict((conflict) => conflict.columns(['transferId', 'emailKey']).doNothing())
    .execute();
  const found = new Map((await listRecipients(trx, transferId)).map((row) => [row.emailKey, row]));
  return rows.map(({ emailKey }) => found.get(emailKey)!);
}

export function listRecipients(db: Db, transferId: string): Promise<RecipientRow[]> {
  return db.selectFrom('transferRecipients').selectAll().where('transferId', '=', transferId).execute();
}

export function recipientKey(email: string): string {
  return email.toLowerCase();
}

const MAIL_KINDS = ['transfer-ready', 'transfer-resend', 'recipient-reminder'];

export type ShownRecipient = Pick<RecipientRow, 'id' | 'email' | 'emailKey' | 'openedAt' | 'downloadedAt'> & {
  mailState: MailRow['state'] | null;
  mailError: string | null;
  mailCreatedAt: number | null;
  mailSentAt: number | null;
};

export function listShownRecipients(db: Db, transferId: string): Promise<ShownRecipient[]> {
  return db
    .with('sent', (query) =>
      query
        .selectFrom('mails')
        .select(({ fn }) => fn<string>('lower', ['recipient']).as('emailKey'))
        .select(['id', 'state', 'lastError', 'createdAt', 'sentAt'])
        .where('transferId', '=', transferId)
        .where('kind', 'in', MAIL_KINDS),
    )
    .with('ranked', (query) =>
      query
        .selectFrom('sent')
        .selectAll()
        .select(({ fn }) =>
          fn
            .agg<number>('row_number')
            .over((over) => over.partitionBy('emailKey').orderBy('createdAt', 'desc').orderBy('id', 'desc'))
            .as('age'),
        ),
    )
    .selectFrom('transferRecipients as to')
    .leftJoin('ranked as latest', (join) =>
      join.onRef('latest.emailKey', '=', 'to.emailKey').on('latest.age', '=', 1),
    )
    .select([
      'to.id',
      'to.email',
      'to.emailKey',
      'to.openedAt',
      'to.downloadedAt',
      'latest.state as mailState',
      'latest.lastError as mailError',
      'latest.createdAt as mailCreatedAt',
      'latest.sentAt as mailSentAt',
    ])
    .where('to.transferId', '=', transferId)
    .execute();
}

/** Failed and dropped mails do not count. */
export async function listMailedKeys(trx: Trx, transferId: string): Promise<Set<string>> {
  const rows = await trx
    .selectFrom('mails')
    .select(({ fn }) => fn<string>('lower', ['recipient']).as('emailKey'))
    .distinct()
    .where('transferId', '=', transferId)
    .where('kind', 'in', MAIL_KINDS)
    // `not in` prevents the database from using the index on the state; a transfer has only a few mails.
    .where('state', 'not in', ['failed', 'dropped'])
    .execute();
  return new Set(rows.map(({ emailKey }) => emailKey));
}

export async function deleteRecipients(trx: Trx, ids: string[]): Promise<void> {
  if (ids.length > 0) await trx.deleteFrom('transferRecipients').where('id', 'in', ids).execute();
}

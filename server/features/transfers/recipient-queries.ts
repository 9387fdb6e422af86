import type { Db, Trx } from '../../platform/db/open.ts';
import type { MailRow, RecipientRow } from '../../platform/db/schema.ts';

/** Mails that carry a recipient's own link. */
const MAIL_KINDS = ['transfer-ready', 'transfer-resend', 'recipient-reminder'];

export type ShownRecipient = Pick<RecipientRow, 'id' | 'email' | 'emailKey' | 'openedAt' | 'downloadedAt'> & {
  mailState: MailRow['state'] | null;
  mailError: string | null;
  mailCreatedAt: number | null;
  mailSentAt: number | null;
};

/** Everybody a transfer was sent to, with the latest mail to each. */
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

/**
 * The keys of everybody who was sent the link, or will be by a mail that is queued. Mails that failed or were dropped
 * reached nobody.
 */
export async function listMailedKeys(trx: Trx, transferId: string): Promise<Set<string>> {
  const rows = await trx
    .selectFrom('mails')
    .select(({ fn }) => fn<string>('lower', ['recipient']).as('emailKey'))
    .distinct()
    .where('transferId', '=', transferId)
    .where('kind', 'in', MAIL_KINDS)
    // The few mails of a transfer are found by its id; a condition on queued or sent mails could use their index.
    .where('state', 'not in', ['failed', 'dropped'])
    .execute();
  return new Set(rows.map(({ emailKey }) => emailKey));
}

export async function deleteRecipients(trx: Trx, ids: string[]): Promise<void> {
  if (ids.length > 0) await trx.deleteFrom('transferRecipients').where('id', 'in', ids).execute();
}

import type { Expression, ExpressionBuilder, SqlBool, Updateable } from 'kysely';
import { z } from 'zod';
import { RETENTION } from '../../../contracts/transfers/retention.ts';
import { DAY_MS, HOUR_MS } from '../../../contracts/values/durations.ts';
import type { Db, Trx } from '../db/open.ts';
import { deleteInBatches, repeatInBatches } from '../db/queries/batches.ts';
import type { Database, Instant, MailsTable } from '../db/schema.ts';
import { defineJob } from '../jobs/define-job.ts';
import { enqueue } from '../jobs/queue.ts';
import { randomId } from '../lib/tokens.ts';
import type { MailKind } from './kinds.ts';
import { toSubject } from './plain-text.ts';
import { describeOptOut, type MailContext, sendMail } from './send-mail.ts';

export type NewMail = {
  /** Random, of whatever the mail is part of; without it the mail gets one of its own. */
  id?: string;
  kind: MailKind;
  /** One address; several recipients are several mails. */
  recipient: string;
  replyTo?: string;
  subject: string;
  text: string;
  html: string;
  /** The mail goes with its transfer, and with its user. */
  transferId?: string;
  userId?: string;
  /** Not sent from this instant on (codes). */
  sendBefore?: Instant;
  /** What ends such mails for good; without it the mail has no List-Unsubscribe. */
  unsubscribeToken?: string;
  createdAt: Instant;
};

/**
 * Puts a mail into the outbox inside the caller's transaction: it is sent if and only if that is committed.
 * Returns its id.
 */
export async function enqueueMail(trx: Trx, mail: NewMail): Promise<string> {
  const id = mail.id ?? randomId();
  await trx
    .insertInto('mails')
    .values({ ...mail, subject: toSubject(mail.subject), id, state: 'queued' })
    .execute();
  await enqueue(trx, sendMail, { mailId: id });
  return id;
}

/** What waits for a transfer that is being deleted is not sent any more. Call it where the transfer is marked. */
export function dropMailsOfTransfer(trx: Trx, transferId: string): Promise<void> {
  return dropMailsOfTransfers(trx, [transferId]);
}

export async function dropMailsOfTransfers(trx: Trx, transferIds: string[]): Promise<void> {
  await dropQueued(trx, transferIds).execute();
}

/** The same for some of its recipients, who are none any more. */
export async function dropMailsToRecipients(
  trx: Trx,
  transferId: string,
  recipients: string[],
): Promise<void> {
  if (recipients.length > 0)
    await dropQueued(trx, [transferId]).where('recipient', 'in', recipients).execute();
}

function dropQueued(trx: Trx, transferIds: string[]) {
  return trx
    .updateTable('mails')
    .set({ state: 'dropped', text: '', html: '' })
    .where('transferId', 'in', transferIds)
    .where('state', '=', 'queued');
}

/** What a newer mail of the same kind to the same user has made void is not sent any more. */
export async function dropReplacedMails(
  trx: Trx,
  { userId, kind }: { userId: string; kind: MailKind },
): Promise<void> {
  await trx
    .updateTable('mails')
    .set({ state: 'dropped', text: '', html: '', lastError: 'A newer mail has replaced it.' })
    .where('userId', '=', userId)
    .where('kind', '=', kind)
    .where('state', '=', 'queued')
    .execute();
}

/** The same for mails by their ids. */
export async function dropMails(trx: Trx, ids: string[]): Promise<void> {
  if (ids.length === 0) return;
  await trx
    .updateTable('mails')
    .set({ state: 'dropped', text: '', html: '', lastError: 'What it was about has ended.' })
    .where('id', 'in', ids)
    .where('state', '=', 'queued')
    .execute();
}

/** What waits behind this way out is not sent any more: the reader has just taken it. */
export async function dropMailsBehind(
  trx: Trx,
  { recipient, unsubscribeToken }: { recipient: string; unsubscribeToken: string },
): Promise<void> {
  await trx
    .updateTable('mails')
    .set({ state: 'dropped', text: '', html: '', lastError: describeOptOut(recipient) })
    .where('recipient', '=', recipient)
    .where('unsubscribeToken', '=', unsubscribeToken)
    .where('state', '=', 'queued')
    .execute();
}

/**
 * Removes old mails, which name recipients; the codes in kept mails once they are void; and later the texts of mails
 * that failed, which can be tried again until then. Removes nothing while the clock is not trusted.
 */
export const sweepMails = defineJob({
  name: 'sweep-mails',
  payload: z.object({}),
  every: HOUR_MS,
  async run({ db, clockGuard }: MailContext) {
    const now = await clockGuard.findTrustedNow();
    if (now === undefined) return;
    await deleteInBatches(db, { table: 'mails', key: ['id'] }, (eb) =>
      eb('createdAt', '<', now - RETENTION.mailDays * DAY_MS),
    );
    await updateMails(db, { state: 'dropped', text: '', html: '' }, (eb) =>
      eb.and([eb('state', '=', 'queued'), eb('sendBefore', '<', now)]),
    );
    await updateMails(db, { text: '', html: '' }, (eb) =>
      eb.and([
        eb('state', '=', 'failed'),
        eb('createdAt', '<', now - RETENTION.failedMailTextDays * DAY_MS),
        eb('text', '!=', ''),
      ]),
    );
  },
});

/** Changes all mails that meet a condition, a batch at a time; none of them must meet it afterwards. */
async function updateMails(
  db: Db,
  changes: Updateable<MailsTable>,
  condition: (eb: ExpressionBuilder<Database, 'mails'>) => Expression<SqlBool>,
): Promise<void> {
  await repeatInBatches(async (rows) => {
    const { numUpdatedRows } = await db
      .updateTable('mails')
      .set(changes)
      .where('id', 'in', (eb) => eb.selectFrom('mails').select('id').where(condition).limit(rows))
      .executeTakeFirstOrThrow();
    return Number(numUpdatedRows);
  });
}

import type { Expression, ExpressionBuilder, SqlBool, Updateable } from 'kysely';
import { z } from 'zod';
import { RETENTION } from '../../../contracts/transfers/retention.ts';
import { DAY_MS, HOUR_MS } from '../../../contracts/values/durations.ts';
import type { Db, Trx } from '../db/open.ts';
import { deleteInBatches, repeatInBatches } from '../db/queries/batches.ts';
import type { Instant } from '../db/schema/column-types.ts';
import type { MailsTable } from '../db/schema/platform.ts';
import type { Database } from '../db/schema.ts';
import { defineJob } from '../jobs/define-job.ts';
import { enqueue } from '../jobs/queue.ts';
import { randomId } from '../lib/tokens.ts';
import type { MailKind } from './kinds.ts';
import { toSubject } from './plain-text.ts';
import { describeOptOut, type MailContext, sendMail } from './send-mail.ts';

export type NewMail = {
  /** A random id of a related object; by default the mail gets its own. */
  id?: string;
  kind: MailKind;
  /** One address; a mail to several recipients is several mails. */
  recipient: string;
  replyTo?: string;
  subject: string;
  text: string;
  html: string;
  /** The mail is deleted with its transfer, and with its user. */
  transferId?: string;
  userId?: string;
  /** Not sent after this instant, for mails with codes. */
  sendBefore?: Instant;
  /** Without it, the mail has no List-Unsubscribe header. */
  unsubscribeToken?: string;
  createdAt: Instant;
};

/** Adds a mail to the outbox inside the caller's transaction: it is sent only if that commits. Returns its id. */
export async function enqueueMail(trx: Trx, mail: NewMail): Promise<string> {
  const id = mail.id ?? randomId();
  await trx
    .insertInto('mails')
    .values({ ...mail, subject: toSubject(mail.subject), id, state: 'queued' })
    .execute();
  await enqueue(trx, sendMail, { mailId: id });
  return id;
}

/** Drops queued mails about a transfer that is being deleted. Call it in the transaction that marks the transfer. */
export function dropMailsOfTransfer(trx: Trx, transferId: string): Promise<void> {
  return dropMailsOfTransfers(trx, [transferId]);
}

export async function dropMailsOfTransfers(trx: Trx, transferIds: string[]): Promise<void> {
  await dropQueued(trx, transferIds).execute();
}

/** Drops queued mails to removed recipients. */
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

/** Drops queued mails of the same kind to the same user that a newer mail replaces. */
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

export async function dropMails(trx: Trx, ids: string[]): Promise<void> {
  if (ids.length === 0) return;
  await trx
    .updateTable('mails')
    .set({ state: 'dropped', text: '', html: '', lastError: 'What it was about has ended.' })
    .where('id', 'in', ids)
    .where('state', '=', 'queued')
    .execute();
}

/** Drops queued mails that this unsubscribe link ends. */
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
 * Deletes old mails, because they name recipients; kept mails with codes once those have expired; and later the bodies
 * of failed mails, which can be retried until then. Deletes nothing while the clock is not trusted.
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

/** Changes all mails that meet a condition in batches. A changed mail must no longer meet it. */
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

import { z } from 'zod';
import type { Trx } from '../db/open.ts';
import type { Instant } from '../db/schema.ts';
import { defineJob } from '../jobs/define-job.ts';
import { enqueue } from '../jobs/queue.ts';
import { DAY_MS } from '../lib/clock.ts';
import { randomId } from '../lib/tokens.ts';
import { type MailContext, sendMail } from './send-mail.ts';

export type NewMail = {
  /** What it is about, in the log and in statistics: 'verification-code', 'transfer-ready' … */
  kind: string;
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
  createdAt: Instant;
};

/**
 * Puts a mail into the outbox inside the caller's transaction: it is sent if and only if that is committed.
 * Returns its id.
 */
export async function enqueueMail(trx: Trx, mail: NewMail): Promise<string> {
  const id = randomId();
  await trx
    .insertInto('mails')
    .values({ ...mail, id, state: 'queued' })
    .execute();
  await enqueue(trx, sendMail, { mailId: id });
  return id;
}

/** What waits for a transfer that is being deleted is not sent any more. Call it where the transfer is marked. */
export async function dropMailsOfTransfer(trx: Trx, transferId: string): Promise<void> {
  await trx
    .updateTable('mails')
    .set({ state: 'dropped', text: '', html: '' })
    .where('transferId', '=', transferId)
    .where('state', '=', 'queued')
    .execute();
}

const KEPT_DAYS = 90;

/** Removes mails (they name recipients) after 90 days, and the codes in kept mails once they are void. */
export const sweepMails = defineJob({
  name: 'sweep-mails',
  payload: z.object({}),
  every: DAY_MS,
  async run({ db, clock }: MailContext) {
    const now = clock.now();
    await db
      .deleteFrom('mails')
      .where('createdAt', '<', now - KEPT_DAYS * DAY_MS)
      .execute();
    await db
      .updateTable('mails')
      .set({ state: 'dropped', text: '', html: '' })
      .where('state', '=', 'queued')
      .where('sendBefore', '<', now)
      .execute();
  },
});

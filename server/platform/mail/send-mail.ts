import { z } from 'zod';
import type { Db } from '../db/open.ts';
import type { MailRow } from '../db/schema.ts';
import type { ClockGuard } from '../jobs/clock-guard.ts';
import { defineJob, findRetryDelay, type JobRun } from '../jobs/define-job.ts';
import type { Clock } from '../lib/clock.ts';
import { isToRecipient } from './kinds.ts';
import { type Mailer, MailRefusedError } from './mailer.ts';
import { hasOptedOut } from './opt-outs.ts';

/** Why a queued mail has no job: it waits for SMTP_URL, see kept-mails.ts. */
export const KEPT = 'There is no mail server yet.';
export const TOO_LATE = 'It would have come too late.';

/** What a sender may read about somebody who has unsubscribed. */
export function describeOptOut(recipient: string): string {
  return `${recipient} does not take mails from Sendwell any more.`;
}

export type MailContext = { db: Db; clock: Clock; clockGuard: ClockGuard; mailer: Mailer };

/**
 * Sends one mail of the outbox: once, or twice when the process dies between the mail server's yes and our note
 * of it. A mail whose transfer or user is gone, that was dropped, or that is too late, is not sent.
 */
export const sendMail = defineJob({
  name: 'send-mail',
  payload: z.object({ mailId: z.string() }),
  async run(context: MailContext, { mailId }, run) {
    const mail = await findMail(context.db, mailId);
    if (mail?.state !== 'queued') return;
    if (mail.sendBefore !== null && context.clock.now() >= mail.sendBefore) {
      await settleMail(context.db, mail, { state: 'dropped', lastError: TOO_LATE });
      return;
    }
    if (isToRecipient(mail.kind) && (await hasOptedOut(context.db, mail.recipient))) {
      await settleMail(context.db, mail, { state: 'dropped', lastError: describeOptOut(mail.recipient) });
      return;
    }
    await deliver(context, mail, run);
  },
});

/** Mails the server has taken while the database did not answer: tried again, they are only noted. */
const takenButNotNoted = new Set<string>();

async function deliver({ db, clock, mailer }: MailContext, mail: MailRow, run: JobRun): Promise<void> {
  if (!takenButNotNoted.has(mail.id)) {
    const outcome = await trySending({ db, mailer }, mail, run);
    if (outcome === 'kept') await noteKept(db, mail);
    if (outcome !== 'sent') return;
    takenButNotNoted.add(mail.id);
  }
  await settleMail(db, mail, { state: 'sent', lastError: null, sentAt: clock.now() });
  takenButNotNoted.delete(mail.id);
}

/** Throws when it is worth another try; a refusal, and the end of all tries, are noted with the mail. */
async function trySending(
  { db, mailer }: Pick<MailContext, 'db' | 'mailer'>,
  mail: MailRow,
  { attempt }: JobRun,
): Promise<'sent' | 'kept' | 'failed'> {
  await noteAttempt(db, mail);
  try {
    return await mailer.send(mail);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const isFinal =
      error instanceof MailRefusedError || findRetryDelay(sendMail.retry, attempt) === undefined;
    if (!isFinal) {
      await db.updateTable('mails').set({ lastError: reason }).where('id', '=', mail.id).execute();
      throw error;
    }
    await settleMail(db, mail, { state: 'failed', lastError: reason });
    return 'failed';
  }
}

function findMail(db: Db, mailId: string): Promise<MailRow | undefined> {
  return db.selectFrom('mails').selectAll().where('id', '=', mailId).executeTakeFirst();
}

async function noteAttempt(db: Db, mail: MailRow): Promise<void> {
  await db
    .updateTable('mails')
    .set((eb) => ({ attempts: eb('attempts', '+', 1) }))
    .where('id', '=', mail.id)
    .execute();
}

async function noteKept(db: Db, { id }: MailRow): Promise<void> {
  await db.updateTable('mails').set({ lastError: KEPT }).where('id', '=', id).execute();
}

/**
 * The body goes, because it holds codes and links. That of a mail that failed stays a while, so that an
 * administrator can have it sent once more (retrying.ts); not of one that ends by itself.
 */
async function settleMail(
  db: Db,
  mail: Pick<MailRow, 'id' | 'sendBefore'>,
  outcome: Pick<MailRow, 'state' | 'lastError'> & { sentAt?: number },
): Promise<void> {
  const keepsBody = outcome.state === 'failed' && mail.sendBefore === null;
  await db
    .updateTable('mails')
    .set({ ...outcome, ...(!keepsBody && { text: '', html: '' }) })
    .where('id', '=', mail.id)
    .execute();
}

import { sql } from 'kysely';
import { z } from 'zod';
import { HOUR_MS } from '../../../contracts/values/durations.ts';
import type { Db, Trx } from '../db/open.ts';
import type { MailRow } from '../db/schema.ts';
import { transaction } from '../db/transaction.ts';
import type { ClockGuard } from '../jobs/clock-guard.ts';
import { defineJob, findRetryDelay, type JobRun } from '../jobs/define-job.ts';
import { enqueue } from '../jobs/queue.ts';
import { AppError } from '../lib/app-error.ts';
import type { Clock } from '../lib/clock.ts';
import { isToRecipient } from './kinds.ts';
import { type Mailer, MailRefusedError } from './mailer.ts';
import { hasOptedOut } from './opt-outs.ts';

/** Marks a queued mail without a job, which waits for SMTP_URL; see `sendKeptMails`. */
const KEPT = 'There is no mail server yet.';
const TOO_LATE = 'It would have come too late.';

export function describeOptOut(recipient: string): string {
  return `${recipient} has opted out of emails from Sendwell.`;
}

export type MailContext = { db: Db; clock: Clock; clockGuard: ClockGuard; mailer: Mailer };

/**
 * Sends at least once: twice only if the process dies before it records the acceptance. Skips mails that were
 * dropped, are too late, or whose transfer or user is gone.
 */
export const sendMail = defineJob({
  name: 'send-mail',
  payload: z.object({ mailId: z.string() }),
  async run(context: MailContext, { mailId }, run) {
    const mail = await findMail(context.db, mailId);
    if (mail?.state !== 'queued') return;
    if (mail.sendBefore !== null && context.clock.now() >= mail.sendBefore) {
      await finishMail(context.db, mail, { state: 'dropped', lastError: TOO_LATE });
      return;
    }
    if (isToRecipient(mail.kind) && (await hasOptedOut(context.db, mail.recipient))) {
      await finishMail(context.db, mail, { state: 'dropped', lastError: describeOptOut(mail.recipient) });
      return;
    }
    await deliver(context, mail, run);
  },
});

/** Accepted while the database was unavailable: a retry only records them. */
const sentButNotRecorded = new Set<string>();

async function deliver({ db, clock, mailer }: MailContext, mail: MailRow, run: JobRun): Promise<void> {
  if (!sentButNotRecorded.has(mail.id)) {
    const outcome = await attemptSend({ db, mailer }, mail, run);
    if (outcome === 'kept') await recordReason(db, mail, KEPT);
    if (outcome !== 'sent') return;
    sentButNotRecorded.add(mail.id);
  }
  await finishMail(db, mail, { state: 'sent', lastError: null, sentAt: clock.now() });
  sentButNotRecorded.delete(mail.id);
}

/** Throws if a retry makes sense. */
async function attemptSend(
  { db, mailer }: Pick<MailContext, 'db' | 'mailer'>,
  mail: MailRow,
  { attempt }: JobRun,
): Promise<'sent' | 'kept' | 'failed'> {
  await recordAttempt(db, mail);
  try {
    return await mailer.send(mail);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const isFinal =
      error instanceof MailRefusedError || findRetryDelay(sendMail.retry, attempt) === undefined;
    if (!isFinal) {
      await recordReason(db, mail, reason);
      throw error;
    }
    await finishMail(db, mail, { state: 'failed', lastError: reason });
    return 'failed';
  }
}

function findMail(db: Db, mailId: string): Promise<MailRow | undefined> {
  return db.selectFrom('mails').selectAll().where('id', '=', mailId).executeTakeFirst();
}

async function recordAttempt(db: Db, mail: MailRow): Promise<void> {
  await db
    .updateTable('mails')
    .set((eb) => ({ attempts: eb('attempts', '+', 1) }))
    .where('id', '=', mail.id)
    .execute();
}

/** Leaves the reason of a mail that was dropped while the mailer had it. */
async function recordReason(db: Db, { id }: MailRow, reason: string): Promise<void> {
  await db
    .updateTable('mails')
    .set({ lastError: reason })
    .where('id', '=', id)
    .where('state', '=', 'queued')
    .execute();
}

/**
 * Deletes the body, because it contains codes and links. A failed mail's body is kept for a while for
 * `retryMail`, unless the mail has an expiry.
 */
async function finishMail(
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

/**
 * Only one of several concurrent calls succeeds. Throws AppError `mail_not_found`, `conflict` (it has not
 * failed, or its body is deleted).
 */
export async function retryMail(trx: Trx, mailId: string): Promise<void> {
  const revived = await trx
    .updateTable('mails')
    .set({ state: 'queued', lastError: null })
    .where('id', '=', mailId)
    .where('state', '=', 'failed')
    .where('text', '!=', '')
    .returning('id')
    .executeTakeFirst();
  if (!revived) throw await explainRefusal(trx, mailId);
  await enqueue(trx, sendMail, { mailId });
}

async function explainRefusal(trx: Trx, mailId: string): Promise<AppError> {
  const mail = await trx.selectFrom('mails').select('state').where('id', '=', mailId).executeTakeFirst();
  if (!mail) return new AppError('mail_not_found');
  const message =
    mail.state === 'failed'
      ? 'The text of this mail is not kept any more. It has to be asked for anew.'
      : 'This mail has not failed.';
  return new AppError('conflict', { message });
}

/** By mail id; omits mails without a waiting job. */
export async function findNextTries(db: Db, mailIds: string[]): Promise<Map<string, number>> {
  const jobs = await listJobsOfMails(db, mailIds);
  return new Map(jobs.flatMap(({ mailId, runAt, leaseId }) => (leaseId === null ? [[mailId, runAt]] : [])));
}

/** Of jobs that wait or run. */
export async function findMailsWithJob(db: Db, mailIds: string[]): Promise<Set<string>> {
  return new Set((await listJobsOfMails(db, mailIds)).map(({ mailId }) => mailId));
}

async function listJobsOfMails(
  db: Db,
  mailIds: string[],
): Promise<{ mailId: string; runAt: number; leaseId: string | null }[]> {
  if (mailIds.length === 0) return [];
  const rows = await db
    .selectFrom('jobs')
    .select(['payload', 'runAt', 'leaseId'])
    // A literal: SQLite uses a partial index only for the same condition.
    .where('name', '=', sql.lit(sendMail.name))
    .where(
      'payload',
      'in',
      mailIds.map((mailId) => JSON.stringify({ mailId })),
    )
    .where('failedAt', 'is', null)
    .execute();
  return rows.map(({ payload, ...job }) => ({ ...(JSON.parse(payload) as { mailId: string }), ...job }));
}

/** As long as retries while a mail server is down. */
const KEPT_FOR_MS = 48 * HOUR_MS;

/**
 * Handles mails kept while no mail server was configured: sends those younger than 48 hours in order and
 * drops older ones. Runs after every start.
 */
export const sendKeptMails = defineJob({
  name: 'send-kept-mails',
  payload: z.object({}),
  every: HOUR_MS,
  async run({ db, mailer, clockGuard }: MailContext) {
    if (mailer.keepsMails) return;
    const now = await clockGuard.findTrustedNow({ steadyMs: 0 });
    if (now === undefined) return;
    await transaction(db, async (trx) => {
      await dropOlderThan(trx, now - KEPT_FOR_MS);
      await enqueueKept(trx);
    });
  },
});

async function dropOlderThan(trx: Trx, instant: number): Promise<void> {
  await trx
    .updateTable('mails')
    .set({ state: 'dropped', text: '', html: '', lastError: TOO_LATE })
    .where('state', '=', 'queued')
    .where('lastError', '=', KEPT)
    .where('createdAt', '<=', instant)
    .execute();
}

/** Clears the mark, so that each mail gets only one job. */
async function enqueueKept(trx: Trx): Promise<void> {
  const mails = await trx
    .updateTable('mails')
    .set({ lastError: null })
    .where('state', '=', 'queued')
    .where('lastError', '=', KEPT)
    .returning(['id', 'createdAt'])
    .execute();
  for (const { id, createdAt } of mails) await enqueue(trx, sendMail, { mailId: id }, { runAt: createdAt });
}

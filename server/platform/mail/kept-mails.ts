import { z } from 'zod';
import type { Trx } from '../db/open.ts';
import { transaction } from '../db/transaction.ts';
import { defineJob } from '../jobs/define-job.ts';
import { enqueue } from '../jobs/queue.ts';
import { HOUR_MS } from '../lib/clock.ts';
import { KEPT, type MailContext, sendMail, TOO_LATE } from './send-mail.ts';

/** As long as a mail would have been tried with a mail server that was down. */
const KEPT_FOR_MS = 48 * HOUR_MS;

/**
 * Mails that were kept for want of a mail server: once there is one, those younger than 48 hours are sent in
 * their order, and older ones are dropped. It looks shortly after every start.
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

/** A mail that has a job again is not marked as kept any more, so that it gets only one. */
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

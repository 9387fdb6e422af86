import type { Context } from '../../context.ts';
import type { Trx } from '../../platform/db/open.ts';
import type { JobRun } from '../../platform/jobs/define-job.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../platform/lib/clock.ts';
import { EXPIRY_GRACE_MS, listRecipients, recordTransferEvent } from '../transfers/index.ts';
import {
  enqueueExpiryNotice,
  enqueueRecipientReminder,
  enqueueSenderReminder,
  type Notice,
} from './emails.ts';
import {
  listEnding,
  listNewlyExpired,
  takeExpiry,
  takeReminder,
  takeWaitingRecipients,
} from './ending-queries.ts';
import { findSubject } from './queries.ts';
import { toNotice, wantsEnding } from './subject.ts';
import { tellOfEach } from './walk.ts';

/** After the server was off for longer, what it missed is no news. */
const STALE_AFTER_MS = DAY_MS;

/** A clock that has just been set may be set again. */
const STEADY_MS = 4 * MINUTE_MS;

/** Reminders go out this long before the end, and only when a transfer lives longer than that in all. */
const REMINDER_LEAD_MS = 48 * HOUR_MS;

/**
 * Tells owners, and their webhooks, that a transfer has expired: once, and once more if it was extended and
 * expires again. Waits while the clock is not trusted.
 */
export async function tellOfExpiry(context: Context, run: Pick<JobRun, 'signal'>): Promise<void> {
  const now = await context.clockGuard.findTrustedNow({ steadyMs: STEADY_MS });
  if (now === undefined) return;
  const span = { since: now - STALE_AFTER_MS, now };
  await tellOfEach(context, run, {
    list: (page) => listNewlyExpired(context.db, page, span),
    tell: async (trx, transferId) => {
      if (!(await takeExpiry(trx, transferId, span))) return;
      await recordTransferEvent(trx, transferId, { type: 'transfer.expired', now });
      const subject = await findSubject(trx, transferId);
      if (!subject || !wantsEnding(subject)) return;
      await enqueueExpiryNotice(trx, {
        ...toNotice(context, subject, now),
        downloads: subject.downloadCount,
        removedAt: subject.expiresAt! + EXPIRY_GRACE_MS,
      });
    },
  });
}

/**
 * Reminds of what ends in 48 hours: the owner, if somebody has not downloaded, and each recipient who has not.
 * Once for each end: a transfer that is extended is reminded of again. Looks like `tellOfExpiry`.
 */
export async function remindOfEnding(context: Context, run: Pick<JobRun, 'signal'>): Promise<void> {
  const now = await context.clockGuard.findTrustedNow({ steadyMs: STEADY_MS });
  if (now === undefined) return;
  const ending = { now, leadMs: REMINDER_LEAD_MS, staleMs: STALE_AFTER_MS };
  await tellOfEach(context, run, {
    list: (page) => listEnding(context.db, page, ending),
    tell: async (trx, transferId) => {
      if (!(await takeReminder(trx, transferId, ending))) return;
      const subject = await findSubject(trx, transferId);
      if (!subject) return;
      const notice = toNotice(context, subject, now);
      if (wantsEnding(subject)) await remindOwner(trx, notice, subject.downloadCount);
      await remindRecipients(trx, notice);
    },
  });
}

async function remindOwner(trx: Trx, notice: Notice, downloads: number): Promise<void> {
  const recipients = await listRecipients(trx, notice.transfer.id);
  const waiting = recipients.filter(({ downloadedAt }) => downloadedAt === null).map(({ email }) => email);
  if (waiting.length > 0 || downloads === 0)
    await enqueueSenderReminder(trx, { ...notice, waiting, downloads });
}

async function remindRecipients(trx: Trx, notice: Notice): Promise<void> {
  const dueAt = notice.transfer.expiresAt! - REMINDER_LEAD_MS;
  const waiting = await takeWaitingRecipients(trx, notice.transfer.id, { dueAt, now: notice.now });
  for (const recipient of waiting) await enqueueRecipientReminder(trx, { ...notice, recipient });
}

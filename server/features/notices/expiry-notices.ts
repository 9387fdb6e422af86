import type { ExpressionBuilder } from 'kysely';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../contracts/values/durations.ts';
import type { Context } from '../../context.ts';
import type { Db, Trx } from '../../platform/db/open.ts';
import type { Database, RecipientRow } from '../../platform/db/schema.ts';
import type { JobRun } from '../../platform/jobs/define-job.ts';
import { EXPIRY_GRACE_MS, listRecipients, recordTransferEvent } from '../transfers/index.ts';
import {
  enqueueExpiryNotice,
  enqueueRecipientReminder,
  enqueueSenderReminder,
  type Notice,
} from './emails.ts';
import { findSubject, notifyEach, type Page, toNotice, wantsEnding } from './notices.ts';

/** Older events are not reported, for example after a long downtime. */
const STALE_AFTER_MS = DAY_MS;

/** A clock that was just set may be set again. */
const STEADY_MS = 4 * MINUTE_MS;

/** Transfers with a shorter lifetime get no reminder. */
const REMINDER_LEAD_MS = 48 * HOUR_MS;

/**
 * Notifies owners and their webhooks of an expiry, once per expiry date. Does nothing while the clock isn't trusted.
 */
export async function sendExpiryNotices(context: Context, run: Pick<JobRun, 'signal'>): Promise<void> {
  const now = await context.clockGuard.findTrustedNow({ steadyMs: STEADY_MS });
  if (now === undefined) return;
  const span = { since: now - STALE_AFTER_MS, now };
  await notifyEach(context, run, {
    list: (page) => listNewlyExpired(context.db, page, span),
    notify: async (trx, transferId) => {
      if (!(await claimExpiry(trx, transferId, span))) return;
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
 * Reminds the owner, and recipients who have not downloaded, 48 hours before the expiry and once per expiry date. Does
 * nothing while the clock isn't trusted.
 */
export async function sendReminders(context: Context, run: Pick<JobRun, 'signal'>): Promise<void> {
  const now = await context.clockGuard.findTrustedNow({ steadyMs: STEADY_MS });
  if (now === undefined) return;
  const ending = { now, leadMs: REMINDER_LEAD_MS, staleMs: STALE_AFTER_MS };
  await notifyEach(context, run, {
    list: (page) => listEnding(context.db, page, ending),
    notify: async (trx, transferId) => {
      if (!(await claimReminder(trx, transferId, ending))) return;
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
  const waiting = await claimWaitingRecipients(trx, notice.transfer.id, { dueAt, now: notice.now });
  for (const recipient of waiting) await enqueueRecipientReminder(trx, { ...notice, recipient });
}

type OfTransfers = ExpressionBuilder<Database, 'transfers'>;

/** Epoch milliseconds; excludes `since`, includes `now`. */
type Span = { since: number; now: number };

async function listNewlyExpired(db: Db, { after, limit }: Page, span: Span): Promise<string[]> {
  const rows = await db
    .selectFrom('transfers')
    .select('id')
    .where((eb) => isNewlyExpired(eb, span))
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

/** Returns false if the expiry was already reported or the transfer extended. */
async function claimExpiry(trx: Trx, transferId: string, span: Span): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('transfers')
    .set({ expiryNoticeAt: span.now })
    .where('id', '=', transferId)
    .where((eb) => isNewlyExpired(eb, span))
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** A notice older than the expiry date was about an earlier date; the transfer was extended since. */
function isNewlyExpired(eb: OfTransfers, { since, now }: Span) {
  return eb.and([
    eb('status', '=', 'ready'),
    eb('expiresAt', '<=', now),
    eb('expiresAt', '>', since),
    eb.or([eb('expiryNoticeAt', 'is', null), eb('expiryNoticeAt', '<', eb.ref('expiresAt'))]),
  ]);
}

type Ending = {
  now: number;
  /** How long before the expiry a reminder is due. */
  leadMs: number;
  /** How long after its due time a reminder is still sent. */
  staleMs: number;
};

async function listEnding(db: Db, { after, limit }: Page, ending: Ending): Promise<string[]> {
  const rows = await db
    .selectFrom('transfers')
    .select('id')
    .where((eb) => isEnding(eb, ending))
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

/** Returns false if the reminder was already sent or the transfer changed. */
async function claimReminder(trx: Trx, transferId: string, ending: Ending): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('transfers')
    .set({ remindedAt: ending.now })
    .where('id', '=', transferId)
    .where((eb) => isEnding(eb, ending))
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/**
 * Returns recipients who have not downloaded, were added before the reminder was due and have no reminder of this
 * expiry date yet, and marks them as reminded.
 */
async function claimWaitingRecipients(
  trx: Trx,
  transferId: string,
  { dueAt, now }: { dueAt: number; now: number },
): Promise<RecipientRow[]> {
  return await trx
    .updateTable('transferRecipients')
    .set({ remindedAt: now })
    .where('transferId', '=', transferId)
    .where('downloadedAt', 'is', null)
    .where('createdAt', '<=', dueAt)
    .where((eb) => eb.or([eb('remindedAt', 'is', null), eb('remindedAt', '<', dueAt)]))
    .returningAll()
    .execute();
}

/** A reminder from before the due time was about an earlier expiry date; the transfer was extended since. */
function isEnding(eb: OfTransfers, { now, leadMs, staleMs }: Ending) {
  const dueAt = eb('expiresAt', '-', leadMs);
  return eb.and([
    eb('status', '=', 'ready'),
    eb('expiresAt', '<=', now + leadMs),
    eb('expiresAt', '>', now + leadMs - staleMs),
    eb(dueAt, '>', eb.fn.coalesce('readyAt', 'createdAt')),
    eb.or([eb('remindedAt', 'is', null), eb('remindedAt', '<', dueAt)]),
    eb('closedAt', 'is', null),
    eb('takenDownAt', 'is', null),
    eb.or([eb('scanState', 'is', null), eb('scanState', '=', 'partial')]),
    eb.or([eb('maxDownloads', 'is', null), eb('downloadCount', '<', eb.ref('maxDownloads'))]),
    eb.or([eb('scheduledAvailableAt', 'is', null), eb('scheduledAvailableAt', '<=', now)]),
  ]);
}

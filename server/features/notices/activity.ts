import type { Context } from '../../context.ts';
import type { Trx } from '../../platform/db/open.ts';
import { claimTry } from '../../platform/http/rate-limits.ts';
import type { JobRun } from '../../platform/jobs/define-job.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../platform/lib/clock.ts';
import {
  listEmailsOfOpeners,
  listEmailsOfRecipients,
  listTransfersWithNewDownloads,
  listTransfersWithNewViews,
  takeNewDownloads,
  takeNewViews,
} from './activity-queries.ts';
import { enqueueDownloadNotice, enqueueViewNotice } from './emails.ts';
import { findSubject } from './queries.ts';
import { toNotice, wantsActivity } from './subject.ts';
import { tellOfEach } from './walk.ts';

/** Older events are no news: the server was off, or the mail was not wanted then. */
const STALE_AFTER_MS = DAY_MS;

/** An opening is noted a moment after the view it belongs to. */
const SAME_VISIT_MS = MINUTE_MS;

/**
 * Tells owners of the downloads that were completed since the last look: one mail for each transfer, however
 * many there were. Every event is marked, whether its owner wants mail or not, so an upgrade brings no old news.
 */
export async function tellOfDownloads(context: Context, run: Pick<JobRun, 'signal'>): Promise<void> {
  const now = context.clock.now();
  await tellOfEach(context, run, {
    list: (page) => listTransfersWithNewDownloads(context.db, page),
    tell: (trx, transferId) => enqueueNewsOfDownloads(trx, context, { transferId, now }),
  });
}

/**
 * The same at once, for a transfer that goes with its last download: call it before `removeTransfer`, in the
 * same transaction.
 */
export function tellOfLastDownloads(trx: Trx, deps: NoticeDeps, transferId: string): Promise<void> {
  return enqueueNewsOfDownloads(trx, deps, { transferId, now: deps.clock.now(), isRemoved: true });
}

type NoticeDeps = Pick<Context, 'config' | 'secret' | 'clock'>;

async function enqueueNewsOfDownloads(
  trx: Trx,
  deps: NoticeDeps,
  { transferId, now, isRemoved = false }: { transferId: string; now: number; isRemoved?: boolean },
): Promise<void> {
  const subject = await findSubject(trx, transferId);
  const isWanted = subject !== undefined && wantsActivity(subject, 'download');
  if (isWanted && !isRemoved && !(await mayTell({ ...deps, db: trx }, `downloads:${transferId}`))) return;
  const fresh = keepFresh(await takeNewDownloads(trx, transferId, now), now);
  if (!isWanted || fresh.length === 0) return;
  const ids = new Set(fresh.flatMap(({ recipientId }) => recipientId ?? []));
  await enqueueDownloadNotice(trx, {
    ...toNotice(deps, subject, now),
    isRemoved,
    downloads: fresh.length,
    recipients: await listEmailsOfRecipients(trx, [...ids]),
  });
}

/** The same for page views. */
export async function tellOfViews(context: Context, run: Pick<JobRun, 'signal'>): Promise<void> {
  const now = context.clock.now();
  await tellOfEach(context, run, {
    list: (page) => listTransfersWithNewViews(context.db, page),
    tell: async (trx, transferId) => {
      const subject = await findSubject(trx, transferId);
      const isWanted = subject !== undefined && wantsActivity(subject, 'view');
      if (isWanted && !(await mayTell({ ...context, db: trx }, `views:${transferId}`))) return;
      const fresh = keepFresh(await takeNewViews(trx, transferId, now), now);
      if (!isWanted || fresh.length === 0) return;
      await enqueueViewNotice(trx, {
        ...toNotice(context, subject, now),
        views: fresh.length,
        recipients: await listOpeners(trx, transferId, fresh),
      });
    },
  });
}

/** The first news comes soon; what follows within the hour waits, untold, and is one mail. */
async function mayTell(
  deps: Pick<Context, 'config' | 'clock'> & { db: Trx },
  subject: string,
): Promise<boolean> {
  return (await claimTry(deps, { key: `notice:${subject}`, limit: 1, windowMs: HOUR_MS })) === undefined;
}

/** A clock that is set back leaves events in the future: they are fresh. */
function keepFresh<Event extends { happenedAt: number }>(events: Event[], now: number): Event[] {
  return events.filter(({ happenedAt }) => now - happenedAt <= STALE_AFTER_MS);
}

function listOpeners(trx: Trx, transferId: string, views: { happenedAt: number }[]): Promise<string[]> {
  const instants = views.map(({ happenedAt }) => happenedAt);
  const from = instants.reduce((least, each) => Math.min(least, each));
  const to = instants.reduce((most, each) => Math.max(most, each)) + SAME_VISIT_MS;
  return listEmailsOfOpeners(trx, transferId, { from, to });
}

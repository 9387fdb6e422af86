import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../contracts/values/durations.ts';
import type { Context } from '../../context.ts';
import type { Db, Trx } from '../../platform/db/open.ts';
import { repeatInBatches } from '../../platform/db/queries/batches.ts';
import { listDistinct } from '../../platform/db/queries/walk.ts';
import { claimWithinLimit } from '../../platform/http/limits/rate-limits.ts';
import type { JobRun } from '../../platform/jobs/define-job.ts';
import { enqueueDownloadNotice, enqueueViewNotice } from './emails.ts';
import { findSubject, notifyEach, type Page, toNotice, wantsActivity } from './notices.ts';

/** Older events are not reported: the server was off, or the owner didn't want mail then. */
const STALE_AFTER_MS = DAY_MS;

/** A visit's opening is recorded shortly after its view. */
const SAME_VISIT_MS = MINUTE_MS;

/**
 * Mails owners about newly completed downloads, one mail per transfer. Events are marked even if the owner wants no
 * mail, so that an upgrade doesn't report old ones.
 */
export async function sendDownloadNotices(context: Context, run: Pick<JobRun, 'signal'>): Promise<void> {
  const now = context.clock.now();
  await notifyEach(context, run, {
    list: (page) => listTransfersWithNewDownloads(context.db, page),
    notify: (trx, transferId) => enqueueDownloadNews(trx, context, { transferId, now }),
  });
}

export async function sendViewNotices(context: Context, run: Pick<JobRun, 'signal'>): Promise<void> {
  const now = context.clock.now();
  await notifyEach(context, run, {
    list: (page) => listTransfersWithNewViews(context.db, page),
    notify: async (trx, transferId) => {
      const subject = await findSubject(trx, transferId);
      const isWanted = subject !== undefined && wantsActivity(subject, 'view');
      if (isWanted && !(await claimNotice({ ...context, db: trx }, `views:${transferId}`))) return;
      const fresh = dropStale(await claimNewViews(trx, transferId, now), now);
      if (!isWanted || fresh.length === 0) return;
      await enqueueViewNotice(trx, {
        ...toNotice(context, subject, now),
        views: fresh.length,
        recipients: await listOpeners(trx, transferId, fresh),
      });
    },
  });
}

/** Call it before `removeTransfer`, in the same transaction. */
export function enqueueLastDownloadNotice(trx: Trx, deps: NoticeDeps, transferId: string): Promise<void> {
  return enqueueDownloadNews(trx, deps, { transferId, now: deps.clock.now(), isRemoved: true });
}

type NoticeDeps = Pick<Context, 'config' | 'secret' | 'clock'>;

async function enqueueDownloadNews(
  trx: Trx,
  deps: NoticeDeps,
  { transferId, now, isRemoved = false }: { transferId: string; now: number; isRemoved?: boolean },
): Promise<void> {
  const subject = await findSubject(trx, transferId);
  const isWanted = subject !== undefined && wantsActivity(subject, 'download');
  if (isWanted && !isRemoved && !(await claimNotice({ ...deps, db: trx }, `downloads:${transferId}`))) return;
  const fresh = dropStale(await claimNewDownloads(trx, transferId, now), now);
  if (!isWanted || fresh.length === 0) return;
  const ids = new Set(fresh.flatMap(({ recipientId }) => recipientId ?? []));
  await enqueueDownloadNotice(trx, {
    ...toNotice(deps, subject, now),
    isRemoved,
    downloads: fresh.length,
    recipients: await listEmailsOfRecipients(trx, [...ids]),
  });
}

/** At most one mail per hour; later events wait unmarked for the next one. */
async function claimNotice(
  deps: Pick<Context, 'config' | 'clock'> & { db: Trx },
  subject: string,
): Promise<boolean> {
  return (
    (await claimWithinLimit(deps, { key: `notice:${subject}`, limit: 1, windowMs: HOUR_MS })) === undefined
  );
}

/** Keeps events with a future timestamp, which exist after the clock was set back. */
function dropStale<Event extends { happenedAt: number }>(events: Event[], now: number): Event[] {
  return events.filter(({ happenedAt }) => now - happenedAt <= STALE_AFTER_MS);
}

function listOpeners(trx: Trx, transferId: string, views: { happenedAt: number }[]): Promise<string[]> {
  const instants = views.map(({ happenedAt }) => happenedAt);
  const from = instants.reduce((least, each) => Math.min(least, each));
  const to = instants.reduce((most, each) => Math.max(most, each)) + SAME_VISIT_MS;
  return listEmailsOfOpeners(trx, transferId, { from, to });
}

async function listTransfersWithNewDownloads(db: Db, { after, limit }: Page): Promise<string[]> {
  return listDistinct({ after, limit }, async (previous) => {
    const row = await db
      .selectFrom('downloads')
      .select('transferId')
      .where('noticedAt', 'is', null)
      .where('completedAt', 'is not', null)
      .where('transferId', '>', previous)
      .orderBy('transferId')
      .limit(1)
      .executeTakeFirst();
    return row?.transferId;
  });
}

/** Returns each download only once. */
export async function claimNewDownloads(trx: Trx, transferId: string, now: number) {
  const claimed: { happenedAt: number; recipientId: string | null }[] = [];
  await repeatInBatches(async (limit) => {
    const rows = await trx
      .updateTable('downloads')
      .set({ noticedAt: now })
      .where('id', 'in', (eb) =>
        eb
          .selectFrom('downloads')
          .select('id')
          .where('transferId', '=', transferId)
          .where('noticedAt', 'is', null)
          .where('completedAt', 'is not', null)
          .limit(limit),
      )
      .where('noticedAt', 'is', null)
      .returning(['completedAt', 'recipientId'])
      .execute();
    for (const { completedAt, recipientId } of rows) claimed.push({ happenedAt: completedAt!, recipientId });
    return rows.length;
  });
  return claimed;
}

async function listTransfersWithNewViews(db: Db, { after, limit }: Page): Promise<string[]> {
  return listDistinct({ after, limit }, async (previous) => {
    const row = await db
      .selectFrom('transferViews')
      .select('transferId')
      .where('noticedAt', 'is', null)
      .where('transferId', '>', previous)
      .orderBy('transferId')
      .limit(1)
      .executeTakeFirst();
    return row?.transferId;
  });
}

/** Returns each view only once. */
async function claimNewViews(trx: Trx, transferId: string, now: number) {
  const claimed: { happenedAt: number }[] = [];
  await repeatInBatches(async (limit) => {
    const rows = await trx
      .updateTable('transferViews')
      .set({ noticedAt: now })
      .where('id', 'in', (eb) =>
        eb
          .selectFrom('transferViews')
          .select('id')
          .where('transferId', '=', transferId)
          .where('noticedAt', 'is', null)
          .limit(limit),
      )
      .where('noticedAt', 'is', null)
      .returning('viewedAt as happenedAt')
      .execute();
    for (const row of rows) claimed.push(row);
    return rows.length;
  });
  return claimed;
}

async function listEmailsOfRecipients(trx: Trx, ids: string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const rows = await trx
    .selectFrom('transferRecipients')
    .select('email')
    .where('id', 'in', ids)
    .orderBy('emailKey')
    .execute();
  return rows.map(({ email }) => email);
}

async function listEmailsOfOpeners(
  trx: Trx,
  transferId: string,
  { from, to }: { from: number; to: number },
): Promise<string[]> {
  const rows = await trx
    .selectFrom('transferRecipients')
    .select('email')
    .where('transferId', '=', transferId)
    .where('openedAt', '>=', from)
    .where('openedAt', '<=', to)
    .orderBy('emailKey')
    .execute();
  return rows.map(({ email }) => email);
}

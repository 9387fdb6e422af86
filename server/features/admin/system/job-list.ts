import { ADMIN_PAGE_MAX } from '../../../../contracts/admin/pages.ts';
import type { AdminJob } from '../../../../contracts/admin/system.ts';
import type { Context } from '../../../context.ts';
import type { Db } from '../../../platform/db/open.ts';
import type { JobRow } from '../../../platform/db/schema.ts';
import { transaction } from '../../../platform/db/transaction.ts';
import { retryJob as reviveJob } from '../../../platform/jobs/queue.ts';
import { toIso } from '../../../platform/lib/clock.ts';
import { type By, recordAct } from '../audit.ts';

export async function listJobs({ db, clock }: Pick<Context, 'db' | 'clock'>): Promise<AdminJob[]> {
  const now = clock.now();
  const failed = await selectFailedJobs(db, ADMIN_PAGE_MAX);
  const rest = ADMIN_PAGE_MAX - failed.length;
  const live = rest > 0 ? await selectLiveJobs(db, { now, limit: rest }) : [];
  return [...failed, ...live].map((job) => presentJob(job, now));
}

export async function retryJob({ db }: Context, { id, by }: { id: string; by: By }): Promise<AdminJob> {
  const job = await transaction(db, async (trx) => {
    const revived = await reviveJob(trx, id, by.at);
    await recordAct(trx, { ...by, action: 'job.retry', subject: revived.name, subjectId: id });
    return revived;
  });
  return presentJob(job, by.at);
}

function presentJob(job: ShownJob, now: number): AdminJob {
  return {
    id: job.id,
    name: job.name,
    state: stateOf(job, now),
    attempts: job.attempts,
    // Zero means "immediately".
    runAt: toIso(Math.max(job.runAt, job.createdAt)),
    createdAt: toIso(job.createdAt),
    reason: job.lastError,
  };
}

function stateOf({ failedAt, leasedUntil }: ShownJob, now: number): AdminJob['state'] {
  if (failedAt !== null) return 'failed';
  return leasedUntil !== null && leasedUntil >= now ? 'running' : 'waiting';
}

const SHOWN = [
  'id',
  'name',
  'attempts',
  'runAt',
  'createdAt',
  'leasedUntil',
  'lastError',
  'failedAt',
] as const satisfies (keyof JobRow)[];
/** The payload is left out because it contains tokens. */
type ShownJob = Pick<JobRow, (typeof SHOWN)[number]>;

function selectFailedJobs(db: Db, limit: number): Promise<ShownJob[]> {
  return db
    .selectFrom('jobs')
    .select(SHOWN)
    .where('failedAt', 'is not', null)
    .orderBy('failedAt', 'desc')
    .orderBy('id')
    .limit(limit)
    .execute();
}

async function selectLiveJobs(db: Db, { now, limit }: { now: number; limit: number }): Promise<ShownJob[]> {
  const live = db.selectFrom('jobs').select(SHOWN).where('failedAt', 'is', null).limit(limit);
  const running = await live.where('leasedUntil', '>=', now).orderBy('runAt').orderBy('id').execute();
  const waiting = await live
    .where((eb) => eb.or([eb('leasedUntil', 'is', null), eb('leasedUntil', '<', now)]))
    .orderBy('runAt')
    .orderBy('createdAt')
    .orderBy('id')
    .execute();
  return [...running, ...waiting].slice(0, limit);
}

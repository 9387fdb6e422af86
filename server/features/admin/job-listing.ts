import { ADMIN_PAGE_MAX } from '../../../contracts/admin/pages.ts';
import type { AdminJob } from '../../../contracts/admin/system.ts';
import type { Context } from '../../context.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { retryJob as reviveJob } from '../../platform/jobs/retrying.ts';
import { toIso } from '../../platform/lib/clock.ts';
import { type By, noteAct } from './audit.ts';
import { type ShownJob, selectFailedJobs, selectLiveJobs } from './job-queries.ts';

/** Failures first, then what runs, then what waits: 200 in all. */
export async function listJobs({ db, clock }: Pick<Context, 'db' | 'clock'>): Promise<AdminJob[]> {
  const now = clock.now();
  const failed = await selectFailedJobs(db, ADMIN_PAGE_MAX);
  const rest = ADMIN_PAGE_MAX - failed.length;
  const live = rest > 0 ? await selectLiveJobs(db, { now, limit: rest }) : [];
  return [...failed, ...live].map((job) => presentJob(job, now));
}

/** Has a job that was given up run once more. Throws AppError `job_not_found`, `conflict`. */
export async function retryJob({ db }: Context, { id, by }: { id: string; by: By }): Promise<AdminJob> {
  const job = await transaction(db, async (trx) => {
    const revived = await reviveJob(trx, id, by.at);
    await noteAct(trx, { ...by, action: 'job.retry', subject: revived.name, subjectId: id });
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
    // "At once" is stored as zero.
    runAt: toIso(Math.max(job.runAt, job.createdAt)),
    createdAt: toIso(job.createdAt),
    reason: job.lastError,
  };
}

function stateOf({ failedAt, leasedUntil }: ShownJob, now: number): AdminJob['state'] {
  if (failedAt !== null) return 'failed';
  return leasedUntil !== null && leasedUntil >= now ? 'running' : 'waiting';
}

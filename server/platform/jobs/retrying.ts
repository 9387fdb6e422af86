import type { Trx } from '../db/open.ts';
import type { Instant, JobRow } from '../db/schema.ts';
import { AppError } from '../lib/app-error.ts';
import { wakeAfterCommit } from './queue.ts';

/**
 * Has a job that was given up run once more, with all its tries. Of several who ask at once one succeeds. Throws AppError `job_not_found`, `conflict` (it was not given up).
 */
export async function retryJob(trx: Trx, jobId: string, now: Instant): Promise<JobRow> {
  const revived = await trx
    .updateTable('jobs')
    .set({ failedAt: null, lastError: null, attempts: 0, runAt: now, leaseId: null, leasedUntil: null })
    .where('id', '=', jobId)
    .where('failedAt', 'is not', null)
    .returningAll()
    .executeTakeFirst();
  if (revived) {
    wakeAfterCommit(trx);
    return revived;
  }
  const job = await trx.selectFrom('jobs').select('id').where('id', '=', jobId).executeTakeFirst();
  if (!job) throw new AppError('job_not_found');
  throw new AppError('conflict', { message: 'This job has not been given up.' });
}

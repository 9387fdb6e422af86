import type { Context } from '../../context.ts';
import type { JobRun } from '../../platform/jobs/define-job.ts';
import { claimUntoldBlocked, listUntoldBlocked } from './blocked-file-queries.ts';
import { enqueueBlockedNotice } from './emails.ts';
import { findSubject } from './queries.ts';
import { toNotice } from './subject.ts';
import { tellOfEach } from './walk.ts';

/**
 * Tells owners which files of a transfer are infected or were taken down: one mail for all that were found since the
 * last, each file once. No setting turns it off, because nobody can download such a transfer.
 */
export async function tellOfBlockedFiles(context: Context, run: Pick<JobRun, 'signal'>): Promise<void> {
  const now = context.clock.now();
  await tellOfEach(context, run, {
    list: (page) => listUntoldBlocked(context.db, page),
    tell: async (trx, transferId) => {
      const blocked = await claimUntoldBlocked(trx, transferId, now);
      const subject = await findSubject(trx, transferId);
      if (blocked.length === 0 || !subject?.emailVerified) return;
      const { receivedFrom } = subject;
      await enqueueBlockedNotice(trx, { ...toNotice(context, subject, now), blocked, receivedFrom });
    },
  });
}

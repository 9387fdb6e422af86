import { z } from 'zod';
import type { Context } from '../../context.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { defineJob } from '../../platform/jobs/define-job.ts';
import { HOUR_MS } from '../../platform/lib/clock.ts';
import { enqueueAccountRemoval, removeAccountJob } from './deletion.ts';
import { listDeletedUsers } from './queries.ts';

/** A removal that was given up (the database was down for days) begins anew. */
const resumeAccountRemovals = defineJob<Context, object>({
  name: 'resume-account-removals',
  payload: z.object({}),
  every: HOUR_MS,
  async run({ db }) {
    const ids = await listDeletedUsers(db);
    for (const id of ids) await transaction(db, (trx) => enqueueAccountRemoval(trx, id));
  },
});

export const accountDeletionJobs = [removeAccountJob, resumeAccountRemovals];

import { z } from 'zod';
import { DAY_MS } from '../../../contracts/values/durations.ts';
import type { Context } from '../../context.ts';
import type { Trx } from '../../platform/db/open.ts';
import type { Instant } from '../../platform/db/schema/column-types.ts';
import { SWEEP_INTERVAL_MS } from '../../platform/jobs/clock-guard.ts';
import { defineJob, type JobRun } from '../../platform/jobs/define-job.ts';
import { ensurePeriodicJobs } from '../../platform/jobs/queue.ts';
import { listKeysWithParts, removePartNotes } from '../../platform/storage/s3/part-notes.ts';
import { settleArrivalsJob } from './arriving/stopped-arrivals.ts';
import { removeReplacedBlobJob } from './core/repairs.ts';
import { findCompleteKeys } from './sweep/queries.ts';
import { sweepUploads } from './sweep/sweep.ts';

const sweepUploadsJob = defineJob<Context, object>({
  name: 'sweep-uploads',
  payload: z.object({}),
  every: SWEEP_INTERVAL_MS,
  run: sweepUploads,
});

export function enqueueSweep(trx: Trx, now: Instant): Promise<void> {
  return ensurePeriodicJobs(trx, [{ name: sweepUploadsJob.name, latest: now }], { runAt: now, now });
}

const KEYS_AT_ONCE = 100;

/** A completion that is repeated after a crash still needs these records. */
const KEEP_PART_NOTES_MS = DAY_MS;

const sweepPartNotesJob = defineJob<Context, object>({
  name: 'sweep-part-notes',
  payload: z.object({}),
  every: SWEEP_INTERVAL_MS,
  oneAtATime: true,
  run: sweepPartNotes,
});

/** A transfer of 5 TB leaves a million rows. Keeps those that an open upload needs to resume. */
async function sweepPartNotes(
  { db, clock, log }: Context,
  _payload: object,
  { signal }: JobRun,
): Promise<void> {
  let removed = 0;
  for (let afterKey = ''; !signal.aborted; ) {
    const keys = await listKeysWithParts(db, afterKey, KEYS_AT_ONCE);
    if (keys.length === 0) break;
    const complete = await findCompleteKeys(db, keys, clock.now() - KEEP_PART_NOTES_MS);
    for (const key of complete) removed += await removePartNotes(db, key);
    afterKey = keys.at(-1)!;
  }
  if (removed > 0) log.info({ parts: removed }, 'Removed the part notes of complete files.');
}

export const uploadJobs = [sweepUploadsJob, settleArrivalsJob, sweepPartNotesJob, removeReplacedBlobJob];

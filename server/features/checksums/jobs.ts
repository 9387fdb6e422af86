import { z } from 'zod';
import { DAY_MS, MINUTE_MS } from '../../../contracts/values/durations.ts';
import type { Context } from '../../context.ts';
import { SWEEP_INTERVAL_MS } from '../../platform/jobs/clock-guard.ts';
import { defineJob } from '../../platform/jobs/define-job.ts';
import { checkFilesJob, enqueueForgottenChecks } from './check-files.ts';
import { checkPictures } from './pictures.ts';
import { scrub } from './scrub.ts';

const checkForgottenFilesJob = defineJob<Context, object>({
  name: 'check-forgotten-files',
  payload: z.object({}),
  every: SWEEP_INTERVAL_MS,
  run: enqueueForgottenChecks,
});

/** Runs in one process at a time because the job is leased. */
const scrubJob = defineJob<Context, object>({
  name: 'scrub-storage',
  payload: z.object({}),
  every: MINUTE_MS,
  ownPlaces: 1,
  run: (context, _payload, run) => scrub(context, run),
});

const checkPicturesJob = defineJob<Context, object>({
  name: 'check-pictures',
  payload: z.object({}),
  every: 7 * DAY_MS,
  oneAtATime: true,
  run: (context, _payload, run) => checkPictures(context, run),
});

export const checksumJobs = [checkFilesJob, checkForgottenFilesJob, scrubJob, checkPicturesJob];

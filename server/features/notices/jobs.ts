import { z } from 'zod';
import { MINUTE_MS } from '../../../contracts/values/durations.ts';
import type { Context } from '../../context.ts';
import { defineJob, type Job } from '../../platform/jobs/define-job.ts';
import { sendDownloadNotices, sendViewNotices } from './activity-notices.ts';
import { sendBlockedFileNotices } from './blocked-notices.ts';
import { sendDamageNotices } from './damage-notices.ts';
import { sendExpiryNotices, sendReminders } from './expiry-notices.ts';

/** Events of a transfer within this time go into one mail. */
const NOTICE_INTERVAL_MS = 5 * MINUTE_MS;

export const noticeJobs = [
  defineNoticeJob('tell-of-downloads', sendDownloadNotices),
  defineNoticeJob('tell-of-views', sendViewNotices),
  defineNoticeJob('tell-of-expiry', sendExpiryNotices),
  defineNoticeJob('remind-of-ending', sendReminders),
  defineNoticeJob('tell-of-damage', sendDamageNotices),
  defineNoticeJob('tell-of-blocked-files', sendBlockedFileNotices),
];

function defineNoticeJob(
  name: string,
  notify: (context: Context, run: { signal: AbortSignal }) => Promise<void>,
): Job<Context, object> {
  return defineJob<Context, object>({
    name,
    payload: z.object({}),
    every: NOTICE_INTERVAL_MS,
    run: (context, _payload, run) => notify(context, run),
  });
}

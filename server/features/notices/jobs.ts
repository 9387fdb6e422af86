import { z } from 'zod';
import type { Context } from '../../context.ts';
import { defineJob, type Job } from '../../platform/jobs/define-job.ts';
import { MINUTE_MS } from '../../platform/lib/clock.ts';
import { tellOfDownloads, tellOfViews } from './activity.ts';
import { tellOfBlockedFiles } from './blocked-files.ts';
import { tellOfDamage } from './damage.ts';
import { remindOfEnding, tellOfExpiry } from './endings.ts';

/** Everything that happens to a transfer within this time is told in one mail. */
const NOTICE_INTERVAL_MS = 5 * MINUTE_MS;

export const noticeJobs = [
  defineNoticeJob('tell-of-downloads', tellOfDownloads),
  defineNoticeJob('tell-of-views', tellOfViews),
  defineNoticeJob('tell-of-expiry', tellOfExpiry),
  defineNoticeJob('remind-of-ending', remindOfEnding),
  defineNoticeJob('tell-of-damage', tellOfDamage),
  defineNoticeJob('tell-of-blocked-files', tellOfBlockedFiles),
];

function defineNoticeJob(
  name: string,
  tell: (context: Context, run: { signal: AbortSignal }) => Promise<void>,
): Job<Context, object> {
  return defineJob<Context, object>({
    name,
    payload: z.object({}),
    every: NOTICE_INTERVAL_MS,
    run: (context, _payload, run) => tell(context, run),
  });
}

import type { AppContext, Context } from './context.ts';
import { accountDeletionJobs } from './features/account-deletion/jobs.ts';
import { accountRecoveryJobs } from './features/account-recovery/jobs.ts';
import { accountJobs } from './features/accounts/jobs.ts';
import { adminJobs } from './features/admin/jobs.ts';
import { adJobs } from './features/ads/index.ts';
import { analyticsJobs } from './features/analytics/jobs.ts';
import { apiKeyJobs } from './features/api-keys/jobs.ts';
import { backgroundJobs } from './features/backgrounds/index.ts';
import { billingJobs } from './features/billing/jobs.ts';
import { checksumJobs } from './features/checksums/jobs.ts';
import { downloadJobs } from './features/downloads/index.ts';
import { invitationJobs } from './features/invitations/jobs.ts';
import { noticeJobs } from './features/notices/jobs.ts';
import { pickupJobs } from './features/pickup/jobs.ts';
import { previewJobs } from './features/previews/index.ts';
import { pushJobs } from './features/push/jobs.ts';
import { registrationJobs } from './features/registration/jobs.ts';
import { scanningJobs } from './features/scanning/jobs.ts';
import { transferJobs } from './features/transfers/jobs.ts';
import { uploadJobs } from './features/uploads/jobs.ts';
import { webhookJobs } from './features/webhooks/jobs.ts';
import { checkClockJob } from './platform/jobs/clock-guard.ts';
import type { Job } from './platform/jobs/define-job.ts';
import { onJobsDue } from './platform/jobs/queue.ts';
import { createWorkerLoop, type WorkerLoop } from './platform/jobs/worker-loop.ts';
import { runOutsideRequests } from './platform/lib/logging/request-scope.ts';
import { sweepMails } from './platform/mail/outbox.ts';
import { sendKeptMails, sendMail } from './platform/mail/send-mail.ts';

export function createWorker(context: AppContext): WorkerLoop<Context> {
  const jobs = [
    checkClockJob,
    sendMail,
    sendKeptMails,
    sweepMails,
    ...registrationJobs,
    ...accountJobs,
    ...apiKeyJobs,
    ...backgroundJobs,
    ...checksumJobs,
    ...previewJobs,
    ...webhookJobs,
    ...accountRecoveryJobs,
    ...pushJobs,
    ...transferJobs,
    ...pickupJobs,
    ...scanningJobs,
    ...invitationJobs,
    ...analyticsJobs,
    ...uploadJobs,
    ...downloadJobs,
    ...noticeJobs,
    ...billingJobs,
    ...accountDeletionJobs,
    ...adminJobs,
    ...adJobs,
  ];
  const { db, clock, log, metrics } = context;
  const loop = createWorkerLoop<Context>({
    db,
    clock,
    log,
    context,
    jobs: jobs as Job<Context, unknown>[],
    metrics,
  });
  onJobsDue(db, () => runOutsideRequests(() => loop.wake()));
  return loop;
}

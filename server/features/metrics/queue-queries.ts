import type { Db } from '../../platform/db/open.ts';

export type QueueState = {
  /** `scheduled` runs later, `due` waits for a worker, `failed` has no retries left. */
  jobs: { scheduled: number; due: number; running: number; failed: number };
  /** Milliseconds; 0 without a due job. */
  oldestDueMs: number;
  mails: { queued: number; failed: number };
};

export async function readQueueState(db: Db, now: number): Promise<QueueState> {
  const [jobs, mails] = await Promise.all([readJobs(db, now), readMails(db)]);
  return { ...jobs, mails };
}

/** Reads the whole table, which is small: finished jobs have no rows. */
async function readJobs(db: Db, now: number): Promise<Pick<QueueState, 'jobs' | 'oldestDueMs'>> {
  const rows = await db
    .selectFrom('jobs')
    .select(({ eb, fn }) => [
      eb
        .case()
        .when('failedAt', 'is not', null)
        .then('failed')
        .when('leasedUntil', '>=', now)
        .then('running')
        .when('runAt', '<=', now)
        .then('due')
        .else('scheduled')
        .end()
        .as('state'),
      fn.countAll<number>().as('count'),
      // `runAt` is 0 for jobs that are due immediately.
      fn
        .min(eb.case().when('runAt', '>', 0).then(eb.ref('runAt')).else(eb.ref('createdAt')).end())
        .as('oldest'),
    ])
    .groupBy('state')
    .execute();
  const jobs = { scheduled: 0, due: 0, running: 0, failed: 0 };
  for (const { state, count } of rows) jobs[state as keyof typeof jobs] = Number(count);
  const oldest = rows.find(({ state }) => state === 'due')?.oldest;
  return { jobs, oldestDueMs: oldest === undefined ? 0 : Math.max(0, now - Number(oldest)) };
}

async function readMails(db: Db): Promise<QueueState['mails']> {
  const rows = await db
    .selectFrom('mails')
    .select(({ fn }) => ['state', fn.countAll<number>().as('count')])
    .where('state', 'in', ['queued', 'failed'])
    .groupBy('state')
    .execute();
  const mails = { queued: 0, failed: 0 };
  for (const { state, count } of rows) mails[state as keyof typeof mails] = Number(count);
  return mails;
}

import { SECOND_MS } from '../../../contracts/values/durations.ts';
import { type Db, isSqlite, type Trx } from '../db/open.ts';
import type { Instant } from '../db/schema/column-types.ts';
import type { JobRow } from '../db/schema.ts';
import { afterCommit, databaseOf } from '../db/transaction.ts';
import { AppError } from '../lib/app-error.ts';
import { systemClock } from '../lib/clock.ts';
import { randomId } from '../lib/tokens.ts';
import { hasNoRemovalHold } from '../storage/installation/removal-hold.ts';
import type { Job } from './define-job.ts';

/** The worker loop renews leases three times as often. */
export const LEASE_MS = 60 * SECOND_MS;

const ROWS_PER_STATEMENT = 500;

/** A longer lease was written while the clock was wrong, and counts as ended. */
const LONGEST_LEASE_MS = 2 * LEASE_MS;

type EnqueueOptions = {
  runAt?: Instant;
  /**
   * At most one waiting job per key: enqueued again, it keeps the earlier start and gets the new payload.
   * Enqueued while running, it reruns afterwards, never concurrently. A job that was given up is revived.
   */
  uniqueKey?: string;
  /** For work whose timing must not be observable by the caller. */
  waitsForPoll?: boolean;
};

/** No other process runs it until the lease ends. */
export type ClaimedJob = JobRow & { leaseId: string };

/**
 * The job exists only if the caller's transaction commits. Wakes this process's worker after the commit;
 * others poll once a second.
 */
export async function enqueue<Payload>(
  trx: Trx,
  job: Job<never, Payload>,
  payload: NoInfer<Payload>,
  options: EnqueueOptions = {},
): Promise<void> {
  await enqueueAll(trx, job, [{ payload, ...options }]);
}

type Order<Payload> = EnqueueOptions & { payload: Payload };

/** No two jobs may have the same key. */
export async function enqueueAll<Payload>(
  trx: Trx,
  job: Job<never, Payload>,
  orders: Order<NoInfer<Payload>>[],
): Promise<void> {
  if (orders.some(({ waitsForPoll }) => !waitsForPoll)) wakeAfterCommit(trx);
  const createdAt = systemClock.now();
  const rows = orders.map(({ payload, uniqueKey, runAt = 0 }) => ({
    id: randomId(),
    name: job.name,
    payload: JSON.stringify(payload),
    uniqueKey: uniqueKey === undefined ? null : `${job.name}:${uniqueKey}`,
    runAt,
    createdAt,
  }));
  for (let start = 0; start < rows.length; start += ROWS_PER_STATEMENT) {
    await insertJobs(trx, rows.slice(start, start + ROWS_PER_STATEMENT));
  }
}

/** Returns false if there is no such job, or if it is running. */
export async function cancelWaitingJob(
  trx: Trx,
  job: Pick<Job<never, never>, 'name'>,
  uniqueKey: string,
): Promise<boolean> {
  const { numDeletedRows } = await trx
    .deleteFrom('jobs')
    .where('uniqueKey', '=', `${job.name}:${uniqueKey}`)
    .where('leaseId', 'is', null)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}

const wakes = new WeakMap<Db, () => void>();

/** One worker per database object: a second call replaces the first. */
export function onJobsDue(db: Db, wake: () => void): void {
  wakes.set(db, wake);
}

/** For writers of `jobs` other than `enqueue`. */
function wakeAfterCommit(trx: Trx): void {
  const wake = wakes.get(databaseOf(trx));
  if (wake) afterCommit(trx, wake);
}

type NewJob = Pick<JobRow, 'id' | 'name' | 'payload' | 'uniqueKey' | 'runAt' | 'createdAt'>;

async function insertJobs(trx: Trx, rows: NewJob[]): Promise<void> {
  await trx
    .insertInto('jobs')
    .values(rows)
    .onConflict((conflict) =>
      conflict.column('uniqueKey').doUpdateSet((eb) => ({
        payload: eb.ref('excluded.payload'),
        runAt: eb
          .case()
          .when(
            eb.and([
              eb('jobs.leaseId', 'is', null),
              eb('jobs.failedAt', 'is', null),
              eb('jobs.runAt', '<', eb.ref('excluded.runAt')),
            ]),
          )
          .then(eb.ref('jobs.runAt'))
          .else(eb.ref('excluded.runAt'))
          .end(),
        // A claim counts from 1, so 0 under a lease tells `finishJob` that the job was enqueued again.
        attempts: 0,
        failedAt: null,
        lastError: null,
        createdAt: eb.ref('excluded.createdAt'),
      })),
    )
    .execute();
}

type Claimable = {
  names: readonly string[];
  /** None of these starts while a removal hold is active. */
  removing?: readonly string[];
};

/** Atomic; the longest due first. */
export async function claimJob(
  db: Db,
  { names, removing = [] }: Claimable,
  now: Instant,
): Promise<ClaimedJob | undefined> {
  const leaseId = randomId();
  const row = await db
    .updateTable('jobs')
    .set((eb) => ({ leaseId, leasedUntil: now + LEASE_MS, attempts: eb('attempts', '+', 1) }))
    .where('id', '=', (eb) =>
      eb
        .selectFrom('jobs')
        .select('id')
        .where('failedAt', 'is', null)
        .where('runAt', '<=', now)
        .where('name', 'in', names)
        .$if(removing.length > 0, (query) =>
          query.where((or) => or.or([or('name', 'not in', removing), hasNoRemovalHold(eb as never, now)])),
        )
        .where((or) =>
          or.or([
            or('leasedUntil', 'is', null),
            or('leasedUntil', '<', now),
            or('leasedUntil', '>', now + LONGEST_LEASE_MS),
          ]),
        )
        .orderBy('runAt')
        .orderBy('createdAt')
        .limit(1)
        .$if(!isSqlite(db), (query) => query.forUpdate().skipLocked()),
    )
    .returningAll()
    .executeTakeFirst();
  return row && { ...row, leaseId };
}

/** False if another process has claimed the job. */
export async function renewLease(db: Db, job: ClaimedJob, now: Instant): Promise<boolean> {
  const { numUpdatedRows } = await ownedBy(db, job)
    .set({ leasedUntil: now + LEASE_MS })
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** Keeps the row if the job was enqueued again while it ran. */
export async function finishJob(db: Db, job: ClaimedJob): Promise<void> {
  const { numDeletedRows } = await db
    .deleteFrom('jobs')
    .where('id', '=', job.id)
    .where('leaseId', '=', job.leaseId)
    .where('attempts', '>', 0)
    .executeTakeFirstOrThrow();
  if (numDeletedRows === 0n) await releaseLease(db, job);
}

export async function failJob(
  db: Db,
  job: ClaimedJob,
  outcome: { retryAt: Instant | undefined; reason: string; now: Instant },
): Promise<void> {
  const { retryAt, reason, now } = outcome;
  const { numUpdatedRows } = await ownedBy(db, job)
    .set({
      leaseId: null,
      leasedUntil: null,
      lastError: reason,
      ...(retryAt === undefined ? { failedAt: now } : { runAt: retryAt }),
    })
    .where('attempts', '>', 0)
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n) await releaseLease(db, job);
}

async function releaseLease(db: Db, job: ClaimedJob): Promise<void> {
  await ownedBy(db, job).set({ leaseId: null, leasedUntil: null }).execute();
}

export async function postponeJob(
  db: Db,
  job: ClaimedJob,
  { runAt, reason }: { runAt: Instant; reason: string | null },
): Promise<void> {
  await ownedBy(db, job)
    .set({ leaseId: null, leasedUntil: null, runAt, lastError: reason, attempts: 0 })
    .execute();
}

/** Inserts missing rows, and moves those to `runAt` that are due after the `latest` of their job. */
export async function ensurePeriodicJobs(
  db: Db | Trx,
  jobs: { name: string; latest: Instant }[],
  { runAt, now }: { runAt: Instant; now: Instant },
): Promise<void> {
  if (jobs.length === 0) return;
  const inOrder = jobs.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const groups = [...Map.groupBy(inOrder, ({ latest }) => latest)];
  await db
    .insertInto('jobs')
    // All processes lock the rows in the same order.
    .values(
      inOrder.map(({ name }) => ({
        id: randomId(),
        name,
        payload: '{}',
        uniqueKey: name,
        runAt,
        createdAt: now,
      })),
    )
    .onConflict((conflict) =>
      conflict
        .column('uniqueKey')
        .doUpdateSet({ runAt })
        .where((eb) =>
          eb.or(
            groups.map(([latest, group]) =>
              eb('jobs.runAt', '>', latest).and(
                'jobs.name',
                'in',
                group.map(({ name }) => name),
              ),
            ),
          ),
        ),
    )
    .execute();
}

function ownedBy(db: Db, job: ClaimedJob) {
  return db.updateTable('jobs').where('id', '=', job.id).where('leaseId', '=', job.leaseId);
}

/**
 * Restores all attempts. Only one of several concurrent calls succeeds. Throws AppError `job_not_found`,
 * `conflict` (it was not given up).
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

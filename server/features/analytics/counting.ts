import { setImmediate } from 'node:timers/promises';
import type { Context } from '../../context.ts';
import type { Trx } from '../../platform/db/open.ts';
import type { DownloadsTable } from '../../platform/db/schema.ts';
import { transaction } from '../../platform/db/transaction.ts';
import type { Place } from '../../platform/geo/geo.ts';
import type { JobRun } from '../../platform/jobs/define-job.ts';
import { MINUTE_MS } from '../../platform/lib/clock.ts';
import {
  type Batch,
  findOwners,
  listUncountedCompletions,
  listUncountedDownloads,
  listUncountedViews,
  takeCompletions,
  takeDownloads,
  takeViews,
} from './counting-queries.ts';
import { type Happening, toDownload, toView } from './tally.ts';
import { addToTotals } from './totals.ts';

/** Rows per transaction: fewer when they belong to many transfers, each of which costs some statements. */
const SMALLEST_BATCH = 10;
const LARGEST_BATCH = 250;
/** While a transaction runs, everybody else waits for the database. */
const BATCH_MS = 10;

/** A download that is not complete by then is counted as one that was begun; most that are given back are by then. */
const SETTLED_AFTER_MS = 15 * MINUTE_MS;

type Deps = Pick<Context, 'clock' | 'geo'>;

/** Counts one batch and returns how many it took. */
type Count = (trx: Trx, deps: Deps, batch: Batch) => Promise<number>;

/**
 * Adds to the daily totals what they do not hold yet. Each row is marked in the transaction that adds it, and
 * only who marked it adds it: exactly once, whatever crashes and however many do this at the same time.
 */
export async function countAll(
  context: Pick<Context, 'db' | 'clock' | 'geo'>,
  { signal }: Pick<JobRun, 'signal'>,
): Promise<void> {
  const steps: Count[] = [countViews, countSettledDownloads, countCompletions];
  for (const count of steps) await countInBatches(context, count, { signal });
}

/** Counts what is left of a transfer whose row, and all rows with it, is about to go. */
export async function countRestOf(context: Pick<Context, 'db' | 'clock' | 'geo'>, transferId: string) {
  const steps: Count[] = [countViews, countAnyDownloads, countCompletions];
  for (const count of steps) await countInBatches(context, count, { transferId });
}

/** Counts until nothing is left, in transactions whose size adapts to what the ones before took. */
async function countInBatches(
  context: Pick<Context, 'db' | 'clock' | 'geo'>,
  count: Count,
  { signal, ...batch }: { transferId?: string; signal?: AbortSignal },
): Promise<void> {
  for (let limit = SMALLEST_BATCH; !signal?.aborted; ) {
    let milliseconds = 0;
    const taken = await transaction(context.db, async (trx) => {
      const startedAt = performance.now();
      const counted = await count(trx, context, { ...batch, limit });
      milliseconds = performance.now() - startedAt;
      return counted;
    });
    if (taken === 0) return;
    const fitting = limit * Math.min(2, BATCH_MS / milliseconds);
    limit = Math.round(Math.min(LARGEST_BATCH, Math.max(SMALLEST_BATCH, fitting)));
    await setImmediate();
  }
}

/**
 * Takes a download that was given back out of the totals, if they hold it. Takes its row as it was deleted, in
 * the transaction that deleted it.
 */
export async function uncountDownload(trx: Trx, deleted: DownloadRow): Promise<void> {
  if (deleted.countedAt === null) return;
  const completed = deleted.countedCompletedAt === null ? 0 : -1;
  await addOwned(trx, [toDownload(deleted, { downloads: -1, completed })]);
}

type DownloadRow = Omit<DownloadsTable, 'reachedBytes' | 'isReturnable'>;

function countSettledDownloads(trx: Trx, deps: Deps, batch: Batch): Promise<number> {
  return countDownloads(trx, deps, { ...batch, beganUntil: deps.clock.now() - SETTLED_AFTER_MS });
}

function countAnyDownloads(trx: Trx, deps: Deps, batch: Batch): Promise<number> {
  return countDownloads(trx, deps, batch);
}

async function countDownloads(
  trx: Trx,
  { clock, geo }: Deps,
  { beganUntil, ...batch }: Batch & { beganUntil?: number },
): Promise<number> {
  const rows = await listUncountedDownloads(
    trx,
    batch,
    beganUntil === undefined ? undefined : { beganUntil },
  );
  const happenings: Happening[] = [];
  for (const { country, ids } of groupByPlace(rows, (address) => geo.locate(address))) {
    const taken = await takeDownloads(trx, ids, { country, now: clock.now() });
    happenings.push(
      ...taken.map((row) => toDownload(row, { downloads: 1, completed: row.completedAt === null ? 0 : 1 })),
    );
  }
  await addOwned(trx, happenings);
  return happenings.length;
}

async function countCompletions(trx: Trx, _deps: Deps, batch: Batch): Promise<number> {
  const ids = await listUncountedCompletions(trx, batch);
  const taken = ids.length > 0 ? await takeCompletions(trx, ids) : [];
  await addOwned(
    trx,
    taken.map((row) => toDownload(row, { downloads: 0, completed: 1 })),
  );
  return taken.length;
}

async function countViews(trx: Trx, { clock, geo }: Deps, batch: Batch): Promise<number> {
  const rows = await listUncountedViews(trx, batch);
  const happenings: Happening[] = [];
  for (const { country, city, ids } of groupByPlace(rows, (address) => geo.locate(address))) {
    const taken = await takeViews(trx, ids, { country, city, now: clock.now() });
    happenings.push(...taken.map(toView));
  }
  await addOwned(trx, happenings);
  return happenings.length;
}

/** A transfer that is gone has no totals either. */
async function addOwned(trx: Trx, happenings: Happening[]): Promise<void> {
  if (happenings.length === 0) return;
  const owners = await findOwners(trx, [...new Set(happenings.map(({ transferId }) => transferId))]);
  const owned = happenings.flatMap((happening) => {
    const userId = owners.get(happening.transferId);
    return userId === undefined ? [] : { ...happening, userId };
  });
  await addToTotals(trx, owned);
}

type Located = { id: string; ipAddress: string | null };

/** One statement marks all that come from one place; in one order for all. */
function groupByPlace(
  rows: Located[],
  locate: (address: string | null) => Place,
): (Place & { ids: string[] })[] {
  const places = rows.map(({ id, ipAddress }) => ({ id, place: locate(ipAddress) }));
  const keyOf = ({ country, city }: Place) => `${country ?? ''} ${city ?? ''}`;
  return [...Map.groupBy(places, ({ place }) => keyOf(place))]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([, group]) => ({ ...group[0]!.place, ids: group.map(({ id }) => id).toSorted() }));
}

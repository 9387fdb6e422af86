import { setImmediate } from 'node:timers/promises';
import { MINUTE_MS } from '../../../../contracts/values/durations.ts';
import type { Context } from '../../../context.ts';
import type { Trx } from '../../../platform/db/open.ts';
import type { DownloadsTable } from '../../../platform/db/schema/downloads.ts';
import { transaction } from '../../../platform/db/transaction.ts';
import type { Place } from '../../../platform/geo/geo.ts';
import type { JobRun } from '../../../platform/jobs/define-job.ts';
import { type CountedEvent, toDownload, toView } from './tally.ts';
import { addToTotals } from './totals.ts';

/** Rows per transaction. Rows of many transfers need a smaller batch, because each transfer costs some statements. */
const SMALLEST_BATCH = 10;
const LARGEST_BATCH = 250;
/** Target duration of a transaction; other writers wait for it. */
const BATCH_MS = 10;

/** When an incomplete download is counted. Most places that are returned have been returned by then. */
const SETTLED_AFTER_MS = 15 * MINUTE_MS;

type Deps = Pick<Context, 'clock' | 'geo'>;

/** Counts one batch. Returns its number of rows. */
type Count = (trx: Trx, deps: Deps, batch: Batch) => Promise<number>;

/**
 * Adds new views and downloads to the daily totals. Each row is marked in the transaction that adds it, so it is
 * counted exactly once despite crashes and concurrent runs.
 */
export async function countAll(
  context: Pick<Context, 'db' | 'clock' | 'geo'>,
  { signal }: Pick<JobRun, 'signal'>,
): Promise<void> {
  const steps: Count[] = [countViews, countSettledDownloads, countCompletions];
  for (const count of steps) await countInBatches(context, count, { signal });
}

export async function countRestOf(context: Pick<Context, 'db' | 'clock' | 'geo'>, transferId: string) {
  const steps: Count[] = [countViews, countAnyDownloads, countCompletions];
  for (const count of steps) await countInBatches(context, count, { transferId });
}

/**
 * Subtracts a returned download from the totals if they include it. Call it in the transaction that deleted the row.
 */
export async function uncountDownload(trx: Trx, deleted: DownloadRow): Promise<void> {
  if (deleted.countedAt === null) return;
  const completed = deleted.countedCompletedAt === null ? 0 : -1;
  await addOwned(trx, [toDownload(deleted, { downloads: -1, completed })]);
}

type DownloadRow = Omit<DownloadsTable, 'reachedBytes' | 'isReturnable'>;

/** Adapts the batch size to the duration of the previous transaction. */
async function countInBatches(
  context: Pick<Context, 'db' | 'clock' | 'geo'>,
  count: Count,
  { signal, ...batch }: { transferId?: string; signal?: AbortSignal },
): Promise<void> {
  for (let limit = SMALLEST_BATCH; !signal?.aborted; ) {
    let milliseconds = 0;
    const claimed = await transaction(context.db, async (trx) => {
      const startedAt = performance.now();
      const counted = await count(trx, context, { ...batch, limit });
      milliseconds = performance.now() - startedAt;
      return counted;
    });
    if (claimed === 0) return;
    const fitting = limit * Math.min(2, BATCH_MS / milliseconds);
    limit = Math.round(Math.min(LARGEST_BATCH, Math.max(SMALLEST_BATCH, fitting)));
    await setImmediate();
  }
}

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
  const events: CountedEvent[] = [];
  for (const { country, ids } of groupByPlace(rows, (address) => geo.locate(address))) {
    const claimed = await claimDownloads(trx, ids, { country, now: clock.now() });
    events.push(
      ...claimed.map((row) => toDownload(row, { downloads: 1, completed: row.completedAt === null ? 0 : 1 })),
    );
  }
  await addOwned(trx, events);
  return events.length;
}

async function countCompletions(trx: Trx, _deps: Deps, batch: Batch): Promise<number> {
  const ids = await listUncountedCompletions(trx, batch);
  const claimed = ids.length > 0 ? await claimCompletions(trx, ids) : [];
  await addOwned(
    trx,
    claimed.map((row) => toDownload(row, { downloads: 0, completed: 1 })),
  );
  return claimed.length;
}

async function countViews(trx: Trx, { clock, geo }: Deps, batch: Batch): Promise<number> {
  const rows = await listUncountedViews(trx, batch);
  const events: CountedEvent[] = [];
  for (const { country, city, ids } of groupByPlace(rows, (address) => geo.locate(address))) {
    const claimed = await claimViews(trx, ids, { country, city, now: clock.now() });
    events.push(...claimed.map(toView));
  }
  await addOwned(trx, events);
  return events.length;
}

async function addOwned(trx: Trx, events: CountedEvent[]): Promise<void> {
  if (events.length === 0) return;
  const owners = await findOwners(trx, [...new Set(events.map(({ transferId }) => transferId))]);
  const owned = events.flatMap((event) => {
    const userId = owners.get(event.transferId);
    return userId === undefined ? [] : { ...event, userId };
  });
  await addToTotals(trx, owned);
}

type Located = { id: string; ipAddress: string | null };

/** Groups rows so that one statement marks all rows of a place. Sorted, so that concurrent batches can't deadlock. */
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

type Batch = { limit: number; transferId?: string };

type Settled = { beganUntil: number };

function listUncountedDownloads(trx: Trx, { limit, transferId }: Batch, settled?: Settled) {
  return trx
    .selectFrom('downloads')
    .select(['id', 'transferId', 'ipAddress'])
    .where('countedAt', 'is', null)
    .$if(settled !== undefined, (query) =>
      query.where((eb) =>
        eb.or([eb('completedAt', 'is not', null), eb('downloadedAt', '<=', settled!.beganUntil)]),
      ),
    )
    .$if(transferId !== undefined, (query) => query.where('transferId', '=', transferId!))
    .orderBy('transferId')
    .orderBy('downloadedAt')
    .limit(limit)
    .execute();
}

const OF_DOWNLOAD = [
  'transferId',
  'downloadedAt',
  'country',
  'userAgent',
  'fileId',
  'selection',
  'completedAt',
] as const;

/** Returns the downloads that weren't counted yet. */
function claimDownloads(trx: Trx, ids: string[], { country, now }: { country: string | null; now: number }) {
  return trx
    .updateTable('downloads')
    .set((eb) => ({ country, countedAt: now, countedCompletedAt: eb.ref('completedAt') }))
    .where('id', 'in', ids)
    .where('countedAt', 'is', null)
    .returning(OF_DOWNLOAD)
    .execute();
}

async function listUncountedCompletions(trx: Trx, { limit, transferId }: Batch): Promise<string[]> {
  const rows = await trx
    .selectFrom('downloads')
    .select('id')
    .where('countedCompletedAt', 'is', null)
    .where('completedAt', 'is not', null)
    .where('countedAt', 'is not', null)
    .$if(transferId !== undefined, (query) => query.where('transferId', '=', transferId!))
    .orderBy('transferId')
    .orderBy('completedAt')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

function claimCompletions(trx: Trx, ids: string[]) {
  return trx
    .updateTable('downloads')
    .set((eb) => ({ countedCompletedAt: eb.ref('completedAt') }))
    .where('id', 'in', ids)
    .where('countedCompletedAt', 'is', null)
    .where('completedAt', 'is not', null)
    .where('countedAt', 'is not', null)
    .returning(OF_DOWNLOAD)
    .execute();
}

function listUncountedViews(trx: Trx, { limit, transferId }: Batch) {
  return trx
    .selectFrom('transferViews')
    .select(['id', 'transferId', 'ipAddress'])
    .where('countedAt', 'is', null)
    .$if(transferId !== undefined, (query) => query.where('transferId', '=', transferId!))
    .orderBy('transferId')
    .orderBy('viewedAt')
    .limit(limit)
    .execute();
}

function claimViews(
  trx: Trx,
  ids: string[],
  { country, city, now }: { country: string | null; city: string | null; now: number },
) {
  return trx
    .updateTable('transferViews')
    .set({ country, city, countedAt: now })
    .where('id', 'in', ids)
    .where('countedAt', 'is', null)
    .returning(['transferId', 'viewedAt', 'country', 'userAgent', 'referer'])
    .execute();
}

async function findOwners(trx: Trx, transferIds: string[]): Promise<Map<string, string>> {
  const rows = await trx
    .selectFrom('transfers')
    .select(['id', 'userId'])
    .where('id', 'in', transferIds)
    .execute();
  return new Map(rows.map(({ id, userId }) => [id, userId]));
}

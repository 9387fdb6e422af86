import type { Trx } from '../../../platform/db/open.ts';
import type { Geo } from '../../../platform/geo/geo.ts';
import { dayOf } from '../../../platform/lib/clock.ts';
import {
  ALL_FILES,
  addToTransfer,
  addToUser,
  type CountedEvent,
  type Counts,
  Tally,
  toDownload,
  toView,
} from '../totals/tally.ts';
import type { Days } from './day-range.ts';
import {
  listMostReferers,
  listTailOfCompletions,
  listTailOfDownloads,
  listTailOfViews,
  listTotalsByDay,
  listTotalsByValue,
  listZipsByDay,
  type Subject,
} from './report-queries.ts';

export type History = {
  byDay: Map<string, Counts>;
  zipsByDay: Map<string, Counts>;
  countries: Map<string, Counts>;
  devices: Map<string, Counts>;
  referers: Map<string, Counts>;
  /** Only for one transfer. Keys as in TransferTotalsTable. */
  files: Map<string, Counts>;
  /** Only for a user: uncounted rows by transfer. */
  recentTransfers: Map<string, Counts>;
};

export const NO_COUNTS: Counts = { views: 0, downloads: 0, completed: 0 };

/** Adds uncounted rows to the totals. Call it in a snapshot, so that all queries see the same state. */
export async function readHistory(
  trx: Trx,
  geo: Geo,
  { subject, days }: { subject: Subject; days: Days },
): Promise<History> {
  const tail = await readTail(trx, geo, { subject, days });
  const isTransfer = 'transferId' in subject;
  const valuesOf = (dimension: 'country' | 'device' | 'file') =>
    listTotalsByValue(trx, subject, { ...days, dimension });
  return {
    byDay: addUp(keyedByDay(await listTotalsByDay(trx, subject, days)), tail.byDay),
    zipsByDay: addUp(isTransfer ? keyedByDay(await listZipsByDay(trx, subject, days)) : [], tail.zipsByDay),
    countries: addUp(await valuesOf('country'), tail.of('country')),
    devices: addUp(await valuesOf('device'), tail.of('device')),
    referers: addUp(await listMostReferers(trx, subject, days), tail.of('referer')),
    files: addUp(isTransfer ? await valuesOf('file') : [], tail.of('file')),
    recentTransfers: addUp(tail.of('transfer').toSorted((a, b) => b.downloads - a.downloads)),
  };
}

type Keyed = { value: string } & Partial<Counts>;

function addUp(...lists: Keyed[][]): Map<string, Counts> {
  const sums = new Map<string, Counts>();
  for (const { value, views = 0, downloads = 0, completed = 0 } of lists.flat()) {
    const sum = sums.get(value) ?? NO_COUNTS;
    sums.set(value, {
      views: sum.views + views,
      downloads: sum.downloads + downloads,
      completed: sum.completed + completed,
    });
  }
  return sums;
}

async function readTail(trx: Trx, geo: Geo, { subject, days }: { subject: Subject; days: Days }) {
  const tally = new Tally();
  const add = 'transferId' in subject ? addToTransfer : addToUser;
  for (const event of await listTail(trx, geo, subject)) add(tally, event);
  for (const { downloadedAt } of await listTailOfCompletions(trx, subject)) {
    tally.add({ day: dayOf(downloadedAt), dimension: 'all', value: '' }, { ...NO_COUNTS, completed: 1 });
  }
  const rows = tally.rows().filter(({ day }) => day >= days.from && day <= days.to);
  const of = (dimension: string) => rows.filter((row) => row.dimension === dimension);
  return {
    of,
    byDay: keyedByDay(of('all')),
    zipsByDay: keyedByDay(of('file').filter(({ value }) => value === ALL_FILES)),
  };
}

async function listTail(trx: Trx, geo: Geo, subject: Subject): Promise<CountedEvent[]> {
  const views = await listTailOfViews(trx, subject);
  const downloads = await listTailOfDownloads(trx, subject);
  const countryOf = (address: string | null) => geo.locate(address).country;
  return [
    ...views.map((row) => toView({ ...row, country: countryOf(row.ipAddress) })),
    ...downloads.map((row) =>
      toDownload(
        { ...row, country: countryOf(row.ipAddress) },
        { downloads: 1, completed: row.completedAt === null ? 0 : 1 },
      ),
    ),
  ];
}

function keyedByDay<Row extends { day: string }>(rows: Row[]) {
  return rows.map((row) => ({ ...row, value: row.day }));
}

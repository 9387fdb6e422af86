import {
  type Analytics,
  DEVICES,
  type OverallAnalytics,
  type TransferAnalytics,
} from '../../../contracts/analytics.ts';
import type { FileRow, TransferRow } from '../../platform/db/schema.ts';
import { dayOf, toIso } from '../../platform/lib/clock.ts';
import { type History, NONE } from './history.ts';
import { type Days, listDays } from './months.ts';
import { ALL_FILES, type Counts, selectedFile } from './tally.ts';

const REFERERS_TOLD = 50;
const TRANSFERS_TOLD = 20;

/** The days that are told, and how many the plan would tell. */
export type Range = Days & { longestDays: number };

export function presentAnalytics(history: History, { from, to, longestDays }: Range): Analytics {
  const days = listDays({ from, to }).map((date) => ({ date, ...(history.byDay.get(date) ?? NONE) }));
  const totals = days.reduce(addCounts, NONE);
  const { completed, downloads } = totals;
  return {
    from,
    to,
    longestDays,
    totals: { ...totals, completionRate: downloads === 0 ? null : completed / downloads },
    days,
    countries: told(history.countries)
      .map(([country, counts]) => ({ country, ...counts }))
      .toSorted((a, b) => b.downloads + b.views - (a.downloads + a.views) || compare(a.country, b.country)),
    referers: told(history.referers)
      .map(([referer, { views }]) => ({ referer, views }))
      .toSorted((a, b) => b.views - a.views || compare(a.referer, b.referer))
      .slice(0, REFERERS_TOLD),
    devices: DEVICES.map((device) => ({ device, ...(history.devices.get(device) ?? NONE) })),
  };
}

type ListedFile = Pick<FileRow, 'id' | 'relativePath' | 'position' | 'uploadedAt' | 'zipBase'>;

/** A file was in the zips since it joined: `zipBase` of the transfer's `zipCount` zips were before that. */
export function presentFiles(
  files: ListedFile[],
  { history, zipCount }: { history: History; zipCount: number },
): TransferAnalytics['files'] {
  const zips = history.files.get(ALL_FILES)?.downloads ?? 0;
  const zipsSince = (day: string) =>
    [...history.zipsByDay].reduce((sum, [date, { downloads }]) => sum + (date >= day ? downloads : 0), 0);
  return files.map(({ id, relativePath, position, uploadedAt, zipBase }) => {
    const alone = history.files.get(id)?.downloads ?? 0;
    const selected = history.files.get(selectedFile(position))?.downloads ?? 0;
    const zipped = zipBase === 0 ? zips : Math.min(zipsSince(dayOf(uploadedAt)), zipCount - zipBase);
    return { id, name: relativePath, downloads: alone + selected + Math.max(0, zipped) };
  });
}

type TitledTotals = Pick<TransferRow, 'id' | 'title' | 'createdAt'> & { views: number; downloads: number };

/** `totals` of the transfers with the most, and of those in which something happened since they were counted. */
export function presentTransfers(
  totals: TitledTotals[],
  recent: History['recentTransfers'],
): OverallAnalytics['transfers'] {
  return totals
    .map(({ id, title, createdAt, ...counts }) => {
      const { views, downloads } = addCounts({ completed: 0, ...counts }, recent.get(id) ?? NONE);
      return { id, title, createdAt: toIso(createdAt), views, downloads };
    })
    .filter(({ views, downloads }) => views > 0 || downloads > 0)
    .toSorted((a, b) => b.downloads - a.downloads || b.views - a.views || compare(a.id, b.id))
    .slice(0, TRANSFERS_TOLD);
}

/** What was given back leaves zeros in the totals. */
function told(values: Map<string, Counts>): [string, Counts][] {
  return [...values].filter(([, { views, downloads }]) => views > 0 || downloads > 0);
}

function addCounts(a: Counts, b: Counts): Counts {
  return {
    views: a.views + b.views,
    downloads: a.downloads + b.downloads,
    completed: a.completed + b.completed,
  };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

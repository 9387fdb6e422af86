import {
  ANALYTICS_DAYS,
  ANALYTICS_DEFAULT_DAYS,
  type Analytics,
  DEVICES,
  type OverallAnalytics,
  type TransferAnalytics,
} from '../../../../contracts/analytics.ts';
import type { TierName } from '../../../../contracts/plans/tiers.ts';
import { ENCRYPTION_VERSION } from '../../../../contracts/transfers/encryption.ts';
import { DAY_MS } from '../../../../contracts/values/durations.ts';
import type { Context } from '../../../context.ts';
import { PUBLIC_STATUSES } from '../../../platform/db/queries/public-transfers.ts';
import type { FileRow, TransferRow } from '../../../platform/db/schema.ts';
import { snapshot } from '../../../platform/db/transaction.ts';
import { AppError } from '../../../platform/lib/app-error.ts';
import { dayOf, toIso } from '../../../platform/lib/clock.ts';
import { requireFeature } from '../../tiers/index.ts';
import { ALL_FILES, type Counts, selectedFile } from '../totals/tally.ts';
import { type Days, listDays } from './day-range.ts';
import { type History, NO_COUNTS, readHistory } from './history.ts';
import { findOwnTransfer, listFilesOf, listMostDownloaded, listNamedTransfers } from './report-queries.ts';

type Deps = Pick<Context, 'db' | 'clock' | 'geo'>;
type ReportRequest = { user: { id: string; tier: TierName }; days: number | undefined };

export type Report<Result extends Analytics> = { analytics: Result; history: History };

export function getTransferReport(
  deps: Deps,
  { transferId, ...wanted }: ReportRequest & { transferId: string },
): Promise<Report<TransferAnalytics>> {
  const range = findRange(deps, wanted);
  return snapshot(deps.db, async (trx) => {
    const transfer = await findOwnTransfer(trx, { transferId, userId: wanted.user.id });
    if (!transfer) throw new AppError('transfer_not_found');
    const history = await readHistory(trx, deps.geo, { subject: { transferId }, days: range });
    const { zipCount } = transfer;
    const listed = await listFilesOf(trx, transferId, findMostDownloaded(history));
    const files = presentFiles(listed, { history, zipCount });
    return { analytics: { ...presentAnalytics(history, range), files }, history };
  });
}

export function getOverallReport(deps: Deps, wanted: ReportRequest): Promise<Report<OverallAnalytics>> {
  const range = findRange(deps, wanted);
  const userId = wanted.user.id;
  return snapshot(deps.db, async (trx) => {
    const history = await readHistory(trx, deps.geo, { subject: { userId }, days: range });
    const recent = history.recentTransfers;
    const most = await listMostDownloaded(trx, userId, range);
    const ids = [...recent.keys()].filter((id) => !most.some((each) => each.id === id));
    const others = await listNamedTransfers(trx, { userId, ids, days: range });
    const open = [...most, ...others].filter(({ status }) => PUBLIC_STATUSES.some((each) => each === status));
    const transfers = presentTransfers(open, recent);
    return { analytics: { ...presentAnalytics(history, range), transfers }, history };
  });
}

/** The current plan limits how far back analytics go. Throws AppError `tier_required`. */
function findRange({ clock }: Deps, { user: { tier }, days = ANALYTICS_DEFAULT_DAYS }: ReportRequest): Range {
  requireFeature(tier, 'analytics');
  const longestDays = ANALYTICS_DAYS[tier === 'premium' ? 'premium' : 'pro'];
  const now = clock.now();
  const from = dayOf(now - (Math.min(days, longestDays) - 1) * DAY_MS);
  return { from, to: dayOf(now), longestDays };
}

const MAX_REFERERS = 50;
const MAX_TRANSFERS = 20;

type Range = Days & { longestDays: number };

function presentAnalytics(history: History, { from, to, longestDays }: Range): Analytics {
  const days = listDays({ from, to }).map((date) => ({ date, ...(history.byDay.get(date) ?? NO_COUNTS) }));
  const totals = days.reduce(addCounts, NO_COUNTS);
  const { completed, downloads } = totals;
  return {
    from,
    to,
    longestDays,
    totals: { ...totals, completionRate: downloads === 0 ? null : completed / downloads },
    days,
    countries: withoutZeros(history.countries)
      .map(([country, counts]) => ({ country, ...counts }))
      .toSorted((a, b) => b.downloads + b.views - (a.downloads + a.views) || compare(a.country, b.country)),
    referers: withoutZeros(history.referers)
      .map(([referer, { views }]) => ({ referer, views }))
      .toSorted((a, b) => b.views - a.views || compare(a.referer, b.referer))
      .slice(0, MAX_REFERERS),
    devices: DEVICES.map((device) => ({ device, ...(history.devices.get(device) ?? NO_COUNTS) })),
  };
}

type ListedFile = Pick<FileRow, 'id' | 'relativePath' | 'position' | 'uploadedAt' | 'zipBase'>;

/** `zipBase` is the transfer's `zipCount` when the file was added, so earlier zips don't count for it. */
function presentFiles(
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

type Shown = OverallAnalytics['transfers'][number];

type TitledTotals = Pick<TransferRow, 'id' | 'title' | 'encryption' | 'fileCount' | 'createdAt'> & {
  firstFileName: string | null;
  views: number;
  downloads: number;
};

/** `totals` covers the most downloaded transfers and those with uncounted events. */
function presentTransfers(
  totals: TitledTotals[],
  recent: History['recentTransfers'],
): OverallAnalytics['transfers'] {
  return totals
    .map(({ id, title, firstFileName, encryption: params, fileCount, createdAt, ...counts }): Shown => {
      const { views, downloads } = addCounts({ completed: 0, ...counts }, recent.get(id) ?? NO_COUNTS);
      const names = { title, firstFileName, fileCount, createdAt: toIso(createdAt) };
      return { id, ...names, encryption: params === null ? null : ENCRYPTION_VERSION, views, downloads };
    })
    .filter(({ views, downloads }) => views > 0 || downloads > 0)
    .toSorted((a, b) => b.downloads - a.downloads || b.views - a.views || compare(a.id, b.id))
    .slice(0, MAX_TRANSFERS);
}

/** Downloads that were uncounted leave zeros in the totals. */
function withoutZeros(values: Map<string, Counts>): [string, Counts][] {
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

/** Below the parameter limit of a statement. */
const FILES_NAMED = 1_000;

function findMostDownloaded({ files }: History): { ids: string[]; positions: number[] } {
  const most = [...files]
    .filter(([value]) => value !== ALL_FILES)
    .toSorted(([, one], [, other]) => other.downloads - one.downloads)
    .slice(0, FILES_NAMED)
    .map(([value]) => value);
  const isSelected = (value: string) => value.startsWith('#');
  return {
    ids: most.filter((value) => !isSelected(value)),
    positions: most.filter(isSelected).map((value) => Number(value.slice(1))),
  };
}

import { decodeSelection } from '../../../contracts/transfers/selection.ts';
import type { DownloadsTable, TransferViewsTable } from '../../platform/db/schema.ts';
import { dayOf } from '../../platform/lib/clock.ts';
import { deviceOf } from './devices.ts';

/** What stands for the country of an address that is of none. */
const NO_COUNTRY = 'ZZ';

export type Counts = { views: number; downloads: number; completed: number };

/** The key of one row of daily totals, without whose it is (`schema.ts`, TransferTotalsTable). */
export type TotalsKey = { day: string; dimension: string; value: string };
export type TotalsRow = TotalsKey & Counts;

/** Something that adds to the totals of its transfer and of the transfer's owner. */
export type Happening = {
  transferId: string;
  at: number;
  country: string | null;
  userAgent: string | null;
  counts: Counts;
  /** What it adds to beside country and device. */
  referer?: string;
  files?: string[];
};

type Viewed = Pick<TransferViewsTable, 'transferId' | 'viewedAt' | 'country' | 'userAgent' | 'referer'>;
type Downloaded = Pick<
  DownloadsTable,
  'transferId' | 'downloadedAt' | 'country' | 'userAgent' | 'fileId' | 'selection'
>;

export function toView({ viewedAt, referer, ...row }: Viewed): Happening {
  const counts = { views: 1, downloads: 0, completed: 0 };
  return { ...row, at: viewedAt, referer: referer ?? '', counts };
}

/** `counts` says what of the download: that it began, that it was completed, or that it was given back. */
export function toDownload(
  { downloadedAt, fileId, selection, ...row }: Downloaded,
  counts: Omit<Counts, 'views'>,
): Happening {
  return {
    ...row,
    at: downloadedAt,
    counts: { views: 0, ...counts },
    files: selection === null ? [fileId ?? ALL_FILES] : positionsIn(selection),
  };
}

function positionsIn(selection: string): string[] {
  return (decodeSelection(selection) ?? []).map(selectedFile);
}

/** How the totals of files name a zip of all there are. */
export const ALL_FILES = '';

/** How they name the one at this position, for the selections that hold it. */
export function selectedFile(position: number): string {
  return `#${position}`;
}

/** The dimension whose rows hold whole months (`YYYY-MM`): they keep long ranges as cheap as short ones. */
export function monthly(dimension: string): string {
  return `${dimension}-month`;
}

/** Rows of totals as they add up. */
export class Tally {
  readonly #rows = new Map<string, TotalsRow>();

  add({ day, dimension, value }: TotalsKey, counts: Counts): void {
    const key = `${day} ${dimension} ${value}`;
    let row = this.#rows.get(key);
    if (!row) {
      row = { day, dimension, value, views: 0, downloads: 0, completed: 0 };
      this.#rows.set(key, row);
    }
    row.views += counts.views;
    row.downloads += counts.downloads;
    row.completed += counts.completed;
  }

  rows(): TotalsRow[] {
    return [...this.#rows.values()];
  }
}

/** Adds it as the totals of its transfer hold it. */
export function addToTransfer(tally: Tally, happening: Happening): void {
  const day = dayOf(happening.at);
  addAlike(tally, day, happening);
  for (const value of happening.files ?? []) tally.add({ day, dimension: 'file', value }, happening.counts);
}

/** Adds it as the totals of the transfer's owner hold it. */
export function addToUser(tally: Tally, happening: Happening): void {
  const day = dayOf(happening.at);
  addAlike(tally, day, happening);
  tally.add({ day, dimension: 'transfer', value: happening.transferId }, happening.counts);
}

function addAlike(tally: Tally, day: string, { country, userAgent, referer, counts }: Happening): void {
  tally.add({ day, dimension: 'all', value: '' }, counts);
  tally.add({ day, dimension: 'country', value: country ?? NO_COUNTRY }, counts);
  tally.add({ day, dimension: 'device', value: deviceOf(userAgent) }, counts);
  if (referer !== undefined) tally.add({ day, dimension: 'referer', value: referer }, counts);
}

import type { Device } from '../../../../contracts/analytics.ts';
import { decodeSelection } from '../../../../contracts/transfers/downloads/selection.ts';
import type { DownloadsTable, TransferViewsTable } from '../../../platform/db/schema/downloads.ts';
import { dayOf } from '../../../platform/lib/clock.ts';

const NO_COUNTRY = 'ZZ';

export type Counts = { views: number; downloads: number; completed: number };

type TotalsKey = { day: string; dimension: string; value: string };
export type TotalsRow = TotalsKey & Counts;

export type CountedEvent = {
  transferId: string;
  at: number;
  country: string | null;
  userAgent: string | null;
  counts: Counts;
  referer?: string;
  files?: string[];
};

type Viewed = Pick<TransferViewsTable, 'transferId' | 'viewedAt' | 'country' | 'userAgent' | 'referer'>;
type Downloaded = Pick<
  DownloadsTable,
  'transferId' | 'downloadedAt' | 'country' | 'userAgent' | 'fileId' | 'selection'
>;

export function toView({ viewedAt, referer, ...row }: Viewed): CountedEvent {
  const counts = { views: 1, downloads: 0, completed: 0 };
  return { ...row, at: viewedAt, referer: referer ?? '', counts };
}

/** `counts` is negative for a returned download. */
export function toDownload(
  { downloadedAt, fileId, selection, ...row }: Downloaded,
  counts: Omit<Counts, 'views'>,
): CountedEvent {
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

/** Stands for zips of all files. */
export const ALL_FILES = '';

export function selectedFile(position: number): string {
  return `#${position}`;
}

/** Rows per month (`YYYY-MM`) keep queries of long ranges fast. */
export function monthly(dimension: string): string {
  return `${dimension}-month`;
}

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

export function addToTransfer(tally: Tally, event: CountedEvent): void {
  const day = dayOf(event.at);
  addCommon(tally, day, event);
  for (const value of event.files ?? []) tally.add({ day, dimension: 'file', value }, event.counts);
}

export function addToUser(tally: Tally, event: CountedEvent): void {
  const day = dayOf(event.at);
  addCommon(tally, day, event);
  tally.add({ day, dimension: 'transfer', value: event.transferId }, event.counts);
}

function addCommon(tally: Tally, day: string, { country, userAgent, referer, counts }: CountedEvent): void {
  tally.add({ day, dimension: 'all', value: '' }, counts);
  tally.add({ day, dimension: 'country', value: country ?? NO_COUNTRY }, counts);
  tally.add({ day, dimension: 'device', value: deviceOf(userAgent) }, counts);
  if (referer !== undefined) tally.add({ day, dimension: 'referer', value: referer }, counts);
}

const PROGRAM = /bot\b|crawl|spider|preview|curl|wget|python|okhttp|headless|^java\/|^go-http/i;
const TABLET = /ipad|tablet|playbook|silk\/|kindle|android(?!.*mobile)/i;
const PHONE = /mobi|iphone|ipod|windows phone/i;
const COMPUTER = /windows nt|macintosh|x11|cros|linux (?:x86_64|i686|aarch64)/i;

/** An iPad that requests desktop pages counts as a desktop. Programs and missing user agents are 'other'. */
export function deviceOf(userAgent: string | null): Device {
  if (!userAgent || PROGRAM.test(userAgent)) return 'other';
  if (TABLET.test(userAgent)) return 'tablet';
  if (PHONE.test(userAgent)) return 'mobile';
  return COMPUTER.test(userAgent) ? 'desktop' : 'other';
}

import type { Trx } from '../../platform/db/open.ts';
import { addToTransfer, addToUser, type Happening, monthly, Tally, type TotalsRow } from './tally.ts';
import {
  addToTransferTotals,
  addToUserTotals,
  listTransferReferers,
  listUserReferers,
} from './totals-queries.ts';

/** Anybody can send any referer: of one day the totals name about so many, and what comes then is 'other'. */
const REFERERS_PER_DAY = 100;
const OTHER_REFERERS = 'other';

export type OwnedHappening = Happening & { userId: string };

/** Adds what has happened to the totals of its transfers and of their owners. */
export async function addToTotals(trx: Trx, happenings: OwnedHappening[]): Promise<void> {
  for (const [transferId, its] of groupInOrder(happenings, ({ transferId }) => transferId)) {
    const rows = tallyUp(its, addToTransfer);
    const days = daysWithReferers(rows);
    const known = days.length > 0 ? await listTransferReferers(trx, transferId, days) : [];
    await addToTransferTotals(trx, transferId, withMonths(foldReferers(rows, known)));
  }
  for (const [userId, theirs] of groupInOrder(happenings, ({ userId }) => userId)) {
    const rows = tallyUp(theirs, addToUser);
    const days = daysWithReferers(rows);
    const known = days.length > 0 ? await listUserReferers(trx, userId, days) : [];
    await addToUserTotals(trx, userId, withMonths(foldReferers(rows, known)));
  }
}

function tallyUp(happenings: Happening[], add: (tally: Tally, happening: Happening) => void): TotalsRow[] {
  const tally = new Tally();
  for (const happening of happenings) add(tally, happening);
  return tally.rows();
}

/** In one order for all, so that no two batches wait for each other's rows. */
function groupInOrder<Item>(items: Item[], keyOf: (item: Item) => string): [string, Item[]][] {
  return [...Map.groupBy(items, keyOf)].toSorted(([a], [b]) => (a < b ? -1 : 1));
}

function daysWithReferers(rows: TotalsRow[]): string[] {
  return [...new Set(rows.filter(({ dimension }) => dimension === 'referer').map(({ day }) => day))];
}

function foldReferers(rows: TotalsRow[], known: { day: string; value: string }[]): TotalsRow[] {
  const named = Map.groupBy(known, ({ day }) => day);
  const namedOn = new Map([...named].map(([day, each]) => [day, new Set(each.map(({ value }) => value))]));
  const tally = new Tally();
  for (const row of rows) {
    const isReferer = row.dimension === 'referer';
    tally.add(isReferer && !mayBeNamed(namedOn, row) ? { ...row, value: OTHER_REFERERS } : row, row);
  }
  return tally.rows();
}

/** What is told day by day needs no months. */
function withMonths(rows: TotalsRow[]): TotalsRow[] {
  const tally = new Tally();
  for (const row of rows) {
    tally.add(row, row);
    if (row.dimension === 'all') continue;
    tally.add({ day: row.day.slice(0, 7), dimension: monthly(row.dimension), value: row.value }, row);
  }
  return tally.rows();
}

/** Notes it as named when it may be. No referer at all always is. */
function mayBeNamed(namedOn: Map<string, Set<string>>, { day, value }: TotalsRow): boolean {
  const names = namedOn.get(day) ?? new Set();
  namedOn.set(day, names);
  if (value !== '' && !names.has(value) && names.size >= REFERERS_PER_DAY) return false;
  names.add(value);
  return true;
}

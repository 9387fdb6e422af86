import type { Trx } from '../../../platform/db/open.ts';
import { addToTransfer, addToUser, type CountedEvent, monthly, Tally, type TotalsRow } from './tally.ts';

/** Referers can be forged, so the totals count more than about this many per day as 'other'. */
const REFERERS_PER_DAY = 100;
const OTHER_REFERERS = 'other';

type OwnedEvent = CountedEvent & { userId: string };

export async function addToTotals(trx: Trx, events: OwnedEvent[]): Promise<void> {
  for (const [transferId, its] of groupInOrder(events, ({ transferId }) => transferId)) {
    const rows = tallyUp(its, addToTransfer);
    const days = daysWithReferers(rows);
    const known = days.length > 0 ? await listTransferReferers(trx, transferId, days) : [];
    await upsertTotals(trx, { transferId }, withMonths(foldReferers(rows, known)));
  }
  for (const [userId, theirs] of groupInOrder(events, ({ userId }) => userId)) {
    const rows = tallyUp(theirs, addToUser);
    const days = daysWithReferers(rows);
    const known = days.length > 0 ? await listUserReferers(trx, userId, days) : [];
    await upsertTotals(trx, { userId }, withMonths(foldReferers(rows, known)));
  }
}

function tallyUp(events: CountedEvent[], add: (tally: Tally, event: CountedEvent) => void): TotalsRow[] {
  const tally = new Tally();
  for (const event of events) add(tally, event);
  return tally.rows();
}

/** Sorted, so that concurrent batches can't deadlock. */
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
    tally.add(isReferer && !claimName(namedOn, row) ? { ...row, value: OTHER_REFERERS } : row, row);
  }
  return tally.rows();
}

/** The 'all' dimension is shown day by day, so it needs no monthly rows. */
function withMonths(rows: TotalsRow[]): TotalsRow[] {
  const tally = new Tally();
  for (const row of rows) {
    tally.add(row, row);
    if (row.dimension === 'all') continue;
    tally.add({ day: row.day.slice(0, 7), dimension: monthly(row.dimension), value: row.value }, row);
  }
  return tally.rows();
}

/** Returns whether the totals may list this referer, and counts it if so. The empty referer is always allowed. */
function claimName(namedOn: Map<string, Set<string>>, { day, value }: TotalsRow): boolean {
  const names = namedOn.get(day) ?? new Set();
  namedOn.set(day, names);
  if (value !== '' && !names.has(value) && names.size >= REFERERS_PER_DAY) return false;
  names.add(value);
  return true;
}

/** Each row has seven parameters; both databases allow far more. */
const ROWS_PER_INSERT = 500;

/** `transferTotals` and `userTotals` differ only in the owner's column, so the query is typed as one of them. */
async function upsertTotals(
  trx: Trx,
  owner: { transferId: string } | { userId: string },
  rows: TotalsRow[],
): Promise<void> {
  const table = ('transferId' in owner ? 'transferTotals' : 'userTotals') as 'transferTotals';
  const key = Object.keys(owner)[0] as 'transferId';
  for (const some of inStatements(rows)) {
    await trx
      .insertInto(table)
      .values(some.map((row) => ({ ...(owner as { transferId: string }), ...row })))
      .onConflict((conflict) =>
        conflict.columns([key, 'dimension', 'day', 'value']).doUpdateSet((eb) => ({
          views: eb(`${table}.views`, '+', eb.ref('excluded.views')),
          downloads: eb(`${table}.downloads`, '+', eb.ref('excluded.downloads')),
          completed: eb(`${table}.completed`, '+', eb.ref('excluded.completed')),
        })),
      )
      .execute();
  }
}

/** Sorted, so that concurrent transactions can't deadlock. */
function* inStatements(rows: TotalsRow[]): Generator<TotalsRow[]> {
  const keyOf = ({ dimension, day, value }: TotalsRow) => `${dimension} ${day} ${value}`;
  const sorted = rows.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  for (let start = 0; start < sorted.length; start += ROWS_PER_INSERT) {
    yield sorted.slice(start, start + ROWS_PER_INSERT);
  }
}

function listTransferReferers(trx: Trx, transferId: string, days: string[]) {
  return trx
    .selectFrom('transferTotals')
    .select(['day', 'value'])
    .where('transferId', '=', transferId)
    .where('dimension', '=', 'referer')
    .where('day', 'in', days)
    .execute();
}

function listUserReferers(trx: Trx, userId: string, days: string[]) {
  return trx
    .selectFrom('userTotals')
    .select(['day', 'value'])
    .where('userId', '=', userId)
    .where('dimension', '=', 'referer')
    .where('day', 'in', days)
    .execute();
}

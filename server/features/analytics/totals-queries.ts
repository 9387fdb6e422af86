import type { Trx } from '../../platform/db/open.ts';
import type { TotalsRow } from './tally.ts';

/** Seven values each: well below what one statement may hold on either engine. */
const ROWS_PER_INSERT = 500;

/** Adds to what the totals hold. */
export async function addToTransferTotals(trx: Trx, transferId: string, rows: TotalsRow[]): Promise<void> {
  for (const some of inStatements(rows)) {
    await trx
      .insertInto('transferTotals')
      .values(some.map((row) => ({ transferId, ...row })))
      .onConflict((conflict) =>
        conflict.columns(['transferId', 'dimension', 'day', 'value']).doUpdateSet((eb) => ({
          views: eb('transferTotals.views', '+', eb.ref('excluded.views')),
          downloads: eb('transferTotals.downloads', '+', eb.ref('excluded.downloads')),
          completed: eb('transferTotals.completed', '+', eb.ref('excluded.completed')),
        })),
      )
      .execute();
  }
}

/** The same of a user. */
export async function addToUserTotals(trx: Trx, userId: string, rows: TotalsRow[]): Promise<void> {
  for (const some of inStatements(rows)) {
    await trx
      .insertInto('userTotals')
      .values(some.map((row) => ({ userId, ...row })))
      .onConflict((conflict) =>
        conflict.columns(['userId', 'dimension', 'day', 'value']).doUpdateSet((eb) => ({
          views: eb('userTotals.views', '+', eb.ref('excluded.views')),
          downloads: eb('userTotals.downloads', '+', eb.ref('excluded.downloads')),
          completed: eb('userTotals.completed', '+', eb.ref('excluded.completed')),
        })),
      )
      .execute();
  }
}

/** In one order for all, so that no two of these wait for each other's rows. */
function* inStatements(rows: TotalsRow[]): Generator<TotalsRow[]> {
  const keyOf = ({ dimension, day, value }: TotalsRow) => `${dimension} ${day} ${value}`;
  const sorted = rows.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  for (let start = 0; start < sorted.length; start += ROWS_PER_INSERT) {
    yield sorted.slice(start, start + ROWS_PER_INSERT);
  }
}

/** The referers that the totals of these days name already. */
export function listTransferReferers(trx: Trx, transferId: string, days: string[]) {
  return trx
    .selectFrom('transferTotals')
    .select(['day', 'value'])
    .where('transferId', '=', transferId)
    .where('dimension', '=', 'referer')
    .where('day', 'in', days)
    .execute();
}

export function listUserReferers(trx: Trx, userId: string, days: string[]) {
  return trx
    .selectFrom('userTotals')
    .select(['day', 'value'])
    .where('userId', '=', userId)
    .where('dimension', '=', 'referer')
    .where('day', 'in', days)
    .execute();
}

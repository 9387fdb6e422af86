import type { TransferSort } from '../../../../contracts/transfers/transfers.ts';
import { type Db, isSqlite } from '../../../platform/db/open.ts';
import { prepareTextSearch, type TextSearch } from '../../../platform/db/queries/text-search.ts';
import { readSlices, walk } from '../../../platform/db/queries/walk.ts';
import { findSearchCandidates } from '../../../platform/db/search/search-index.ts';
import type { Position, SortKey } from '../../../platform/lib/cursor.ts';
import type { ShownTransfer } from '../queries.ts';
import { type ListRequest, ORDERS } from './list-queries.ts';
import {
  type Filters,
  hasMoreTransfers,
  listLargeMentioning,
  type RankedTransfer,
  selectTransferSlice,
  selectTransfersById,
  selectUnsortedSlice,
} from './long-list-queries.ts';

/** Shorter lists are sorted by one statement, which takes about ten milliseconds. */
const LONG_LIST_MIN = 2_000;
/** Shorter lists are searched faster without the index, which covers the transfers of all users. */
const INDEXED_SEARCH_MIN = 200;
const ROWS_AT_ONCE = 250;

/** Whether one statement for the list would block the event loop; never on PostgreSQL. */
export async function isLongList(
  db: Db,
  { userId, search }: Pick<ListRequest, 'userId' | 'search'>,
): Promise<boolean> {
  return isSqlite(db) && (search !== undefined || (await hasMoreTransfers(db, userId, LONG_LIST_MIN)));
}

/** Returns the same as `selectTransfers`, with statements of about ten milliseconds each. */
export async function listInSlices(
  db: Db,
  { userId, now, sort, search, state, origin, after, limit }: ListRequest,
): Promise<(ShownTransfer & { sortKey: SortKey })[]> {
  const contains = search ? await prepareTextSearch(db, search) : undefined;
  const largeMatches = contains ? await listLargeMentioning(db, { userId, contains }) : [];
  const among = await findCandidates(db, { userId, search, largeMatches });
  const filters: Filters = { userId, now, state, origin, contains, among, largeMatches };
  const found =
    sort === 'downloads' || sort === 'title'
      ? await selectBest(db, { filters, sort, after, limit })
      : await walk({
          readSlice: (behind, size) => selectTransferSlice(db, { sort, filters, after: behind, limit: size }),
          after,
          wanted: limit,
        });
  const rows: (ShownTransfer & { sortKey: SortKey })[] = [];
  for (let start = 0; start < found.length; start += ROWS_AT_ONCE) {
    const some = found.slice(start, start + ROWS_AT_ONCE);
    const ids = some.map(({ id }) => id);
    const shown = await selectTransfersById(db, ids);
    for (const { id, ...place } of some) {
      const row = shown.get(id);
      if (row) rows.push({ ...row, sortKey: 'rank' in place ? place.rank : place.sortKey });
    }
  }
  return rows;
}

type Candidates = Pick<ListRequest, 'userId' | 'search'> & { largeMatches: string[] };

async function findCandidates(
  db: Db,
  { userId, search, largeMatches }: Candidates,
): Promise<string[] | undefined> {
  if (!search || !(await hasMoreTransfers(db, userId, INDEXED_SEARCH_MIN))) return undefined;
  const ids = await findSearchCandidates(db, { kind: 'transfers', text: search });
  return ids && [...new Set([...ids, ...largeMatches])];
}

type Best = { filters: Filters; sort: 'downloads' | 'title'; after: Position | undefined; limit: number };

async function selectBest(
  db: Db,
  { filters, sort, after, limit }: Best,
): Promise<Pick<RankedTransfer, 'id' | 'rank'>[]> {
  const behind = (a: Ranked, b: Ranked) => compare(sort, a, b);
  const start = after && { id: after.id, rank: after.key };
  let best: Ranked[] = [];
  const readSlice = (place: Position | undefined, size: number) =>
    selectUnsortedSlice(db, { sort, filters, after: place, limit: size });
  for await (const slice of readSlices({ readSlice }, undefined)) {
    for (const row of slice) if (row.isWanted === 1 && (!start || behind(row, start) > 0)) best.push(row);
    // Sort in batches, so that memory stays bounded.
    if (best.length > limit + 4 * ROWS_AT_ONCE) best = best.sort(behind).slice(0, limit);
  }
  return best.sort(behind).slice(0, limit);
}

type Ranked = Pick<RankedTransfer, 'id' | 'rank'>;

/** Sorts like the database: missing titles last, texts by bytes, then by id. */
function compare(sort: TransferSort, a: Ranked, b: Ranked): number {
  const sign = ORDERS[sort].direction === 'asc' ? 1 : -1;
  return compareRanks(a.rank, b.rank, sign) || sign * compareTexts(a.id, b.id);
}

function compareRanks(a: SortKey, b: SortKey, sign: number): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  return sign * (typeof a === 'string' ? compareTexts(a, String(b)) : a - Number(b));
}

/** Compares by UTF-8 bytes: surrogates, which encode the highest code points, come last. */
function compareTexts(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index += 1) {
    const [left, right] = [a.charCodeAt(index), b.charCodeAt(index)];
    if (left === right) continue;
    return isSurrogate(left) === isSurrogate(right) ? left - right : isSurrogate(left) ? 1 : -1;
  }
  return a.length - b.length;
}

function isSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdfff;
}

/** Statements that search many transfers leave out those with thousands of files. */
export function findLargeMentioning(db: Db, contains: TextSearch): Promise<string[]> {
  return listLargeMentioning(db, { contains });
}

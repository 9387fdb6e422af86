import type { AliasableExpression, Expression, ExpressionBuilder, SqlBool } from 'kysely';
import type { TransferOrigin, TransferState } from '../../../../contracts/transfers/transfers.ts';
import type { Db } from '../../../platform/db/open.ts';
import { firstFileName } from '../../../platform/db/queries/first-file.ts';
import { isOlderThan } from '../../../platform/db/queries/newest-first.ts';
import { FILES_PER_SEARCH, sortableText, type TextSearch } from '../../../platform/db/queries/text-search.ts';
import { readSlices, type ScannedRow } from '../../../platform/db/queries/walk.ts';
import type { Database } from '../../../platform/db/schema.ts';
import { withoutIndex } from '../../../platform/db/search/search-index.ts';
import type { Position, SortKey } from '../../../platform/lib/cursor.ts';
import { SHOWN, type ShownTransfer } from '../queries.ts';
import { detailsMatch, hasMatchingPath, isInState, isOfOrigin, ORDERS } from './list-queries.ts';

type Builder = ExpressionBuilder<Database, 'transfers'>;

const FIRST_ID = '';

export type Filters = {
  userId: string;
  /** Epoch milliseconds. */
  now: number;
  state: TransferState | undefined;
  origin: TransferOrigin | undefined;
  contains: TextSearch | undefined;
  /** Includes all transfers that contain the text. */
  among: string[] | undefined;
  /** Large transfers already known to match, so that the query doesn't search their files. */
  largeMatches: string[];
};

export async function hasMoreTransfers(db: Db, userId: string, count: number): Promise<boolean> {
  const row = await db
    .selectFrom('transfers')
    .select('createdAt')
    .where('userId', '=', userId)
    .orderBy('createdAt')
    .offset(count)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

type Slice = {
  sort: keyof Pick<typeof ORDERS, 'newest' | 'oldest' | 'expiry' | 'size'>;
  filters: Filters;
  after: Position | undefined;
  limit: number;
};

export async function selectTransferSlice(db: Db, slice: Slice): Promise<ScannedRow[]> {
  if (slice.sort !== 'expiry') return selectRun(db, slice);
  const withEnd = slice.after?.key === null ? [] : await selectRun(db, slice);
  if (withEnd.length === slice.limit) return withEnd;
  const after = slice.after?.key === null ? slice.after : { id: FIRST_ID, key: null };
  return [...withEnd, ...(await selectRun(db, { ...slice, after, limit: slice.limit - withEnd.length }))];
}

function selectRun(db: Db, { sort, filters, after, limit }: Slice): Promise<ScannedRow[]> {
  const { column, direction } = ORDERS[sort];
  const beyond = direction === 'asc' ? '>' : '<';
  const { state, now } = filters;
  return (
    db
      .selectFrom('transfers')
      .select((eb) => [
        'transfers.id',
        `transfers.${column} as sortKey` as const,
        eb.case().when(passesFilters(eb, filters)).then(1).else(0).end().as('isWanted'),
      ])
      .where((eb) => isListed(eb, filters))
      // The indexes of the other orders begin with the status.
      .$if(column !== 'createdAt' && filters.among === undefined, (query) =>
        query.where('transfers.status', '=', 'ready'),
      )
      .$if(column === 'expiresAt', (query) =>
        query.where((eb) =>
          eb(
            filters.among ? withoutIndex(eb.ref(column)) : eb.ref(column),
            after?.key === null ? 'is' : 'is not',
            null,
          ),
        ),
      )
      .$if(column === 'expiresAt' && state !== undefined && after?.key !== null, (query) =>
        query.where(column, state === 'expired' ? '<=' : '>', now),
      )
      .$if(after !== undefined && after.key === null, (query) => query.where('transfers.id', '>', after!.id))
      .$if(typeof after?.key === 'number', (query) =>
        query
          .where(column, `${beyond}=`, after!.key as number)
          .where((eb) =>
            eb.or([eb(column, beyond, after!.key as number), eb('transfers.id', beyond, after!.id)]),
          ),
      )
      .orderBy(column, direction)
      .orderBy('transfers.id', direction)
      .limit(limit)
      .execute()
  );
}

export type RankedTransfer = ScannedRow & { rank: SortKey };

export function selectUnsortedSlice(
  db: Db,
  { sort, filters, after, limit }: Omit<Slice, 'sort'> & { sort: 'downloads' | 'title' },
): Promise<RankedTransfer[]> {
  const rankOf = (eb: Builder): AliasableExpression<SortKey> =>
    sort === 'title' ? sortableText(db, 'transfers.title') : eb.ref('transfers.downloadCount');
  return db
    .selectFrom('transfers')
    .select((eb) => [
      'transfers.id',
      'transfers.createdAt as sortKey',
      eb.case().when(passesFilters(eb, filters)).then(1).else(0).end().as('isWanted'),
      rankOf(eb).as('rank'),
    ])
    .where((eb) => isListed(eb, filters))
    .$if(after !== undefined, (query) =>
      query.where((eb) => isOlderThan(eb, { time: 'createdAt', id: 'transfers.id' }, after!)),
    )
    .orderBy('createdAt', 'desc')
    .orderBy('transfers.id', 'desc')
    .limit(limit)
    .execute();
}

export async function selectTransfersById(db: Db, ids: string[]): Promise<Map<string, ShownTransfer>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('transfers')
    .select([...SHOWN, firstFileName])
    .where('id', 'in', ids)
    // With this condition SQLite looks up the ids instead of scanning all ready transfers.
    .where('status', 'not in', ['draft', 'deleting'])
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}

/** Returns transfers with thousands of files of which one matches; of all users without `userId`. */
export async function listLargeMentioning(
  db: Db,
  { userId, contains }: { userId?: string; contains: TextSearch },
): Promise<string[]> {
  const large = await db
    .selectFrom('transfers')
    .select('id')
    .where((eb) => eb('fileCount', '>', eb.lit(FILES_PER_SEARCH)))
    .where('encryption', 'is', null)
    .$if(userId !== undefined, (query) => query.where('userId', '=', userId!))
    .execute();
  const matches: string[] = [];
  for (const { id } of large) if (await hasMatchingFile(db, id, contains)) matches.push(id);
  return matches;
}

async function hasMatchingFile(db: Db, transferId: string, contains: TextSearch): Promise<boolean> {
  const readSlice = (after: Position | undefined, size: number): Promise<ScannedRow[]> =>
    db
      .selectFrom('files')
      .select((eb) => [
        'id',
        'position as sortKey',
        eb
          .case()
          .when(contains(eb.ref('relativePath')))
          .then(1)
          .else(0)
          .end()
          .as('isWanted'),
      ])
      .where('transferId', '=', transferId)
      .$if(after !== undefined, (query) => query.where('position', '>', Number(after!.key)))
      .orderBy('position')
      .limit(size)
      .execute();
  for await (const slice of readSlices({ readSlice }, undefined))
    if (slice.some(({ isWanted }) => isWanted === 1)) return true;
  return false;
}

/** SQLite would otherwise read all transfers of the user instead of the candidates. */
function isListed(eb: Builder, { userId, among }: Filters): Expression<SqlBool> {
  if (among === undefined) return eb('transfers.userId', '=', userId);
  return eb.and([eb('transfers.id', 'in', among), eb(withoutIndex(eb.ref('transfers.userId')), '=', userId)]);
}

function passesFilters(
  eb: Builder,
  { now, state, origin, contains, largeMatches }: Filters,
): Expression<SqlBool> {
  const conditions: Expression<SqlBool>[] = [eb('transfers.status', '=', 'ready')];
  if (state !== undefined) conditions.push(isInState(eb, state, now));
  if (origin !== undefined) conditions.push(isOfOrigin(eb, origin));
  if (contains !== undefined) conditions.push(matchesText(eb, contains, largeMatches));
  return eb.and(conditions);
}

function matchesText(eb: Builder, contains: TextSearch, largeMatches: string[]): Expression<SqlBool> {
  const isSmall = eb('transfers.fileCount', '<=', eb.lit(FILES_PER_SEARCH));
  const matches = [detailsMatch(eb, contains), eb.and([isSmall, hasMatchingPath(eb, contains)])];
  if (largeMatches.length > 0) matches.push(eb('transfers.id', 'in', largeMatches));
  return eb.or(matches);
}

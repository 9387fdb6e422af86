import type { Expression, ExpressionBuilder, SqlBool } from 'kysely';
import type { Db } from '../../../platform/db/open.ts';
import { PUBLIC_STATUSES } from '../../../platform/db/queries/public-transfers.ts';
import { FILES_PER_SEARCH, type TextSearch } from '../../../platform/db/queries/text-search.ts';
import type { ScannedRow } from '../../../platform/db/queries/walk.ts';
import type { Database } from '../../../platform/db/schema.ts';
import type { Position } from '../../../platform/lib/cursor.ts';

type Builder = ExpressionBuilder<Database, 'transfers'>;

const ORDERS = {
  newest: { column: 'createdAt', direction: 'desc' },
  oldest: { column: 'createdAt', direction: 'asc' },
  expiry: { column: 'expiresAt', direction: 'asc' },
  size: { column: 'totalBytes', direction: 'desc' },
} as const;

export type Filters = {
  /** Epoch milliseconds. */
  now: number;
  search: string | undefined;
  contains: TextSearch | undefined;
  /** Matching transfers with thousands of files, found beforehand so that the query doesn't search their files. */
  largeMatches: string[];
  /** In lower case. */
  owner: string | undefined;
  state: 'active' | 'expired' | 'reported' | 'taken-down' | undefined;
  minBytes: number | undefined;
  maxBytes: number | undefined;
};

type Slice = {
  sort: keyof typeof ORDERS;
  filters: Filters;
  among: string[] | undefined;
  after: Position | undefined;
  limit: number;
};

const FIRST_ID = '';

export async function selectTransferSlice(db: Db, slice: Slice): Promise<ScannedRow[]> {
  if (slice.sort !== 'expiry') return selectRun(db, slice);
  const withEnd = slice.after?.key === null ? [] : await selectRun(db, slice);
  if (withEnd.length === slice.limit) return withEnd;
  const after = slice.after?.key === null ? slice.after : { id: FIRST_ID, key: null };
  const limit = slice.limit - withEnd.length;
  return [...withEnd, ...(await selectRun(db, { ...slice, after, limit }))];
}

/** Scans the index of the sort order. Filters are computed per row, so that the planner uses no other index. */
function selectRun(db: Db, { sort, filters, among, after, limit }: Slice): Promise<ScannedRow[]> {
  const { column, direction } = ORDERS[sort];
  const beyond = direction === 'asc' ? '>' : '<';
  return db
    .selectFrom('transfers')
    .select((eb) => [
      'transfers.id',
      `transfers.${column} as sortKey` as const,
      eb.case().when(passes(eb, filters)).then(1).else(0).end().as('isWanted'),
    ])
    .$if(among !== undefined, (query) => query.where('transfers.id', 'in', among!))
    .$if(after?.key !== null, (query) => query.where((eb) => liesWithin(eb, column, filters)))
    .$if(after?.key === null, (query) =>
      query.where(column, 'is', null).where('transfers.id', '>', after!.id),
    )
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
    .execute();
}

function liesWithin(
  eb: Builder,
  column: (typeof ORDERS)[keyof typeof ORDERS]['column'],
  { now, state, minBytes, maxBytes }: Filters,
): Expression<SqlBool> {
  const bounds: Expression<SqlBool>[] = [eb(column, 'is not', null)];
  if (column === 'expiresAt' && state === 'active') bounds.push(eb(column, '>', now));
  if (column === 'expiresAt' && state === 'expired') bounds.push(eb(column, '<=', now));
  if (column === 'totalBytes' && minBytes !== undefined) bounds.push(eb(column, '>=', minBytes));
  if (column === 'totalBytes' && maxBytes !== undefined) bounds.push(eb(column, '<=', maxBytes));
  return eb.and(bounds);
}

function passes(eb: Builder, filters: Filters) {
  const { now, contains, owner, state, minBytes, maxBytes } = filters;
  const conditions: Expression<SqlBool>[] = [eb('transfers.status', 'in', PUBLIC_STATUSES)];
  if (minBytes !== undefined) conditions.push(eb('transfers.totalBytes', '>=', minBytes));
  if (maxBytes !== undefined) conditions.push(eb('transfers.totalBytes', '<=', maxBytes));
  if (state === 'expired') conditions.push(eb('transfers.expiresAt', '<=', now));
  if (state === 'active') {
    conditions.push(eb.or([eb('transfers.expiresAt', 'is', null), eb('transfers.expiresAt', '>', now)]));
  }
  if (state === 'taken-down') conditions.push(eb('transfers.takenDownAt', 'is not', null));
  if (state === 'reported') conditions.push(isReported(eb));
  if (owner !== undefined) conditions.push(isOwnedBy(eb, owner));
  if (contains !== undefined) conditions.push(mentions(eb, { ...filters, contains }));
  return eb.and(conditions);
}

function isReported(eb: Builder): Expression<SqlBool> {
  return eb.exists(
    eb
      .selectFrom('abuseReports')
      .select('abuseReports.id')
      .whereRef('abuseReports.transferId', '=', 'transfers.id')
      .where('abuseReports.settledAt', 'is', null),
  );
}

function isOwnedBy(eb: Builder, owner: string): Expression<SqlBool> {
  return eb.exists(
    eb
      .selectFrom('users')
      .select('users.id')
      .whereRef('users.id', '=', 'transfers.userId')
      .where((of) =>
        of.or([beginsWith(of, 'users.usernameKey', owner), beginsWith(of, 'users.emailKey', owner)]),
      ),
  );
}

function mentions(
  eb: Builder,
  { contains, largeMatches }: Pick<Filters, 'largeMatches'> & { contains: TextSearch },
): Expression<SqlBool> {
  const matches: Expression<SqlBool>[] = [
    contains(eb.ref('transfers.title')),
    contains(eb.ref('transfers.message')),
    eb.and([
      eb('transfers.fileCount', '<=', FILES_PER_SEARCH),
      eb('transfers.encryption', 'is', null),
      eb.exists(
        eb
          .selectFrom('files')
          .select('files.id')
          .whereRef('files.transferId', '=', 'transfers.id')
          .where((of) => contains(of.ref('files.relativePath'))),
      ),
    ]),
  ];
  if (largeMatches.length > 0) matches.push(eb('transfers.id', 'in', largeMatches));
  return eb.or(matches);
}

/** `like` would treat the underscore of a username as a wildcard. */
export function beginsWith(
  eb: ExpressionBuilder<Database, 'users'>,
  column: 'users.usernameKey' | 'users.emailKey',
  text: string,
): Expression<SqlBool> {
  return eb(eb.fn<string>('substr', [column, eb.lit(1), eb.lit([...text].length)]), '=', text);
}

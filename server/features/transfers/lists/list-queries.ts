import type { AliasableExpression, Expression, ExpressionBuilder, SqlBool } from 'kysely';
import type {
  TransferOrigin,
  TransferSort,
  TransferState,
} from '../../../../contracts/transfers/transfers.ts';
import type { Db } from '../../../platform/db/open.ts';
import { firstFileName } from '../../../platform/db/queries/first-file.ts';
import {
  prepareTextSearch,
  sortableText,
  type TextSearch,
} from '../../../platform/db/queries/text-search.ts';
import type { Database } from '../../../platform/db/schema.ts';
import type { Position, SortKey } from '../../../platform/lib/cursor.ts';
import { SHOWN, type ShownTransfer } from '../queries.ts';

export type ListRequest = {
  userId: string;
  /** Epoch milliseconds; decides what has expired. */
  now: number;
  sort: TransferSort;
  search: string | undefined;
  state: TransferState | undefined;
  origin: TransferOrigin | undefined;
  after: Position | undefined;
  limit: number;
};

type Builder = ExpressionBuilder<Database, 'transfers'>;
type Direction = 'asc' | 'desc';

export const ORDERS = {
  newest: { column: 'createdAt', direction: 'desc' },
  oldest: { column: 'createdAt', direction: 'asc' },
  expiry: { column: 'expiresAt', direction: 'asc' },
  size: { column: 'totalBytes', direction: 'desc' },
  downloads: { column: 'downloadCount', direction: 'desc' },
  title: { column: 'title', direction: 'asc' },
} as const satisfies Record<TransferSort, { column: string; direction: Direction }>;

const OPTIONAL = new Set<string>(['expiresAt', 'title']);

export async function selectTransfers(
  db: Db,
  { userId, now, sort, search, state, origin, after, limit }: ListRequest,
): Promise<(ShownTransfer & { sortKey: SortKey })[]> {
  const { column, direction } = ORDERS[sort];
  const isOptional = OPTIONAL.has(column);
  const keyOf = (eb: Builder): AliasableExpression<SortKey> =>
    column === 'title' ? sortableText(db, 'transfers.title') : eb.ref(`transfers.${column}`);
  const contains = search ? await prepareTextSearch(db, search) : undefined;
  return db
    .selectFrom('transfers')
    .select([...SHOWN, firstFileName])
    .select((eb) => keyOf(eb).as('sortKey'))
    .where('userId', '=', userId)
    .where('status', '=', 'ready')
    .$if(state !== undefined, (query) => query.where((eb) => isInState(eb, state!, now)))
    .$if(origin !== undefined, (query) => query.where((eb) => isOfOrigin(eb, origin!)))
    .$if(contains !== undefined, (query) =>
      query.where((eb) => eb.or([detailsMatch(eb, contains!), hasMatchingPath(eb, contains!)])),
    )
    .$if(after !== undefined, (query) =>
      query.where((eb) => isAfter(eb, keyOf(eb), { after: after!, direction, isOptional })),
    )
    .orderBy(keyOf, (order) => (isOptional ? order[direction]().nullsLast() : order[direction]()))
    .orderBy('id', direction)
    .limit(limit)
    .execute();
}

export function isOfOrigin(eb: Builder, origin: TransferOrigin): Expression<SqlBool> {
  return eb('transfers.receivedFrom', origin === 'received' ? 'is not' : 'is', null);
}

export function isInState(eb: Builder, state: TransferState, now: number): Expression<SqlBool> {
  const { ref } = eb;
  if (state === 'expired') return eb('transfers.expiresAt', '<=', now);
  const isUsedUp = eb('transfers.downloadCount', '>=', ref('transfers.maxDownloads'));
  const isLeft = eb.or([
    eb('transfers.maxDownloads', 'is', null),
    eb('transfers.downloadCount', '<', ref('transfers.maxDownloads')),
  ]);
  return eb.and([eb('transfers.expiresAt', '>', now), state === 'active' ? isLeft : isUsedUp]);
}

export function detailsMatch(eb: Builder, contains: TextSearch): Expression<SqlBool> {
  return eb.or([
    contains(eb.ref('transfers.title')),
    contains(eb.ref('transfers.message')),
    contains(eb.ref('transfers.receivedFrom')),
    eb.exists(
      eb
        .selectFrom('transferRecipients')
        .select('transferRecipients.id')
        .whereRef('transferRecipients.transferId', '=', 'transfers.id')
        .where((of) => contains(of.ref('transferRecipients.email'))),
    ),
  ]);
}

export function hasMatchingPath(eb: Builder, contains: TextSearch): Expression<SqlBool> {
  const matching = eb
    .selectFrom('files')
    .select('files.id')
    .whereRef('files.transferId', '=', 'transfers.id')
    .where((of) => contains(of.ref('files.relativePath')));
  // The paths of an encrypted transfer are ids.
  return eb.and([eb('transfers.encryption', 'is', null), eb.exists(matching)]);
}

type Boundary = { after: Position; direction: Direction; isOptional: boolean };

function isAfter(
  eb: Builder,
  key: Expression<SortKey>,
  { after, direction, isOptional }: Boundary,
): Expression<SqlBool> {
  const beyond = direction === 'asc' ? '>' : '<';
  const behindId = eb('id', beyond, after.id);
  if (after.key === null) return eb.and([eb(key, 'is', null), behindId]);
  const behindKey = eb.or([eb(key, beyond, after.key), behindId]);
  // The index is used only for this first comparison.
  const behind = eb.and([eb(key, `${beyond}=`, after.key), behindKey]);
  return isOptional ? eb.or([behind, eb(key, 'is', null)]) : behind;
}

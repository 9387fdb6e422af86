import type { ExpressionBuilder } from 'kysely';
import { type Db, isSqlite } from '../../../platform/db/open.ts';
import type { TextSearch } from '../../../platform/db/queries/text-search.ts';
import type { ScannedRow } from '../../../platform/db/queries/walk.ts';
import type { Tier } from '../../../platform/db/schema/column-types.ts';
import type { Database, UserRow } from '../../../platform/db/schema.ts';
import type { Position } from '../../../platform/lib/cursor.ts';

export type Filters = {
  contains: TextSearch | undefined;
  /** Includes all users whose texts match. */
  among: string[] | undefined;
  tier: Tier | undefined;
  role: 'admin' | 'user' | undefined;
};

type Builder = ExpressionBuilder<Database, 'users'>;

const ORDERS = {
  newest: { column: 'createdAt', direction: 'desc' },
  oldest: { column: 'createdAt', direction: 'asc' },
  username: { column: 'usernameKey', direction: 'asc' },
  email: { column: 'emailKey', direction: 'asc' },
} as const;

type Slice = { sort: keyof typeof ORDERS; filters: Filters; after: Position | undefined; limit: number };

/**
 * Filters are computed per row, so that the planner uses only the index of the sort order. Administrators are few and
 * have their own index.
 */
export function selectUserSlice(db: Db, { sort, filters, after, limit }: Slice): Promise<ScannedRow[]> {
  const { column, direction } = ORDERS[sort];
  const beyond = direction === 'asc' ? '>' : '<';
  return db
    .selectFrom('users')
    .select((eb) => ['id', `${column} as sortKey` as const, isWanted(eb, filters).as('isWanted')])
    .$if(filters.among !== undefined, (query) => query.where('id', 'in', filters.among!))
    .$if(filters.role === 'admin' && filters.among === undefined, (query) => query.where('isAdmin', '=', 1))
    .$if(after !== undefined, (query) =>
      query
        .where(column, `${beyond}=`, after!.key as never)
        .where((eb) => eb.or([eb(column, beyond, after!.key as never), eb('id', beyond, after!.id)])),
    )
    .orderBy(column, direction)
    .orderBy('id', direction)
    .limit(limit)
    .execute();
}

export async function selectWantedUsers(db: Db, ids: string[], filters: Filters): Promise<Set<string>> {
  const rows = await db
    .selectFrom('users')
    .select('id')
    .where('id', 'in', ids)
    .where((eb) => eb(isWanted(eb, filters), '=', 1))
    .execute();
  return new Set(rows.map(({ id }) => id));
}

function isWanted(eb: Builder, { contains, tier, role }: Filters) {
  const conditions = [eb('deletedAt', 'is', null)];
  if (tier) conditions.push(eb('tier', '=', tier));
  if (role) conditions.push(eb('isAdmin', '=', role === 'admin' ? 1 : 0));
  const texts = (['name', 'username', 'email'] as const).map((column) => eb.ref(column));
  const all = eb.and(contains ? [...conditions, eb.or(texts.map(contains))] : conditions);
  return eb.case().when(all).then(eb.lit(1)).else(eb.lit(0)).end();
}

const SHOWN = [
  'id',
  'name',
  'username',
  'email',
  'emailVerified',
  'isAdmin',
  'hasSecondFactor',
  'tier',
  'createdAt',
] as const satisfies (keyof UserRow)[];
export type ShownUser = Pick<UserRow, (typeof SHOWN)[number]>;

export async function selectShownUsers(db: Db, ids: string[]): Promise<ShownUser[]> {
  if (ids.length === 0) return [];
  const rows = await db
    .selectFrom('users')
    .select([...SHOWN, 'deletedAt'])
    .where('id', 'in', ids)
    .execute();
  // Filtered here because SQLite would use the index of accounts that are not deleted, which are nearly all.
  const active = rows.filter(({ deletedAt }) => deletedAt === null);
  const byId = new Map(active.map((row) => [row.id, row]));
  return ids.map((id) => byId.get(id)).filter((row) => row !== undefined);
}

/** Includes deleted users. */
export async function selectUserIds(db: Db, after: string, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('users')
    .select('id')
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

export type Usage = { transferCount: number; storageBytes: number };

export async function selectUsageOf(db: Db, userIds: string[]): Promise<Map<string, Usage>> {
  if (userIds.length === 0) return new Map();
  if (!isSqlite(db)) return selectUsageAtOnce(db, userIds);
  const usage = new Map<string, Usage>();
  for (const id of userIds) usage.set(id, await sumUsageOf(db, id));
  return usage;
}

const ROWS_PER_SUM = 1_000;

/** Sums in batches: a user may have a million transfers, and SQLite runs in this thread. */
async function sumUsageOf(db: Db, userId: string): Promise<Usage> {
  const usage = { transferCount: 0, storageBytes: 0 };
  for (let after = { totalBytes: -1, id: '' }; ; ) {
    const rows = await db
      .selectFrom('transfers')
      .select(['totalBytes', 'id'])
      .where('userId', '=', userId)
      .where('status', '=', 'ready')
      .where('totalBytes', '>=', after.totalBytes)
      .where((eb) => eb.or([eb('totalBytes', '>', after.totalBytes), eb('id', '>', after.id)]))
      .orderBy('totalBytes')
      .orderBy('id')
      .limit(ROWS_PER_SUM)
      .execute();
    usage.transferCount += rows.length;
    for (const { totalBytes } of rows) usage.storageBytes += totalBytes;
    if (rows.length < ROWS_PER_SUM) return usage;
    after = rows.at(-1)!;
  }
}

async function selectUsageAtOnce(db: Db, userIds: string[]): Promise<Map<string, Usage>> {
  const rows = await db
    .selectFrom('transfers')
    .select(({ fn }) => [
      'userId',
      // A filter clause, so that SQLite uses the covering index by owner. The index by status would need a lookup per
      // row.
      fn.countAll().filterWhere('status', '=', 'ready').as('count'),
      fn.sum('totalBytes').filterWhere('status', '=', 'ready').as('bytes'),
    ])
    .where('userId', 'in', userIds)
    .groupBy('userId')
    .execute();
  return new Map(
    rows.map(({ userId, count, bytes }) => [
      userId,
      { transferCount: Number(count), storageBytes: Number(bytes ?? 0) },
    ]),
  );
}

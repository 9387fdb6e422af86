import { setImmediate } from 'node:timers/promises';
import type { z } from 'zod';
import { ADMIN_PAGE_DEFAULT } from '../../../../contracts/admin/pages.ts';
import type { AdminUser, listUsers as listUsersCall } from '../../../../contracts/admin/users.ts';
import type { Page } from '../../../../contracts/values/paging.ts';
import type { Context } from '../../../context.ts';
import type { Db } from '../../../platform/db/open.ts';
import { prepareTextSearch } from '../../../platform/db/queries/text-search.ts';
import { type ScannedRow, walk } from '../../../platform/db/queries/walk.ts';
import { findSearchCandidates } from '../../../platform/db/search/search-index.ts';
import { toIso } from '../../../platform/lib/clock.ts';
import { cutPage, type Position, readCursor } from '../../../platform/lib/cursor.ts';
import { createMinuteCache } from '../minute-cache.ts';
import {
  type Filters,
  type ShownUser,
  selectShownUsers,
  selectUsageOf,
  selectUserIds,
  selectUserSlice,
  selectWantedUsers,
  type Usage,
} from './user-queries.ts';

type Query = z.output<NonNullable<typeof listUsersCall.query>>;

/** `isGone` returns true once the client has disconnected. Throws AppError `invalid_input` for an invalid cursor. */
export async function listUsers(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  query: Query,
  isGone: () => boolean,
): Promise<Page<AdminUser>> {
  const { search, tier, role, sort = 'newest', cursor, limit = ADMIN_PAGE_DEFAULT } = query;
  const contains = search ? await prepareTextSearch(db, search) : undefined;
  const among = await findSearchCandidates(db, { kind: 'users', text: search });
  const filters: Filters = { contains, among, tier, role };
  const readSlice =
    sort === 'storage'
      ? await sliceByStorage({ db, clock }, filters)
      : (after: Position | undefined, size: number) =>
          selectUserSlice(db, { sort, filters, after, limit: size });
  const after = readCursor(cursor, sort, { isText: sort === 'username' || sort === 'email' });
  const rows = await walk({ readSlice, after, wanted: limit + 1, isGone });
  const { shown, nextCursor } = cutPage(rows, { sort, limit });
  const ids = shown.map(({ id }) => id);
  return { items: await presentUsers(db, await selectShownUsers(db, ids)), nextCursor };
}

export async function presentUsers(db: Db, users: ShownUser[]): Promise<AdminUser[]> {
  const usage = await selectUsageOf(
    db,
    users.map(({ id }) => id),
  );
  return users.map((user) => ({
    ...user,
    emailVerified: user.emailVerified === 1,
    isAdmin: user.isAdmin === 1,
    hasSecondFactor: user.hasSecondFactor === 1,
    createdAt: toIso(user.createdAt),
    ...(usage.get(user.id) ?? NOTHING),
  }));
}

const NOTHING: Usage = { transferCount: 0, storageBytes: 0 };

type Rank = { id: string; bytes: number };

const SLICE = 1_000;
const MANY = 5_000;

const cached = createMinuteCache<Rank[]>();

/**
 * Ranks accounts by the size of their ready transfers. No index has that order, so all accounts are summed in slices;
 * with many accounts the ranking is up to a minute old.
 */
async function sliceByStorage(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  filters: Filters,
): Promise<(after: Position | undefined, size: number) => Promise<ScannedRow[]>> {
  const ranks = await cached({ db, clock }, () => rankUsers(db), {
    isCacheable: (all) => all.length >= MANY,
  });
  const wantedIds = filters.among && new Set(filters.among);
  const candidates = wantedIds ? ranks.filter(({ id }) => wantedIds.has(id)) : ranks;
  return async (after, size) => {
    const start = after === undefined ? 0 : candidates.findIndex((rank) => compare(rank, toRank(after)) > 0);
    const slice = start < 0 ? [] : candidates.slice(start, start + size);
    const ids = slice.map(({ id }) => id);
    const wanted = ids.length === 0 ? new Set() : await selectWantedUsers(db, ids, filters);
    return slice.map(({ id, bytes }) => ({ id, sortKey: bytes, isWanted: wanted.has(id) ? 1 : 0 }));
  };
}

async function rankUsers(db: Db): Promise<Rank[]> {
  const ranks: Rank[] = [];
  for (let ids = await selectUserIds(db, '', SLICE); ids.length > 0; ) {
    const usage = await selectUsageOf(db, ids);
    for (const id of ids) ranks.push({ id, bytes: usage.get(id)?.storageBytes ?? 0 });
    await setImmediate();
    ids = await selectUserIds(db, ids.at(-1)!, SLICE);
  }
  return ranks.sort(compare);
}

function toRank({ id, key }: Position): Rank {
  return { id, bytes: Number(key) };
}

function compare(a: Rank, b: Rank): number {
  return b.bytes - a.bytes || (a.id < b.id ? 1 : a.id > b.id ? -1 : 0);
}

import type { z } from 'zod';
import { type AdminUser, listUsers as listUsersCall } from '../../../contracts/admin/users.ts';
import type { Context } from '../../context.ts';
import type { Db } from '../../platform/db/open.ts';
import { prepareTextSearch } from '../../platform/db/text-search.ts';
import { walk } from '../../platform/db/walk.ts';
import { toIso } from '../../platform/lib/clock.ts';
import { cutPage, type Position, readCursor } from '../../platform/lib/cursor.ts';
import { DEFAULT_LIMIT } from './pages.ts';
import {
  type Filters,
  type ShownUser,
  selectShownUsers,
  selectUsageOf,
  selectUserSlice,
  type Usage,
} from './user-queries.ts';
import { sliceByStorage } from './user-storage.ts';

type Query = z.output<NonNullable<typeof listUsersCall.query>>;

/**
 * Living accounts, the newest first unless told, a page at a time. `isGone`: nobody waits any more. Throws
 * AppError `invalid_input` for a cursor that is none of ours.
 */
export async function listUsers(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  query: Query,
  isGone: () => boolean,
): Promise<{ users: AdminUser[]; next: string | undefined }> {
  const { search, tier, role, sort = 'newest', cursor, limit = DEFAULT_LIMIT } = query;
  const contains = search ? await prepareTextSearch(db, search) : undefined;
  const filters: Filters = { contains, tier, role };
  const readSlice =
    sort === 'storage'
      ? await sliceByStorage({ db, clock }, filters)
      : (after: Position | undefined, size: number) =>
          selectUserSlice(db, { sort, filters, after, limit: size });
  const after = readCursor(cursor, sort, { isText: sort === 'username' || sort === 'email' });
  // One more than asked for tells whether there is a next page.
  const rows = await walk({ readSlice, after, wanted: limit + 1, isGone });
  const { shown, next } = cutPage(rows, { path: listUsersCall.path, query, sort, limit });
  const ids = shown.map(({ id }) => id);
  return { users: await presentUsers(db, await selectShownUsers(db, ids)), next };
}

/** Accounts as administrators see them, with what each has sent. */
export async function presentUsers(db: Db, users: ShownUser[]): Promise<AdminUser[]> {
  const usage = await selectUsageOf(
    db,
    users.map(({ id }) => id),
  );
  return users.map((user) => ({
    ...user,
    emailVerified: user.emailVerified === 1,
    isAdmin: user.isAdmin === 1,
    createdAt: toIso(user.createdAt),
    ...(usage.get(user.id) ?? NOTHING),
  }));
}

const NOTHING: Usage = { transferCount: 0, storageBytes: 0 };

import { setImmediate } from 'node:timers/promises';
import type { Context } from '../../context.ts';
import type { Db } from '../../platform/db/open.ts';
import type { Looked } from '../../platform/db/walk.ts';
import type { Position } from '../../platform/lib/cursor.ts';
import { createMemory } from './memory.ts';
import { type Filters, selectUsageOf, selectUserIds, selectWantedUsers } from './user-queries.ts';

type Rank = { id: string; bytes: number };

/** Accounts whose storage is added up in one go. */
const SLICE = 1_000;
/** From so many accounts on the order is remembered. */
const MANY = 5_000;

const remembered = createMemory<Rank[]>();

/**
 * Reads accounts in the order of what they have in ready transfers, the most first. No index knows that order:
 * all are added up, a slice at a time; of many accounts the order is up to a minute old.
 */
export async function sliceByStorage(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  filters: Filters,
): Promise<(after: Position | undefined, size: number) => Promise<Looked[]>> {
  const ranks = await remembered({ db, clock }, () => rankUsers(db), {
    isWorthIt: (all) => all.length >= MANY,
  });
  return async (after, size) => {
    const start = after === undefined ? 0 : ranks.findIndex((rank) => compare(rank, toRank(after)) > 0);
    const slice = start < 0 ? [] : ranks.slice(start, start + size);
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

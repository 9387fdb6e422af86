import type { Db } from '../../../platform/db/open.ts';
import { listTableParts } from '../../../platform/db/queries/walk.ts';
import { findSearchCandidates } from '../../../platform/db/search/search-index.ts';
import { beginsWith, type Filters } from './transfer-list-queries.ts';

/**
 * Returns the transfers that match one of the filters if there are at most `most`; sorting them is then faster than
 * scanning the list. They need not match the other filters.
 */
export async function findCandidates(db: Db, filters: Filters, most: number): Promise<string[] | undefined> {
  for (const narrow of [
    listReported,
    listTakenDown,
    listOwned,
    listIndexed,
    listBySize,
    listExpired,
    listMentioning,
  ]) {
    const ids = await narrow(db, filters, most + 1);
    if (ids !== undefined && ids.length <= most) return ids;
  }
  return undefined;
}

type Narrowed = Promise<string[] | undefined>;

async function listReported(db: Db, { state }: Filters, limit: number): Narrowed {
  if (state !== 'reported') return undefined;
  const open = db.selectFrom('abuseReports').select('transferId').distinct().where('settledAt', 'is', null);
  return (await open.limit(limit).execute()).map(({ transferId }) => transferId);
}

async function listTakenDown(db: Db, { state }: Filters, limit: number): Narrowed {
  if (state !== 'taken-down') return undefined;
  return idsOf(transferIds(db).where('takenDownAt', 'is not', null).limit(limit).execute());
}

async function listOwned(db: Db, { owner }: Filters, limit: number): Narrowed {
  if (owner === undefined) return undefined;
  const users = await db
    .selectFrom('users')
    .select('users.id')
    .where((of) =>
      of.or([beginsWith(of, 'users.usernameKey', owner), beginsWith(of, 'users.emailKey', owner)]),
    )
    .limit(limit)
    .execute();
  if (users.length === 0) return [];
  if (users.length === limit) return undefined;
  const userIds = users.map(({ id }) => id);
  return idsOf(transferIds(db).where('userId', 'in', userIds).limit(limit).execute());
}

async function listBySize(db: Db, { minBytes, maxBytes }: Filters, limit: number): Narrowed {
  if (minBytes === undefined && maxBytes === undefined) return undefined;
  const rows = transferIds(db)
    .where('totalBytes', '>=', minBytes ?? 0)
    .where('totalBytes', '<=', maxBytes ?? Number.MAX_SAFE_INTEGER)
    .limit(limit)
    .execute();
  return idsOf(rows);
}

async function listExpired(db: Db, { state, now }: Filters, limit: number): Narrowed {
  if (state !== 'expired') return undefined;
  return idsOf(transferIds(db).where('expiresAt', '<=', now).limit(limit).execute());
}

async function listIndexed(db: Db, { search, largeMatches }: Filters, limit: number): Narrowed {
  const ids = await findSearchCandidates(db, { kind: 'transfers', text: search, limit });
  return ids && [...new Set([...ids, ...largeMatches])];
}

function transferIds(db: Db) {
  return db.selectFrom('transfers').select('id');
}

async function idsOf(rows: Promise<{ id: string }[]>): Promise<string[]> {
  return (await rows).map(({ id }) => id);
}

/** Without the search index this scans all rows until it has `limit` matches. */
async function listMentioning(db: Db, { contains }: Filters, limit: number): Narrowed {
  if (contains === undefined) return undefined;
  const found = new Set<string>();
  for await (const part of listTableParts(db, 'transfers')) {
    const rows = transferIds(db)
      .where(part)
      .where((eb) => eb.or([contains(eb.ref('title')), contains(eb.ref('message'))]))
      .limit(limit)
      .execute();
    for (const id of await idsOf(rows)) found.add(id);
    if (found.size >= limit) return undefined;
  }
  for await (const part of listTableParts(db, 'files')) {
    const rows = await db
      .selectFrom('files')
      .select('transferId')
      .where(part)
      .where((eb) => contains(eb.ref('relativePath')))
      .limit(limit)
      .execute();
    for (const { transferId } of rows) found.add(transferId);
    if (found.size >= limit) return undefined;
  }
  return [...found];
}

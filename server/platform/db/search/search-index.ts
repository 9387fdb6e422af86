import { type Expression, type Kysely, sql } from 'kysely';
import { type Db, isSqlite } from '../open.ts';
import { ANY_TEXT, foldForIndex, type SearchKind, type SearchTables } from './search-documents.ts';

/** Lists sort this many rows in about ten milliseconds. */
const CANDIDATES_MAX = 2_000;

const PIECE_LENGTH = 3;
/** More pieces rarely exclude more rows. */
const PIECES_MAX = 30;

const FIRST_WINDOW = 10_000;
const LARGEST_WINDOW = 1_000_000;
const WINDOW_MS = 10;

/**
 * Returns ids that include every row of the kind whose text contains `text`, compared as by `prepareTextSearch`. The
 * caller must check each row, because others are among them. Undefined if there may be more than `limit`, if `text`
 * has fewer than three characters, while the index is being filled, and on PostgreSQL; then search without it.
 */
export async function findSearchCandidates(
  db: Db,
  { kind, text, limit = CANDIDATES_MAX }: { kind: SearchKind; text: string | undefined; limit?: number },
): Promise<string[] | undefined> {
  const query = text === undefined ? undefined : toQuery(text);
  if (query === undefined || !isSqlite(db)) return undefined;
  const tables = db.withTables<SearchTables>();
  if (!(await isComplete(tables, kind))) return undefined;
  // Read before the index: a row that is indexed in between is then in both.
  const pending = await tables
    .selectFrom('searchPending')
    .select('id')
    .where('kind', '=', kind)
    .limit(limit + 1)
    .execute();
  const found = new Set(pending.map(({ id }) => id));
  for await (const ids of readMatches(tables, { kind, query, limit })) {
    for (const id of ids) found.add(id);
    if (found.size > limit) return undefined;
  }
  return found.size > limit ? undefined : [...found];
}

/** In windows of documents: common pieces make one statement over all of them slow. */
async function* readMatches(
  db: Kysely<SearchTables>,
  { kind, query, limit }: { kind: SearchKind; query: string; limit: number },
): AsyncGenerator<string[]> {
  const index = sql.table(`search_${kind}`);
  const newest = await db
    .selectFrom('searchDocuments')
    .select(({ fn }) => fn.max('document').as('document'))
    .executeTakeFirst();
  const last = newest?.document ?? 0;
  let size = FIRST_WINDOW;
  for (let start = 1; start <= last; ) {
    const startedAt = performance.now();
    const { rows } = await sql<{ id: string }>`
      select "searchDocuments"."id" from ${index}
      cross join "searchDocuments" on "searchDocuments"."document" = ${index}.rowid
      where ${index} match ${query} and ${index}.rowid between ${start} and ${start + size - 1}
      limit ${limit + 1}`.execute(db);
    const milliseconds = performance.now() - startedAt;
    yield rows.map(({ id }) => id);
    start += size;
    const scale = Math.min(4, Math.max(0.25, WINDOW_MS / milliseconds));
    size = Math.min(LARGEST_WINDOW, Math.max(FIRST_WINDOW / 4, Math.round(size * scale)));
  }
}

async function isComplete(db: Kysely<SearchTables>, kind: SearchKind): Promise<boolean> {
  const row = await db
    .selectFrom('searchProgress')
    .select('isComplete')
    .where('kind', '=', kind)
    .executeTakeFirst();
  return row?.isComplete === 1;
}

function toQuery(text: string): string | undefined {
  const characters = [...foldForIndex(text)];
  const pieces = new Set<string>();
  for (let start = 0; start + PIECE_LENGTH <= characters.length && pieces.size < PIECES_MAX; start += 1)
    pieces.add(quote(characters.slice(start, start + PIECE_LENGTH).join('')));
  return pieces.size === 0 ? undefined : `(${[...pieces].join(' AND ')}) OR ${quote(ANY_TEXT)}`;
}

function quote(piece: string): string {
  return `"${piece.replaceAll('"', '""')}"`;
}

/** Keeps SQLite from using an index of the column. */
export function withoutIndex<T>(column: Expression<T>): Expression<T> {
  return sql<T>`+${column}`;
}

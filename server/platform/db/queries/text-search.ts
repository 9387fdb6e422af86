import { type AliasableExpression, type DialectAdapter, type Expression, type SqlBool, sql } from 'kysely';
import { type Db, isSqlite } from '../open.ts';

const WILDCARDS = /[\\%_]/g;
/** Transfers with more files are in the index `transfers_large` and searched in slices. */
export const FILES_PER_SEARCH = 2_000;

const IS_ASCII = /^[\0-\x7f]*$/;

export type TextSearch = (column: Expression<string | null>) => Expression<SqlBool>;

/**
 * Matches a literal text, ignoring case. ASCII uses the engine's fast comparison. Otherwise SQLite folds case
 * by JavaScript's rules, PostgreSQL by ICU's or the database's locale.
 */
export async function prepareTextSearch(db: Db, text: string): Promise<TextSearch> {
  const pattern = `%${text.replaceAll(WILDCARDS, '\\$&')}%`;
  if (isSqlite(db)) {
    if (IS_ASCII.test(text)) return (column) => sql`${column} like ${pattern} escape '\\'`;
    const folded = pattern.toLowerCase();
    if (IS_ASCII.test(folded)) return (column) => sql`fold_case(${column}) like ${folded} escape '\\'`;
    // ASCII text cannot match a non-ASCII pattern, so skip the slow call into JavaScript.
    return (column) =>
      sql`(octet_length(${column}) > length(${column}) and fold_case(${column}) like ${folded} escape '\\')`;
  }
  if (IS_ASCII.test(text)) return (column) => sql`${column} collate "C" ilike ${pattern} escape '\\'`;
  if (!(await hasIcu(db))) return (column) => sql`${column} ilike ${pattern} escape '\\'`;
  return (column) => sql`${column} collate "und-x-icu" ilike ${pattern} escape '\\'`;
}

/** Ignores case. */
export function sortableText(db: Db, column: string): AliasableExpression<string | null> {
  return isSqlite(db) ? sql`fold_case(${sql.ref(column)})` : sql`lower(${sql.ref(column)})`;
}

const icu = new WeakMap<DialectAdapter, boolean>();

async function hasIcu(db: Db): Promise<boolean> {
  const { adapter } = db.getExecutor();
  const known = icu.get(adapter);
  if (known !== undefined) return known;
  const { rows } = await sql`select 1 from pg_collation where collname = 'und-x-icu'`.execute(db);
  icu.set(adapter, rows.length > 0);
  return rows.length > 0;
}

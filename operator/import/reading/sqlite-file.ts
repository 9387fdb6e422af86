import { copyFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { CommandError, EXIT } from '../../../command-line/exit-codes.ts';
import type { ForeignRow } from './rows.ts';

/** Changes that are not in the database file yet: they must be recovered, which writes to the folder. */
const LOGS = ['-wal', '-journal'];

/**
 * Another product's SQLite database, read-only. Nothing is written beside the original: it is opened as immutable, or, if
 * it has pending changes, copied to `scratch` with them.
 */
export class SqliteFile {
  readonly #database: DatabaseSync;
  readonly hasPendingChanges: boolean;

  private constructor(database: DatabaseSync, hasPendingChanges: boolean) {
    this.#database = database;
    this.hasPendingChanges = hasPendingChanges;
  }

  static async open(path: string, scratch: string): Promise<SqliteFile> {
    const pending: string[] = [];
    for (const suffix of LOGS) if (await hasBytes(path + suffix)) pending.push(suffix);
    try {
      return new SqliteFile(await openFile(path, { pending, scratch }), pending.length > 0);
    } catch (error) {
      throw unreadable(path, error);
    }
  }

  /** Throws CommandError if a table or column of a supported release is missing. */
  require(tables: Record<string, string[]>): void {
    for (const [table, columns] of Object.entries(tables)) {
      const missing = columns.find((column) => !this.columnsOf(table).has(column));
      if (missing !== undefined)
        throw new CommandError(
          EXIT.failed,
          `The database has no ${table}.${missing}: it is not of a supported release (see docs/self-hosting/import.md).`,
        );
    }
  }

  has(table: string): boolean {
    return this.columnsOf(table).size > 0;
  }

  /** Empty if there is no such table. */
  columnsOf(table: string): Set<string> {
    return new Set(
      [...this.rows(`select name from pragma_table_info(?)`, table)].map(({ name }) => `${name}`),
    );
  }

  count(table: string, condition = 'true'): number {
    if (!this.has(table)) return 0;
    const [row] = [...this.rows(`select count(*) as count from "${table}" where ${condition}`)];
    return Number(row!.count);
  }

  /** One row at a time. Whole numbers that JavaScript cannot represent become bigint. */
  *rows(sql: string, ...parameters: SQLInputValue[]): Generator<ForeignRow> {
    const statement = this.#database.prepare(sql);
    statement.setReadBigInts(true);
    yield* statement.iterate(...parameters) as Iterable<ForeignRow>;
  }

  close(): void {
    this.#database.close();
  }
}

type Opening = { pending: string[]; scratch: string };

async function openFile(path: string, { pending, scratch }: Opening): Promise<DatabaseSync> {
  if (pending.length === 0) {
    const url = pathToFileURL(path);
    url.search = '?immutable=1';
    return checked(new DatabaseSync(url, { readOnly: true }));
  }
  const copy = join(scratch, basename(path));
  for (const suffix of ['', ...pending]) await copyFile(path + suffix, copy + suffix);
  return checked(new DatabaseSync(copy));
}

/** Opening reads nothing. */
function checked(database: DatabaseSync): DatabaseSync {
  database.prepare('select count(*) from sqlite_schema').get();
  return database;
}

function unreadable(path: string, error: unknown): CommandError {
  return new CommandError(EXIT.failed, `${path} cannot be read: ${(error as Error).message}.`);
}

async function hasBytes(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found !== undefined && found.size > 0;
}

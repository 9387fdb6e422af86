import { join } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { CommandError, EXIT } from '../../../command-line/exit-codes.ts';
import { readDump } from './mysql-dump.ts';
import { SqliteFile } from './sqlite-file.ts';

/**
 * Loads tables of a MySQL dump into an SQLite file in `scratch`, so that they can be joined and read in order without
 * memory for all rows. `wanted`: names without the installation's prefix.
 */
export async function loadDump(
  path: string,
  { wanted, scratch }: { wanted: readonly string[]; scratch: string },
): Promise<SqliteFile> {
  const copy = join(scratch, 'dump.db');
  const database = new DatabaseSync(copy);
  // The file is never read after a crash.
  database.exec('pragma journal_mode = off; pragma synchronous = off; begin');
  try {
    await fill(new Tables(database, wanted), path);
    database.exec('commit');
  } finally {
    database.close();
  }
  return SqliteFile.open(copy, scratch);
}

async function fill(tables: Tables, path: string): Promise<void> {
  for await (const statement of readDump(path)) {
    if (!tables.isWanted(statement.table)) continue;
    if (statement.kind === 'create') tables.create(statement.table, statement.columns);
    else tables.insert(statement.table, statement);
  }
}

class Tables {
  readonly #database: DatabaseSync;
  readonly #wanted: readonly string[];
  readonly #columns = new Map<string, string[]>();
  readonly #inserts = new Map<string, StatementSync>();

  constructor(database: DatabaseSync, wanted: readonly string[]) {
    this.#database = database;
    this.#wanted = wanted;
  }

  isWanted(table: string): boolean {
    return this.#wanted.some((name) => table.endsWith(name));
  }

  create(table: string, columns: string[]): void {
    if (this.#columns.has(table))
      throw new CommandError(EXIT.failed, `The dump has the table ${table} twice.`);
    this.#columns.set(table, columns);
    this.#database.exec(`create table ${quote(table)} (${columns.map(quote).join(', ')})`);
  }

  insert(
    table: string,
    { columns, rows }: { columns: string[] | undefined; rows: (string | number | null)[][] },
  ): void {
    const known = this.#columns.get(table);
    if (!known)
      throw new CommandError(
        EXIT.failed,
        `The dump has rows of ${table}, but not its columns. Run mysqldump without --no-create-info.`,
      );
    const names = columns ?? known;
    const sql = `insert into ${quote(table)} (${names.map(quote).join(', ')}) values (${names.map(() => '?').join(', ')})`;
    const statement = this.#inserts.get(sql) ?? this.#database.prepare(sql);
    this.#inserts.set(sql, statement);
    for (const row of rows) {
      if (row.length !== names.length)
        throw new CommandError(EXIT.failed, `The dump has a row of ${table} with ${row.length} values.`);
      statement.run(...row);
    }
  }
}

function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

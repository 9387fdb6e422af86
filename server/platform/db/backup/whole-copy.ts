import { backup, DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { sql } from 'kysely';
import { migrateToLatest } from '../migrate.ts';
import { type Db, openDatabase, type Trx } from '../open.ts';
import type { Database } from '../schema.ts';
import { snapshot } from '../transaction.ts';

const ROWS_AT_ONCE = 500;
/** PostgreSQL allows 65,535. */
const MAX_PARAMETERS = 20_000;

/** A copy in several steps restarts after each write in between. */
const ALL_PAGES = 2 ** 31 - 1;

/** A consistent snapshot, taken without blocking writers. The target must not exist. */
export async function copySqliteFile(file: string, target: string): Promise<void> {
  const source = new DatabaseSync(file, { readOnly: true, timeout: 10_000 });
  try {
    await backup(source, target, { rate: ALL_PAGES });
  } finally {
    source.close();
  }
}

/** A consistent snapshot as a SQLite file with the same tables. Memory use is constant. */
export async function copyPostgresToFile(db: Db, target: string): Promise<void> {
  const tables = await createEmptyCopy(target);
  const file = new DatabaseSync(target, { enableForeignKeyConstraints: false });
  try {
    file.exec('begin');
    await snapshot(db, async (trx) => {
      for (const table of tables) {
        const insert = prepareInsert(file, table);
        for await (const rows of readTable(trx, table))
          for (const row of rows) insert.statement.run(...insert.columns.map((name) => row[name]!));
      }
    });
    file.exec('commit');
  } finally {
    file.close();
  }
}

/** Replaces all rows in one transaction. The file must be of this version. */
export async function fillPostgresFromFile(file: string, db: Db): Promise<void> {
  const source = new DatabaseSync(file, { readOnly: true });
  try {
    const tables = orderByReferences(source);
    await db.transaction().execute(async (trx) => {
      for (const table of tables.toReversed()) await sql`delete from ${sql.table(table)}`.execute(trx);
      for (const table of tables) await fillTable(trx, source, table);
    });
  } finally {
    source.close();
  }
}

/** Connections of other Sendwell servers. */
export async function countServers(db: Db): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from pg_stat_activity
    where datname = current_database() and application_name = 'sendwell' and pid <> pg_backend_pid()`.execute(
    db,
  );
  return rows[0]!.count;
}

async function createEmptyCopy(target: string): Promise<string[]> {
  const db = await openDatabase({ file: target });
  await migrateToLatest(db);
  await db.destroy();
  const file = new DatabaseSync(target, { enableForeignKeyConstraints: false });
  const tables = orderByReferences(file);
  // Migrations may have inserted rows.
  for (const table of tables) file.exec(`delete from "${table}"`);
  file.close();
  return tables;
}

function prepareInsert(file: DatabaseSync, table: string): { statement: StatementSync; columns: string[] } {
  const columns = listColumns(file, table);
  const names = columns.map((name) => `"${name}"`).join(', ');
  const marks = columns.map(() => '?').join(', ');
  return { statement: file.prepare(`insert into "${table}" (${names}) values (${marks})`), columns };
}

async function* readTable(trx: Trx, table: string): AsyncGenerator<Record<string, SQLInputValue>[]> {
  await sql`declare whole_copy no scroll cursor for select * from ${sql.table(table)}`.execute(trx);
  for (;;) {
    const { rows } = await sql
      .raw<Record<string, SQLInputValue>>(`fetch ${ROWS_AT_ONCE} from whole_copy`)
      .execute(trx);
    if (rows.length === 0) break;
    yield rows;
  }
  await sql`close whole_copy`.execute(trx);
}

async function fillTable(trx: Trx, source: DatabaseSync, table: string): Promise<void> {
  const columns = listColumns(source, table);
  const most = Math.floor(MAX_PARAMETERS / columns.length);
  const names = columns.map((name) => `"${name}"`).join(', ');
  let batch: Record<string, unknown>[] = [];
  const flush = async () => {
    if (batch.length > 0)
      await trx
        .insertInto(table as keyof Database)
        .values(batch as never)
        .execute();
    batch = [];
  };
  for (const row of source.prepare(`select ${names} from "${table}"`).iterate()) {
    batch.push(row);
    if (batch.length === Math.min(most, ROWS_AT_ONCE)) await flush();
  }
  await flush();
}

function listColumns(file: DatabaseSync, table: string): string[] {
  return file
    .prepare('select name from pragma_table_info(?)')
    .all(table)
    .map(({ name }) => String(name));
}

/** Referenced tables first; without the migrations' own and the search index, which SQLite alone has. */
function orderByReferences(file: DatabaseSync): string[] {
  const tables = file
    .prepare(
      `select name from sqlite_master where type = 'table' and name not like 'kysely%' and name not like 'sqlite%' and name not like 'search%' order by name`,
    )
    .all()
    .map(({ name }) => String(name));
  const parents = file.prepare('select distinct "table" as parent from pragma_foreign_key_list(?)');
  const ordered = new Set<string>();
  const visit = (table: string) => {
    if (ordered.has(table)) return;
    for (const { parent } of parents.all(table)) if (parent !== table) visit(String(parent));
    ordered.add(table);
  };
  for (const table of tables) visit(table);
  return [...ordered];
}

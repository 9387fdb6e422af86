import { type Kysely, sql } from 'kysely';
import { isSqlite } from '../open.ts';

/**
 * A column type for both engines. `?` allows null, `= n` is the default. `flag` is 0 or 1, `count` fits 32 bits,
 * `bytes` and `instant` (epoch milliseconds) need 53.
 */
type ColumnType = 'text' | 'flag' | 'count' | 'bytes' | 'instant';
type Column = ColumnType | `${ColumnType}?` | `${ColumnType} = ${number}`;

type Table<Name extends string> = {
  columns: Record<Name, Column>;
  primaryKey: NoInfer<Name>[];
  /** Becomes a unique index named `<table>_<column>…`, which `isUniqueViolation` expects. */
  unique?: NoInfer<Name>[][];
  indexes?: NoInfer<Name>[][];
  /** For rows read in key order: SQLite then stores them without a second copy of the key. */
  keptByKey?: boolean;
  /** Column → the table whose `id` it refers to, and the action when that row is deleted. */
  references?: Partial<Record<NoInfer<Name>, { table: string; onDelete: 'cascade' | 'set null' }>>;
};

const SQL_TYPES = {
  text: 'text',
  flag: 'integer',
  count: 'integer',
  bytes: 'bigint',
  instant: 'bigint',
} as const;

export const ofUser = { table: 'users', onDelete: 'cascade' } as const;
export const ofTransfer = { table: 'transfers', onDelete: 'cascade' } as const;

export async function createTable<Name extends string>(
  db: Kysely<unknown>,
  table: string,
  { columns, primaryKey, unique = [], indexes = [], keptByKey = false, references = {} }: Table<Name>,
): Promise<void> {
  let builder = db.schema.createTable(table);
  for (const name in columns) {
    const { type, nullable, defaultValue } = parseColumn(columns[name]);
    const reference = references[name];
    builder = builder.addColumn(name, SQL_TYPES[type], (column) => {
      if (!nullable) column = column.notNull();
      if (defaultValue !== undefined) column = column.defaultTo(sql.lit(defaultValue));
      if (reference) column = column.references(`${reference.table}.id`).onDelete(reference.onDelete);
      return column;
    });
  }
  if (keptByKey && isSqlite(db)) builder = builder.modifyEnd(sql`without rowid`);
  const primaryKeyName = [table, ...primaryKey].join('_');
  await builder.addPrimaryKeyConstraint(primaryKeyName, primaryKey as never).execute();
  for (const names of unique) await createIndex(db, table, { names, unique: true });
  for (const names of indexes) await createIndex(db, table, { names, unique: false });
}

async function createIndex(
  db: Kysely<unknown>,
  table: string,
  { names, unique }: { names: string[]; unique: boolean },
): Promise<void> {
  const index = db.schema
    .createIndex([table, ...names].join('_'))
    .on(table)
    .columns(names);
  await (unique ? index.unique() : index).execute();
}

function parseColumn(column: Column): { type: ColumnType; nullable: boolean; defaultValue?: number } {
  const [type = '', value] = column.split(' = ');
  return {
    type: type.replace('?', '') as ColumnType,
    nullable: type.endsWith('?'),
    ...(value === undefined ? {} : { defaultValue: Number(value) }),
  };
}

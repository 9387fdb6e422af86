import type { ExpressionBuilder, ExpressionWrapper, SqlBool } from 'kysely';
import type { Db } from '../open.ts';
import type { Database } from '../schema.ts';

/** About ten milliseconds on SQLite, which blocks all other requests meanwhile. */
const ROWS_PER_BATCH = 500;

/** `key` lists the columns that identify a row. Atomic only inside the caller's transaction. */
export async function deleteInBatches<Table extends keyof Database>(
  db: Db,
  { table, key }: { table: Table; key: (keyof Database[Table] & string)[] },
  condition: (eb: ExpressionBuilder<Database, Table>) => ExpressionWrapper<Database, Table, SqlBool>,
): Promise<void> {
  // Kysely cannot type a table that is a parameter.
  const name = table as 'sessions';
  const columns = key as unknown as ['id', 'id'];
  await repeatInBatches(async (rows) => {
    const { numDeletedRows } = await db
      .deleteFrom(name)
      .where((eb) =>
        eb(
          columns.length > 1 ? (eb.refTuple(...columns) as never) : eb.ref(columns[0]),
          'in',
          eb
            .selectFrom(name)
            .select(columns)
            .where((of) => condition(of as never) as never)
            .limit(rows) as never,
        ),
      )
      .executeTakeFirstOrThrow();
    return Number(numDeletedRows);
  });
}

/** `changeSome` changes at most `rows` rows and returns how many. Repeats until there are none left. */
export async function repeatInBatches(changeSome: (rows: number) => Promise<number>): Promise<void> {
  for (let changed = ROWS_PER_BATCH; changed >= ROWS_PER_BATCH; ) changed = await changeSome(ROWS_PER_BATCH);
}

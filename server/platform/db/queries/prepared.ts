import type { Compilable, CompiledQuery, DialectAdapter } from 'kysely';
import type { Db } from '../open.ts';

class Placeholder {
  readonly index: number;

  constructor(index: number) {
    this.index = index;
  }
}

/**
 * Builds the SQL of a hot query once per engine, because building costs as much as running. `build` gets
 * placeholders for its parameters, so it must not inspect them.
 */
export function prepare<Values extends (string | number | null)[], Row>(
  build: (db: Db, ...placeholders: Values) => Compilable<Row>,
): (db: Db, ...values: Values) => Promise<Row[]> {
  // A transaction shares its database's adapter.
  const compiled = new WeakMap<DialectAdapter, CompiledQuery<Row>>();
  const placeholders = Array.from({ length: build.length - 1 }, (_, index) => new Placeholder(index));
  return async (db, ...values) => {
    const { adapter } = db.getExecutor();
    let query = compiled.get(adapter);
    if (!query) {
      query = build(db, ...(placeholders as unknown[] as Values)).compile();
      compiled.set(adapter, query);
    }
    const parameters = query.parameters.map((each) =>
      each instanceof Placeholder ? values[each.index] : each,
    );
    const { rows } = await db.executeQuery<Row>({ ...query, parameters });
    return rows;
  };
}

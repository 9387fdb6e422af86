import type { Compilable, CompiledQuery, DialectAdapter } from 'kysely';
import type { Db } from '../open.ts';

/** Stands where a parameter's value will be. */
class Place {
  readonly index: number;

  constructor(index: number) {
    this.index = index;
  }
}

/**
 * A query of the hot paths: its SQL is built once per engine, each call only fills in the values (building it
 * costs as much as running it). `build` names its parameters one by one and gets places in their stead, so it
 * must not look at them.
 */
export function prepare<Values extends (string | number | null)[], Row>(
  build: (db: Db, ...places: Values) => Compilable<Row>,
): (db: Db, ...values: Values) => Promise<Row[]> {
  // A transaction shares its database's adapter.
  const compiled = new WeakMap<DialectAdapter, CompiledQuery<Row>>();
  const places = Array.from({ length: build.length - 1 }, (_, index) => new Place(index));
  return async (db, ...values) => {
    const { adapter } = db.getExecutor();
    let query = compiled.get(adapter);
    if (!query) {
      query = build(db, ...(places as unknown[] as Values)).compile();
      compiled.set(adapter, query);
    }
    const parameters = query.parameters.map((each) => (each instanceof Place ? values[each.index] : each));
    const { rows } = await db.executeQuery<Row>({ ...query, parameters });
    return rows;
  };
}

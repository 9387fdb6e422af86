import type { Db } from '../../server/platform/db/open.ts';

/** Counts the rows that queries on this database return. */
export function countReadRows(db: Db): { take(): number } {
  const executor = db.getExecutor();
  const execute = executor.executeQuery.bind(executor);
  let rows = 0;
  executor.executeQuery = async (...query) => {
    const result = await execute(...query);
    rows += result.rows.length;
    return result as never;
  };
  return {
    /** Returns the count since the last call. */
    take() {
      const taken = rows;
      rows = 0;
      return taken;
    },
  };
}

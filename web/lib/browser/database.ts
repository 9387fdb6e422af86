import { createStore, type UseStore } from 'idb-keyval';

/**
 * A store of idb-keyval that rejects where the browser refuses all storage. There, Firefox throws at once, which a
 * `catch` of the returned promise would miss.
 */
export function openStore(database: string, name: string): UseStore {
  const use = createStore(database, name);
  return async (mode, run) => use(mode, run);
}

import { onTestFinished } from 'vitest';

/** happy-dom has no IndexedDB. Until the test ends, this stands in with the part of it that idb-keyval calls. */
export function keepDatabasesInMemory(): void {
  const databases = new Map<string, Map<IDBValidKey, unknown>>();
  const before = globalThis.indexedDB;
  const rangesBefore = globalThis.IDBKeyRange;
  onTestFinished(() => void Object.assign(globalThis, { indexedDB: before, IDBKeyRange: rangesBefore }));
  const open = (name: string) => {
    const rows = databases.get(name) ?? new Map<IDBValidKey, unknown>();
    databases.set(name, rows);
    return succeed({ createObjectStore: () => {}, transaction: () => beginTransaction(rows) });
  };
  const bound = (lower: string, upper: string): KeyRange => ({ lower, upper });
  Object.assign(globalThis, { indexedDB: { open }, IDBKeyRange: { bound } });
}

type KeyRange = { lower: string; upper: string };

function isIn(range: KeyRange | undefined, key: IDBValidKey): boolean {
  return !range || (String(key) >= range.lower && String(key) < range.upper);
}

type Listening<Result> = {
  result: Result;
  onupgradeneeded?(): void;
  onsuccess?(): void;
  oncomplete?(): void;
};

function succeed<Result>(result: Result): Listening<Result> {
  const request: Listening<Result> = { result };
  queueMicrotask(() => {
    request.onupgradeneeded?.();
    request.onsuccess?.();
  });
  return request;
}

function beginTransaction(rows: Map<IDBValidKey, unknown>) {
  const transaction: Listening<undefined> = { result: undefined };
  const store = {
    transaction,
    put: (value: unknown, key: IDBValidKey) => succeed(void rows.set(key, value)),
    get: (key: IDBValidKey) => succeed(rows.get(key)),
    delete: (which: IDBValidKey | KeyRange) => {
      const range = typeof which === 'object' && 'lower' in which ? which : undefined;
      for (const key of rows.keys()) if (range ? isIn(range, key) : key === which) rows.delete(key);
      return succeed(undefined);
    },
    clear: () => succeed(rows.clear()),
    getAll: (range?: KeyRange) =>
      succeed([...rows].filter(([key]) => isIn(range, key)).map(([, value]) => value)),
    getAllKeys: () => succeed([...rows.keys()]),
  };
  setTimeout(() => transaction.oncomplete?.());
  return { objectStore: () => store };
}

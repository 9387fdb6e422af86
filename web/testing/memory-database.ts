import { onTestFinished } from 'vitest';

/** happy-dom has no IndexedDB. Until the test ends, this stands in with the part of it that idb-keyval calls. */
export function keepDatabasesInMemory(): void {
  const databases = new Map<string, Map<IDBValidKey, unknown>>();
  const before = globalThis.indexedDB;
  onTestFinished(() => void Object.assign(globalThis, { indexedDB: before }));
  const open = (name: string) => {
    const rows = databases.get(name) ?? new Map<IDBValidKey, unknown>();
    databases.set(name, rows);
    return succeed({ createObjectStore: () => {}, transaction: () => beginTransaction(rows) });
  };
  Object.assign(globalThis, { indexedDB: { open } });
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
    delete: (key: IDBValidKey) => succeed(void rows.delete(key)),
    clear: () => succeed(rows.clear()),
    getAll: () => succeed([...rows.values()]),
    getAllKeys: () => succeed([...rows.keys()]),
  };
  setTimeout(() => transaction.oncomplete?.());
  return { objectStore: () => store };
}

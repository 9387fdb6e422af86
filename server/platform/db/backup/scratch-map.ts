import { DatabaseSync, type StatementSync } from 'node:sqlite';

/**
 * For more entries than fit in memory. The temporary file is unlinked, so it disappears with the process.
 * Calls are synchronous and take microseconds.
 */
export class ScratchMap {
  readonly #database = new DatabaseSync('');
  readonly #set: StatementSync;
  readonly #get: StatementSync;
  readonly #withPrefix: StatementSync;

  constructor() {
    this.#database.exec(`
      pragma journal_mode = off;
      pragma synchronous = off;
      create table entries (key text primary key, value text not null) without rowid;
      begin;
    `);
    this.#set = this.#database.prepare('insert or replace into entries (key, value) values (?, ?)');
    this.#get = this.#database.prepare('select value from entries where key = ?');
    this.#withPrefix = this.#database.prepare(
      'select key, value from entries where key >= ? and key < ? order by key',
    );
  }

  set(key: string, value: string): void {
    this.#set.run(key, value);
  }

  get(key: string): string | undefined {
    return this.#get.get(key)?.value as string | undefined;
  }

  has(key: string): boolean {
    return this.#get.get(key) !== undefined;
  }

  /** In key order. */
  listByPrefix(prefix: string): [key: string, value: string][] {
    const rows = this.#withPrefix.all(prefix, `${prefix}\u{10ffff}`);
    return rows.map(({ key, value }) => [String(key), String(value)]);
  }

  close(): void {
    this.#database.close();
  }
}

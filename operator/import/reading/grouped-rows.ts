import type { ForeignRow } from './rows.ts';

/**
 * Gathers child rows for parents that come in the order of the same key, so that neither an index on the children nor
 * memory for all of them is needed.
 */
export class GroupedRows {
  readonly #rows: Iterator<ForeignRow>;
  readonly #column: string;
  #next: IteratorResult<ForeignRow>;

  /** `rows` must be sorted by `column`, in SQLite's binary order. */
  constructor(rows: Iterable<ForeignRow>, column: string) {
    this.#rows = rows[Symbol.iterator]();
    this.#column = column;
    this.#next = this.#rows.next();
  }

  /** Keys must ascend from call to call. */
  take(key: string): ForeignRow[] {
    const found: ForeignRow[] = [];
    while (!this.#next.done) {
      const order = compareBytes(String(this.#next.value[this.#column]), key);
      if (order > 0) break;
      if (order === 0) found.push(this.#next.value);
      this.#next = this.#rows.next();
    }
    return found;
  }
}

function compareBytes(one: string, other: string): number {
  return one === other ? 0 : Buffer.compare(Buffer.from(one), Buffer.from(other));
}

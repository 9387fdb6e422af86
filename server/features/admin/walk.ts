import { setImmediate } from 'node:timers/promises';
import type { Position } from '../../platform/lib/cursor.ts';

/** A row of the list, and whether it is one of those looked for. */
export type Looked = { id: string; sortKey: Position['key']; isWanted: number };

type Walk<Row extends Looked> = {
  /** The next rows behind a place, in order; fewer than asked for are the last ones. */
  readSlice(after: Position | undefined, size: number): Promise<Row[]>;
  after: Position | undefined;
  /** How many are enough. */
  wanted: number;
  /** Nobody waits for the answer any more. */
  isGone(): boolean;
};

const FIRST_SLICE = 250;
const LARGEST_SLICE = 4_000;

/**
 * Finds the next rows of a list that no index narrows down, in order. It looks at a slice at a time, so that a
 * rare word among a million rows keeps nobody else waiting: SQLite works in this very thread.
 */
export async function walk<Row extends Looked>({ readSlice, after, wanted, isGone }: Walk<Row>) {
  const found: Row[] = [];
  let place = after;
  for (let size = FIRST_SLICE; ; size = Math.min(4 * size, LARGEST_SLICE)) {
    const slice = await readSlice(place, size);
    found.push(...slice.filter(({ isWanted }) => isWanted === 1));
    const last = slice.at(-1);
    if (found.length >= wanted || slice.length < size || !last || isGone()) return found.slice(0, wanted);
    place = { id: last.id, key: last.sortKey };
    await setImmediate();
  }
}

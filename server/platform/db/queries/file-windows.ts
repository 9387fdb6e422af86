import type { Db } from '../open.ts';
import { prepare } from './prepared.ts';

/** The most rows read before yielding to the event loop. */
export const WINDOW = 1_000;

type Reading<Row> = {
  transferId: string;
  /** -1 starts with the first file. */
  after: number;
  /** Positions in `(after, upTo]`, in order. */
  read: (after: number, upTo: number) => Promise<Row[]>;
  /** The first position after `after`; by default of complete files only. */
  findNext?: (after: number) => Promise<number | undefined>;
};

const selectNext = prepare((db, transferId: string, after: number) =>
  db
    .selectFrom('files')
    .select('position')
    .where('transferId', '=', transferId)
    .where('position', '>', after)
    .orderBy('position')
    .limit(1),
);

/**
 * Reads a transfer's files by position, one window at a time. The upper bound matters: with only a limit,
 * PostgreSQL may fetch and sort all remaining rows.
 */
export async function* readFileWindows<Row>(
  db: Db,
  { transferId, after, read, findNext = (from) => findNextPosition(db, transferId, from) }: Reading<Row>,
): AsyncGenerator<Row[], void, void> {
  for (let from = after; ; ) {
    const upTo = from + WINDOW;
    const rows = await read(from, upTo);
    if (rows.length > 0) yield rows;
    from = upTo;
    if (rows.length === WINDOW) continue;
    // A gap left by abandoned uploads, or the end.
    const next = await findNext(upTo);
    if (next === undefined) return;
    from = next - 1;
  }
}

export async function findNextPosition(
  db: Db,
  transferId: string,
  after: number,
): Promise<number | undefined> {
  const [next] = await selectNext(db, transferId, after);
  return next?.position;
}

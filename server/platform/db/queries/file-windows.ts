import type { Db } from '../open.ts';
import { prepare } from './prepared.ts';

/** Positions in a window, and rows read between two turns of the event loop at most. */
export const WINDOW = 1_000;

type Reading<Row> = {
  transferId: string;
  /** Begins behind this position; -1 for the first file. */
  after: number;
  /** The rows with positions in `(after, upTo]`, in order. */
  read: (after: number, upTo: number) => Promise<Row[]>;
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
 * Reads rows of a transfer's files in the order of their positions, a window of positions at a time. A query with
 * a limit and no upper bound would not do: PostgreSQL may fetch and sort all rows behind the position for it.
 */
export async function* readFileWindows<Row>(
  db: Db,
  { transferId, after, read }: Reading<Row>,
): AsyncGenerator<Row[], void, void> {
  for (let from = after; ; ) {
    const upTo = from + WINDOW;
    const rows = await read(from, upTo);
    if (rows.length > 0) yield rows;
    from = upTo;
    if (rows.length === WINDOW) continue;
    // A gap, where uploads were given up, or the end.
    const next = await findNextPosition(db, transferId, upTo);
    if (next === undefined) return;
    from = next - 1;
  }
}

/** The position of the first file behind another position; undefined when there is none. */
export async function findNextPosition(
  db: Db,
  transferId: string,
  after: number,
): Promise<number | undefined> {
  const [next] = await selectNext(db, transferId, after);
  return next?.position;
}

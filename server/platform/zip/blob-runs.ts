import type { BlobOpener } from '../lib/byte-source.ts';
import type { BlobRange } from '../storage/blob-store.ts';

/** Bytes `[start, end)` of a blob. */
export type Run = { storageKey: string; start: number; end: number };

/** How many ranges are open at most, the one being read among them. */
const OPEN_RANGES_MAX = 16;
/** The next range is opened when less than this is left of those already open. */
const LOOK_AHEAD_BYTES = 4 * 1024 * 1024;

/** Puts neighbours together: slices lying one behind another in a blob (a pack) are one run, one open. */
export function* mergeRuns(slices: Iterable<Run>): Generator<Run> {
  let run: Run | undefined;
  for (const slice of slices) {
    if (run && run.storageKey === slice.storageKey && run.end === slice.start) {
      run.end = slice.end;
      continue;
    }
    if (run) yield run;
    run = { ...slice };
  }
  if (run) yield run;
}

type OpenRun = { leftBytes: number; opening: Promise<BlobRange> };

/**
 * Reads many runs as if they were one sequence of bytes. Opens each only shortly before it is needed, but
 * early enough that a remote store's answer time is not paid between two files.
 */
export class BlobRuns {
  readonly #blobs: BlobOpener;
  readonly #runs: Iterator<Run>;
  readonly #open: OpenRun[] = [];

  constructor(blobs: BlobOpener, runs: Iterable<Run>) {
    this.#blobs = blobs;
    this.#runs = runs[Symbol.iterator]();
  }

  /** Fills the views, one after another, with the next bytes. */
  async fill(views: Buffer[]): Promise<void> {
    for (let rest = views; rest.length > 0; ) {
      this.#lookAhead();
      const run = this.#open[0];
      if (!run) throw new RangeError('more bytes asked for than there are');
      const range = await run.opening;
      const { taken, left } = splitViews(rest, run.leftBytes);
      await range.fill(taken);
      rest = left;
      run.leftBytes -= taken.reduce((sum, view) => sum + view.length, 0);
      if (run.leftBytes > 0) continue;
      this.#open.shift();
      await range.close();
    }
  }

  async close(): Promise<void> {
    const open = this.#open.splice(0);
    await Promise.all(open.map(async ({ opening }) => (await opening.catch(() => undefined))?.close()));
  }

  #lookAhead(): void {
    let readyBytes = this.#open.reduce((sum, run) => sum + run.leftBytes, 0);
    while (readyBytes < LOOK_AHEAD_BYTES && this.#open.length < OPEN_RANGES_MAX) {
      const next = this.#runs.next();
      if (next.done) return;
      const { storageKey, start, end } = next.value;
      const opening = this.#blobs.openRange(storageKey, start, end);
      // A range that cannot be opened is reported when its turn comes, not before.
      opening.catch(() => undefined);
      this.#open.push({ leftBytes: end - start, opening });
      readyBytes += end - start;
    }
  }
}

/** The views that hold the first `length` bytes, and those for what comes after; one may be cut in two. */
function splitViews(views: Buffer[], length: number): { taken: Buffer[]; left: Buffer[] } {
  let room = length;
  for (const [index, view] of views.entries()) {
    if (view.length <= room) {
      room -= view.length;
      continue;
    }
    const taken = room > 0 ? [...views.slice(0, index), view.subarray(0, room)] : views.slice(0, index);
    return { taken, left: [view.subarray(room), ...views.slice(index + 1)] };
  }
  return { taken: views, left: [] };
}

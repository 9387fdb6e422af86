import { crc32 } from 'node:zlib';
import { listDataParts } from '../../../contracts/zip/file-zip.ts';
import {
  copyDirectory,
  copyLocalHeader,
  dataStart,
  directoryStart,
  findEntry,
  type ZipLayout,
} from '../../../contracts/zip/layout.ts';
import {
  type BlobOpener,
  type ByteReader,
  type ByteSource,
  verificationBudget,
  wrongBytes,
} from '../lib/byte-source.ts';
import type { BlobRange } from '../storage/blob-store.ts';
import type { StoredEntryTable } from './stored-entries.ts';

type StoredZipLayout = ZipLayout<StoredEntryTable>;

/** Called once before a read fails because the entry's bytes are wrong. Must not throw. */
type OnWrongEntry = (index: number) => Promise<void>;

/**
 * A zip computed while it is read. Complete entries are verified against their CRC-32, like in
 * `verifiedSource`. Reading rejects when a blob is missing, too short or wrong, so that no incomplete archive
 * looks valid.
 */
export function zipSource(
  blobs: BlobOpener,
  layout: StoredZipLayout,
  onWrongEntry: OnWrongEntry = async () => {},
): ByteSource {
  return {
    sizeBytes: layout.sizeBytes,
    open: async (start, end) =>
      new ZipReader(layout, {
        runs: new BlobRuns(blobs, mergeRuns(listSlices(layout, { start, end }))),
        start,
        onWrongEntry,
      }),
  };
}

function* listSlices(layout: StoredZipLayout, range: { start: number; end: number }): Generator<Run> {
  const { entries } = layout;
  for (const { index, start, end } of listDataParts(layout, range)) {
    const offset = entries.offsetOf(index);
    yield { storageKey: entries.storageKeyOf(index), start: offset + start, end: offset + end };
  }
}

/**
 * Beyond this, pieces are read together and then moved, because a view costs more than copying about 30 KiB.
 */
const VIEWS_MAX = 16;

type Placing = {
  /** `at` is the position in the block; `skip` bytes of the header are omitted. */
  header: (at: number, index: number, skip: number) => void;
  /** `at` is the position in the block. */
  data: (at: number, length: number, index: number) => void;
};

/** Verifies CRC-32s within the process's CPU budget. */
class EntryCheck {
  readonly #layout: StoredZipLayout;
  /** An unverified entry (reading started in its middle, or the budget was spent), or -1. */
  #skippedIndex: number;
  #index = -1;
  #leftBytes = 0;
  #crc32 = 0;
  wrongIndex: number | undefined;

  constructor(layout: StoredZipLayout, start: number) {
    this.#layout = layout;
    const index = findEntry(layout, start);
    this.#skippedIndex = index < layout.entries.count && start > dataStart(layout, index) ? index : -1;
  }

  add(index: number, piece: Buffer): void {
    if (index === this.#skippedIndex) return;
    const { entries } = this.#layout;
    if (!verificationBudget.claim(piece.length, entries.sizeOf(index))) {
      this.#skippedIndex = index;
      return;
    }
    if (index !== this.#index) {
      this.#index = index;
      this.#leftBytes = entries.sizeOf(index);
      this.#crc32 = 0;
    }
    this.#crc32 = crc32(piece, this.#crc32);
    this.#leftBytes -= piece.length;
    if (this.#leftBytes === 0 && this.#crc32 !== entries.crc32Of(index)) this.wrongIndex ??= index;
  }
}

type Reading = { runs: BlobRuns; start: number; onWrongEntry: OnWrongEntry };

class ZipReader implements ByteReader {
  readonly #layout: StoredZipLayout;
  readonly #runs: BlobRuns;
  readonly #check: EntryCheck;
  readonly #onWrongEntry: OnWrongEntry;
  #position: number;

  constructor(layout: StoredZipLayout, { runs, start, onWrongEntry }: Reading) {
    this.#layout = layout;
    this.#runs = runs;
    this.#check = new EntryCheck(layout, start);
    this.#onWrongEntry = onWrongEntry;
    this.#position = start;
  }

  async fill(buffer: Buffer): Promise<void> {
    const position = this.#position;
    const entryBytes = Math.min(buffer.length, Math.max(0, directoryStart(this.#layout) - position));
    const directory = buffer.subarray(entryBytes);
    if (entryBytes > 0) await this.#fillEntries(buffer.subarray(0, entryBytes));
    if (directory.length > 0) copyDirectory(this.#layout, position + entryBytes, directory);
    this.#position += buffer.length;
  }

  close(): Promise<void> {
    return this.#runs.close();
  }

  async #fillEntries(block: Buffer): Promise<void> {
    let pieces = 0;
    let dataBytes = 0;
    const count = (_at: number, length: number) => {
      pieces += 1;
      dataBytes += length;
    };
    this.#placeEntries(block.length, { header: () => undefined, data: count });
    if (pieces <= VIEWS_MAX) await this.#readInPlace(block);
    else await this.#readAndSpread(block, dataBytes);
    const { wrongIndex } = this.#check;
    if (wrongIndex === undefined) return;
    await this.#onWrongEntry(wrongIndex);
    throw wrongBytes();
  }

  async #readInPlace(block: Buffer): Promise<void> {
    const views: Buffer[] = [];
    const indexes: number[] = [];
    this.#placeEntries(block.length, {
      header: (at, index, skip) => void copyLocalHeader(this.#layout, index, skip, block.subarray(at)),
      data: (at, length, index) => {
        views.push(block.subarray(at, at + length));
        indexes.push(index);
      },
    });
    await this.#runs.fill(views);
    for (const [position, view] of views.entries()) this.#check.add(indexes[position]!, view);
  }

  /** Moves data forward without overwriting unread data. */
  async #readAndSpread(block: Buffer, dataBytes: number): Promise<void> {
    let source = block.length - dataBytes;
    await this.#runs.fill([block.subarray(source)]);
    this.#placeEntries(block.length, {
      header: (at, index, skip) => void copyLocalHeader(this.#layout, index, skip, block.subarray(at)),
      data: (at, length, index) => {
        block.copyWithin(at, source, source + length);
        source += length;
        this.#check.add(index, block.subarray(at, at + length));
      },
    });
  }

  /** The bytes must be before the directory. */
  #placeEntries(length: number, { header, data }: Placing): void {
    const { headerStarts } = this.#layout;
    const start = this.#position;
    const end = start + length;
    for (let index = findEntry(this.#layout, start); headerStarts[index]! < end; index += 1) {
      const headerStart = headerStarts[index]!;
      const dataFrom = Math.max(start, dataStart(this.#layout, index));
      const dataTo = Math.min(end, headerStarts[index + 1]!);
      if (start < dataFrom) header(Math.max(headerStart - start, 0), index, Math.max(start - headerStart, 0));
      if (dataFrom < dataTo) data(dataFrom - start, dataTo - dataFrom, index);
    }
  }
}

/** `end` is exclusive. */
type Run = { storageKey: string; start: number; end: number };

/** Including the range being read. */
const OPEN_RANGES_MAX = 16;
/** Open the next range when less than this is left of those open. */
const LOOK_AHEAD_BYTES = 4 * 1024 * 1024;

/** Adjacent slices of a blob (a pack) become one run, opened once. */
function* mergeRuns(slices: Iterable<Run>): Generator<Run> {
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

/** Reads runs as one sequence, opening each early enough to hide the latency of remote storage. */
class BlobRuns {
  readonly #blobs: BlobOpener;
  readonly #runs: Iterator<Run>;
  readonly #open: OpenRun[] = [];

  constructor(blobs: BlobOpener, runs: Iterable<Run>) {
    this.#blobs = blobs;
    this.#runs = runs[Symbol.iterator]();
  }

  async fill(views: Buffer[]): Promise<void> {
    for (let rest = views; rest.length > 0; ) {
      this.#lookAhead();
      const run = this.#open[0];
      if (!run) throw new RangeError('the read goes beyond the end of the archive');
      const range = await run.opening;
      const { first, left } = splitViews(rest, run.leftBytes);
      await range.fill(first);
      rest = left;
      run.leftBytes -= first.reduce((sum, view) => sum + view.length, 0);
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

/** The view at the boundary is split. */
function splitViews(views: Buffer[], length: number): { first: Buffer[]; left: Buffer[] } {
  let room = length;
  for (const [index, view] of views.entries()) {
    if (view.length <= room) {
      room -= view.length;
      continue;
    }
    const first = room > 0 ? [...views.slice(0, index), view.subarray(0, room)] : views.slice(0, index);
    return { first, left: [view.subarray(room), ...views.slice(index + 1)] };
  }
  return { first: views, left: [] };
}

import { crc32 } from 'node:zlib';
import type { BlobOpener, ByteReader, ByteSource } from '../lib/byte-source.ts';
import { verificationBudget, wrongBytes } from '../lib/verified-source.ts';
import { BlobRuns, mergeRuns, type Run } from './blob-runs.ts';
import {
  copyDirectory,
  copyLocalHeader,
  dataStart,
  directoryStart,
  findEntry,
  type ZipLayout,
} from './layout.ts';

/** Called once, with the entry's index, before a reading fails because the entry's bytes are wrong. Must not throw. */
export type OnWrongEntry = (index: number) => Promise<void>;

/**
 * A zip made while it is read; nothing of it is stored. Entries that are read from their first byte to their last are
 * compared with their CRC-32 as `verifiedSource` does. Reading rejects when a blob is missing, shorter than its entry
 * or has other bytes: never a short or wrong archive that looks valid.
 */
export function zipSource(
  blobs: BlobOpener,
  layout: ZipLayout,
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

/** The stored bytes that the archive's `[start, end)` shows, in its order. */
function* listSlices(layout: ZipLayout, { start, end }: { start: number; end: number }): Generator<Run> {
  const { headerStarts, entries } = layout;
  for (
    let index = findEntry(layout, start);
    index < entries.count && headerStarts[index]! < end;
    index += 1
  ) {
    const dataPosition = dataStart(layout, index);
    const from = Math.max(start, dataPosition) - dataPosition;
    const to = Math.min(end, headerStarts[index + 1]!) - dataPosition;
    if (to <= from) continue;
    const offset = entries.offsetOf(index);
    yield { storageKey: entries.storageKeyOf(index), start: offset + from, end: offset + to };
  }
}

/**
 * Up to so many pieces of data in a block are read straight to their places. More of them are read in one go
 * and moved: a view costs more than copying some 30 KiB does.
 */
const VIEWS_MAX = 16;

type Placing = {
  /** Entry `index`'s local header, from its byte `skip` on, begins at `at` in the block. */
  header: (at: number, index: number, skip: number) => void;
  /** The next `length` bytes of stored data, which are entry `index`'s, belong at `at` in the block. */
  data: (at: number, length: number, index: number) => void;
};

/** Compares entries with their CRC-32 while their bytes pass, as far as the process's budget allows. */
class EntryCheck {
  readonly #layout: ZipLayout;
  /** An entry that is not compared: the reading began in its middle, or the budget was spent; -1 without one. */
  #skippedIndex: number;
  #index = -1;
  #leftBytes = 0;
  #crc32 = 0;
  /** The first entry found to be wrong. */
  wrongIndex: number | undefined;

  constructor(layout: ZipLayout, start: number) {
    this.#layout = layout;
    const index = findEntry(layout, start);
    this.#skippedIndex = index < layout.entries.count && start > dataStart(layout, index) ? index : -1;
  }

  add(index: number, piece: Buffer): void {
    if (index === this.#skippedIndex) return;
    const { entries } = this.#layout;
    if (!verificationBudget.allows(piece.length, entries.sizeOf(index))) {
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
  readonly #layout: ZipLayout;
  readonly #runs: BlobRuns;
  readonly #check: EntryCheck;
  readonly #onWrongEntry: OnWrongEntry;
  #position: number;

  constructor(layout: ZipLayout, { runs, start, onWrongEntry }: Reading) {
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

  /** Reads all data to the block's end, then moves it forward; what lies ahead is never overtaken. */
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

  /** Goes through what the next `length` bytes of the archive, all before its directory, are made of. */
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

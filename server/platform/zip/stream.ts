import type { BlobOpener, ByteReader, ByteSource } from '../lib/byte-source.ts';
import { BlobRuns, mergeRuns, type Run } from './blob-runs.ts';
import {
  copyDirectory,
  copyLocalHeader,
  dataStart,
  directoryStart,
  findEntry,
  type ZipLayout,
} from './layout.ts';

/**
 * A zip made while it is read; nothing of it is stored. Reading rejects when a blob is missing or shorter than
 * its entry: never a short but valid archive.
 */
export function zipSource(blobs: BlobOpener, layout: ZipLayout): ByteSource {
  return {
    sizeBytes: layout.sizeBytes,
    open: async (start, end) =>
      new ZipReader(blobs, layout, mergeRuns(listSlices(layout, { start, end })), start),
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
  /** The next `length` bytes of stored data belong at `at` in the block. */
  data: (at: number, length: number) => void;
};

class ZipReader implements ByteReader {
  readonly #layout: ZipLayout;
  readonly #runs: BlobRuns;
  #position: number;

  constructor(blobs: BlobOpener, layout: ZipLayout, runs: Iterable<Run>, start: number) {
    this.#layout = layout;
    this.#runs = new BlobRuns(blobs, runs);
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
  }

  async #readInPlace(block: Buffer): Promise<void> {
    const views: Buffer[] = [];
    this.#placeEntries(block.length, {
      header: (at, index, skip) => void copyLocalHeader(this.#layout, index, skip, block.subarray(at)),
      data: (at, length) => void views.push(block.subarray(at, at + length)),
    });
    await this.#runs.fill(views);
  }

  /** Reads all data to the block's end, then moves it forward; what lies ahead is never overtaken. */
  async #readAndSpread(block: Buffer, dataBytes: number): Promise<void> {
    let source = block.length - dataBytes;
    await this.#runs.fill([block.subarray(source)]);
    this.#placeEntries(block.length, {
      header: (at, index, skip) => void copyLocalHeader(this.#layout, index, skip, block.subarray(at)),
      data: (at, length) => {
        block.copyWithin(at, source, source + length);
        source += length;
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
      if (dataFrom < dataTo) data(dataFrom - start, dataTo - dataFrom);
    }
  }
}

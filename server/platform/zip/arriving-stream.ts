import { directoryStart, endOfEntry, findEntry, type ZipLayout } from '../../../contracts/zip/layout.ts';
import type { BlobOpener, ByteReader, ByteSource } from '../lib/byte-source.ts';
import type { StoredEntryTable } from './stored-entries.ts';
import { zipSource } from './stream.ts';

export type ArrivingEntries = {
  /** Whether all bytes and the CRC-32 of the entry are known. */
  isKnown(index: number): boolean;
  /** Resolves once they are, and sets the CRC-32 in the layout. Rejects with the signal's reason. */
  awaitEntry(index: number, signal: AbortSignal): Promise<void>;
  /** Throws if an entry was withdrawn since it was read. */
  requireAll(): Promise<void>;
  close(): void;
};

/**
 * A zip whose files are still arriving. Its length and layout are known, but an entry's header needs its CRC-32, so
 * reading waits at the beginning of each entry until that is complete. The bytes are those of the zip of the complete
 * files.
 */
export function arrivingZipSource(
  blobs: BlobOpener,
  layout: ZipLayout<StoredEntryTable>,
  openEntries: () => ArrivingEntries,
): ByteSource {
  return {
    sizeBytes: layout.sizeBytes,
    open: async (start, end) =>
      new ArrivingZipReader({ zip: zipSource(blobs, layout), layout, entries: openEntries(), start, end }),
  };
}

type Reading = {
  zip: ByteSource;
  layout: ZipLayout<StoredEntryTable>;
  entries: ArrivingEntries;
  start: number;
  end: number;
};

class ArrivingZipReader implements ByteReader {
  readonly #reading: Reading;
  #position: number;
  /** The part of the zip that can be read now, and its reader. */
  #knownEnd: number;
  #part: ByteReader | undefined;

  constructor(reading: Reading) {
    this.#reading = reading;
    this.#position = reading.start;
    this.#knownEnd = reading.start;
  }

  async available(signal: AbortSignal): Promise<number> {
    if (this.#position === this.#knownEnd) {
      await this.#part?.close();
      this.#part = undefined;
      this.#knownEnd = await this.#awaitPart(signal);
      this.#part = await this.#reading.zip.open(this.#position, this.#knownEnd);
    }
    return this.#knownEnd - this.#position;
  }

  async fill(buffer: Buffer): Promise<void> {
    for (let done = 0; done < buffer.length; ) {
      const length = Math.min(buffer.length - done, await this.available(NEVER));
      await this.#part!.fill(buffer.subarray(done, done + length));
      this.#position += length;
      done += length;
    }
    if (this.#position === this.#reading.end) await this.#reading.entries.requireAll();
  }

  async close(): Promise<void> {
    this.#reading.entries.close();
    await this.#part?.close();
  }

  /** Waits for the entry at the position, and adds the following ones that are known already. */
  async #awaitPart(signal: AbortSignal): Promise<number> {
    const { layout, entries, end } = this.#reading;
    const { count } = layout.entries;
    if (this.#position >= directoryStart(layout)) {
      // The directory has the CRC-32 of all entries.
      for (let index = 0; index < count; index += 1) await entries.awaitEntry(index, signal);
      return end;
    }
    let index = findEntry(layout, this.#position);
    await entries.awaitEntry(index, signal);
    while (endOfEntry(layout, index) < end && index + 1 < count && entries.isKnown(index + 1)) index += 1;
    return Math.min(endOfEntry(layout, index), end);
  }
}

const NEVER = new AbortController().signal;

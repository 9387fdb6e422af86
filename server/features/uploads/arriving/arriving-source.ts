import type { Context } from '../../../context.ts';
import type { ByteReader, ByteSource } from '../../../platform/lib/byte-source.ts';
import type { BlobRange } from '../../../platform/storage/blob-store.ts';
import { type ArrivalWatch, arrivalsOf, type WatchedUpload } from './arrivals.ts';

/**
 * A file that is still being uploaded, with its announced size. Reads only acknowledged chunks and waits for the others;
 * an acknowledged chunk of an arriving transfer never changes, so all readers get the same bytes. Readers throw AppError
 * `file_withdrawn` once the upload is cancelled, at the latest before the last bytes.
 */
export function arrivingSource(
  context: Pick<Context, 'db' | 'blobs' | 'leases'>,
  upload: WatchedUpload,
): ByteSource {
  const { storageKey, offset, sizeBytes } = upload;
  return {
    sizeBytes,
    async open(start, end) {
      const range = await context.blobs.openRange(storageKey, offset + start, offset + end);
      return new ArrivingReader(range, { watch: arrivalsOf(context).watch(upload), upload, start, end });
    },
  };
}

type Reading = { watch: ArrivalWatch; upload: WatchedUpload; start: number; end: number };

class ArrivingReader implements ByteReader {
  readonly #range: BlobRange;
  readonly #watch: ArrivalWatch;
  readonly #upload: WatchedUpload;
  readonly #end: number;
  #position: number;
  /** Bytes before it are known to be stored. */
  #storedEnd = 0;

  constructor(range: BlobRange, { watch, upload, start, end }: Reading) {
    this.#range = range;
    this.#watch = watch;
    this.#upload = upload;
    this.#position = start;
    this.#end = end;
  }

  async available(signal: AbortSignal): Promise<number> {
    if (this.#position >= this.#storedEnd) {
      const { chunkSize } = this.#upload;
      const index = Math.floor(this.#position / chunkSize);
      await this.#watch.waitForChunk(index, signal);
      this.#storedEnd = (index + 1) * chunkSize;
    }
    return Math.min(this.#storedEnd, this.#end) - this.#position;
  }

  async fill(buffer: Buffer): Promise<void> {
    for (let done = 0; done < buffer.length; ) {
      const length = Math.min(buffer.length - done, await this.available(NEVER));
      await this.#range.fill([buffer.subarray(done, done + length)]);
      this.#position += length;
      done += length;
    }
    if (this.#position === this.#end) await this.#watch.requireWanted();
  }

  async close(): Promise<void> {
    this.#watch.release();
    await this.#range.close();
  }
}

const NEVER = new AbortController().signal;

import { MIB } from '../../../../contracts/values/sizes.ts';
import { type Bytes, concatBytes } from '../../../../encryption/bytes.ts';

const SLICE_BYTES = 8 * MIB;
const SLICES_AHEAD = 2;

export type SliceSource = {
  sizeBytes: number;
  /** Fills `target`, which is as long as the range. */
  fetch(start: number, end: number, target: Bytes): Promise<void>;
};

type Slice = { start: number; end: number; bytes: Bytes; filled: Promise<void> };

/**
 * Reads a download in slices, some of them ahead. That bounds memory in every browser: Firefox keeps reading a response
 * that a page does not. The last slice is requested when all others have arrived, because it completes the download,
 * which may delete the transfer.
 */
export class SliceReader {
  readonly #source: SliceSource;
  readonly #sliceBytes: number;
  /** In order, without gaps. */
  #slices: Slice[] = [];
  readonly #running = new Set<Promise<void>>();
  /** Memory of released slices, to be used again: writing to fresh memory is much slower. */
  readonly #spare: Bytes[] = [];
  #next: number;
  #position: number;

  constructor(source: SliceSource, { start = 0, sliceBytes = SLICE_BYTES } = {}) {
    this.#source = source;
    this.#sliceBytes = sliceBytes;
    this.#next = start;
    this.#position = start;
  }

  /** Positions must not go back. The bytes are valid until they are released; they may share memory. */
  async read(start: number, length: number): Promise<Bytes> {
    const end = start + length;
    const parts: Bytes[] = [];
    for (let at = start; at < end; ) {
      this.#position = at;
      this.#fetchAhead();
      const slice = this.#slices.find((each) => at >= each.start && at < each.end);
      if (!slice) throw new RangeError('Read beyond the end of the download');
      await slice.filled;
      const until = Math.min(end, slice.end);
      parts.push(slice.bytes.subarray(at - slice.start, until - slice.start));
      at = until;
    }
    this.#position = end;
    this.#fetchAhead();
    return parts.length === 1 ? parts[0]! : concatBytes(...parts);
  }

  /** Nothing before this position is used any more. */
  release(before: number): void {
    const released = this.#slices.filter(({ end }) => end <= before);
    this.#slices = this.#slices.slice(released.length);
    this.#spare.push(...released.map(({ bytes }) => bytes));
  }

  /** Fetches what is left, so that the server sees the end of the download. */
  async finish(): Promise<void> {
    for (;;) {
      await Promise.all(this.#slices.map(({ filled }) => filled));
      if (this.#next >= this.#source.sizeBytes) return;
      this.release(this.#next);
      this.#position = this.#next;
      this.#fetchAhead();
    }
  }

  #fetchAhead(): void {
    const { sizeBytes } = this.#source;
    const isAhead = ({ end }: Slice) => end > this.#position;
    while (this.#slices.filter(isAhead).length <= SLICES_AHEAD && this.#next < sizeBytes) {
      const start = this.#next;
      const end = Math.min(start + this.#sliceBytes, sizeBytes);
      const bytes = this.#takeMemory(end - start);
      const earlier = end === sizeBytes ? [...this.#running] : [];
      const filled = Promise.all(earlier).then(() => this.#source.fetch(start, end, bytes));
      this.#running.add(filled);
      // A failure is reported by the read that needs the slice.
      filled.catch(() => undefined).finally(() => this.#running.delete(filled));
      this.#slices.push({ start, end, bytes, filled });
      this.#next = end;
    }
  }

  #takeMemory(length: number): Bytes {
    const { buffer } =
      this.#spare.pop() ?? new Uint8Array(Math.min(this.#sliceBytes, this.#source.sizeBytes));
    return new Uint8Array(buffer, 0, length);
  }
}

import { MIB } from '../../../../contracts/values/sizes.ts';
import type { Bytes } from '../../../../encryption/bytes.ts';

const SLICE_BYTES = 32 * MIB;
const SLICES_AHEAD = 2;

export type SliceSource = {
  sizeBytes: number;
  fetch(start: number, end: number): Promise<Bytes>;
};

type Slice = { start: number; end: number; bytes: Promise<Bytes> };

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
  readonly #running = new Set<Promise<Bytes>>();
  #next: number;

  constructor(source: SliceSource, { start = 0, sliceBytes = SLICE_BYTES } = {}) {
    this.#source = source;
    this.#sliceBytes = sliceBytes;
    this.#next = start;
  }

  /** Positions must not go back. The bytes are valid until the reader is dropped; they may share memory. */
  async read(start: number, length: number): Promise<Bytes> {
    this.#drop(start);
    const end = start + length;
    const parts: Bytes[] = [];
    for (let at = start; at < end; ) {
      this.#fetchAhead();
      const slice = this.#slices.find((each) => at >= each.start && at < each.end);
      if (!slice) throw new RangeError('Read beyond the end of the download');
      const bytes = await slice.bytes;
      const until = Math.min(end, slice.end);
      parts.push(bytes.subarray(at - slice.start, until - slice.start));
      at = until;
      this.#drop(at);
    }
    return parts.length === 1 ? parts[0]! : join(parts, length);
  }

  /** Fetches what is left, so that the server sees the end of the download. */
  async finish(): Promise<void> {
    for (;;) {
      await Promise.all(this.#slices.map(({ bytes }) => bytes));
      if (this.#next >= this.#source.sizeBytes) return;
      this.#slices = [];
      this.#fetchAhead();
    }
  }

  #drop(before: number): void {
    this.#slices = this.#slices.filter(({ end }) => end > before);
    if (this.#slices.length === 0)
      this.#next = Math.max(this.#next, Math.min(before, this.#source.sizeBytes - 1));
  }

  #fetchAhead(): void {
    const { sizeBytes } = this.#source;
    while (this.#slices.length <= SLICES_AHEAD && this.#next < sizeBytes) {
      const start = this.#next;
      const end = Math.min(start + this.#sliceBytes, sizeBytes);
      const earlier = end === sizeBytes ? [...this.#running] : [];
      const bytes = Promise.all(earlier).then(() => this.#source.fetch(start, end));
      this.#running.add(bytes);
      // A failure is reported by the read that needs the slice.
      bytes.catch(() => undefined).finally(() => this.#running.delete(bytes));
      this.#slices.push({ start, end, bytes });
      this.#next = end;
    }
  }
}

function join(parts: Bytes[], length: number): Bytes {
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

import { withRoom } from './typed-columns.ts';

const FIRST_CAPACITY = 64;
const encoder = new TextEncoder();
/** A byte order mark is part of the text. */
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** Contiguous UTF-8, in a fraction of the memory of strings. */
export class TextColumn {
  #bytes = new Uint8Array(FIRST_CAPACITY);
  #ends = new Uint32Array(FIRST_CAPACITY);
  #count = 0;

  get count(): number {
    return this.#count;
  }

  get memoryBytes(): number {
    return this.#bytes.length + this.#ends.byteLength;
  }

  add(text: string): void {
    const start = this.#startOf(this.#count);
    const needed = start + text.length * 3;
    if (needed > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(needed, this.#bytes.length * 2));
      larger.set(this.#bytes.subarray(0, start));
      this.#bytes = larger;
    }
    this.#ends = withRoom(this.#ends, this.#count);
    this.#ends[this.#count] = start + encoder.encodeInto(text, this.#bytes.subarray(start)).written;
    this.#count += 1;
  }

  at(index: number): string {
    return decoder.decode(this.bytesAt(index));
  }

  /** A view. */
  bytesAt(index: number): Uint8Array {
    return this.#bytes.subarray(this.#startOf(index), this.#ends[index]!);
  }

  byteLength(index: number): number {
    return this.#ends[index]! - this.#startOf(index);
  }

  trim(): void {
    this.#bytes = this.#bytes.slice(0, this.#startOf(this.#count));
    this.#ends = this.#ends.slice(0, this.#count);
  }

  #startOf(index: number): number {
    return index === 0 ? 0 : this.#ends[index - 1]!;
  }
}

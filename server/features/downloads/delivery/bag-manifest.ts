import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { TextColumn } from '../../../../contracts/zip/text-column.ts';

const SUM_BYTES = 32;
const BEFORE_PATH = '  data/';
const LINE_BYTES = 2 * SUM_BYTES + BEFORE_PATH.length + 1;
const PIECE_BYTES = 64 * 1024;

/**
 * `manifest-sha256.txt` of a bag. Any part of it can be written without the rest. Needs 40 bytes of memory per file,
 * plus its name.
 */
export class BagManifest {
  static readonly path = 'manifest-sha256.txt';
  readonly #paths = new TextColumn();
  readonly #sums: Buffer;
  /** Of each line; the last one is the end. */
  readonly #starts: Float64Array;

  /** `sums`: 32 bytes for each file that will be added. */
  constructor(sums: Buffer) {
    this.#sums = sums;
    this.#starts = new Float64Array(sums.length / SUM_BYTES + 1);
  }

  add(path: string): void {
    const index = this.#paths.count;
    this.#paths.add(encodePath(path));
    this.#starts[index + 1] = this.#starts[index]! + LINE_BYTES + this.#paths.byteLength(index);
  }

  get sizeBytes(): number {
    return this.#starts.at(-1)!;
  }

  get memoryBytes(): number {
    return this.#paths.memoryBytes + this.#sums.length + this.#starts.byteLength;
  }

  /** Fills the target with the bytes from `start` on. */
  copy(target: Buffer, start: number): void {
    let copied = 0;
    for (let index = this.#findLine(start); copied < target.length; index += 1) {
      const line = Buffer.from(this.#lineAt(index));
      copied += line.copy(target, copied, start + copied - this.#starts[index]!);
    }
  }

  *digest(): Generator<void, { sha256: string; crc32: number }> {
    const hash = createHash('sha256');
    const piece = Buffer.alloc(PIECE_BYTES);
    let sum = 0;
    for (let start = 0; start < this.sizeBytes; start += PIECE_BYTES) {
      const bytes = piece.subarray(0, this.sizeBytes - start);
      this.copy(bytes, start);
      hash.update(bytes);
      sum = crc32(bytes, sum);
      yield;
    }
    return { sha256: hash.digest('hex'), crc32: sum };
  }

  #lineAt(index: number): string {
    const sum = this.#sums.toString('hex', index * SUM_BYTES, (index + 1) * SUM_BYTES);
    return `${sum}${BEFORE_PATH}${this.#paths.at(index)}\n`;
  }

  #findLine(position: number): number {
    let low = 0;
    let high = this.#paths.count - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (this.#starts[middle]! <= position) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

/** RFC 8493, section 2.1.3: only these characters are percent-encoded. */
export function encodePath(path: string): string {
  return path.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

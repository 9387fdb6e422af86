import type { BlobSlice } from '../lib/byte-source.ts';
import type { ZipEntry } from './records.ts';

const FIRST_CAPACITY = 64;

/** Contiguous UTF-8, in a fraction of the memory of strings. */
class TextColumn {
  #bytes = Buffer.alloc(FIRST_CAPACITY);
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
      const larger = Buffer.alloc(Math.max(needed, this.#bytes.length * 2));
      this.#bytes.copy(larger, 0, 0, start);
      this.#bytes = larger;
    }
    this.#ends = withRoom(this.#ends, this.#count);
    this.#ends[this.#count] = start + this.#bytes.write(text, start);
    this.#count += 1;
  }

  at(index: number): string {
    return this.#bytes.toString('utf8', this.#startOf(index), this.#ends[index]!);
  }

  byteLength(index: number): number {
    return this.#ends[index]! - this.#startOf(index);
  }

  trim(): void {
    this.#bytes = Buffer.from(this.#bytes.subarray(0, this.#startOf(this.#count)));
    this.#ends = this.#ends.slice(0, this.#count);
  }

  #startOf(index: number): number {
    return index === 0 ? 0 : this.#ends[index - 1]!;
  }
}

export type UnnamedEntry = Omit<ZipEntry, 'path'> & BlobSlice & { position: number };

/**
 * Typed arrays: 40 bytes per entry plus its name and storage key. Names are added in entry order, once all
 * entries are known.
 */
export class ZipEntryTable {
  #sizes = new Float64Array(FIRST_CAPACITY);
  #crcs = new Uint32Array(FIRST_CAPACITY);
  #modified = new Float64Array(FIRST_CAPACITY);
  #offsets = new Float64Array(FIRST_CAPACITY);
  #positions = new Uint32Array(FIRST_CAPACITY);
  #keyIndexes = new Uint32Array(FIRST_CAPACITY);
  readonly #keys = new TextColumn();
  readonly #names = new TextColumn();
  #count = 0;
  #lastKey: { index: number; key: string } | undefined;

  get count(): number {
    return this.#count;
  }

  get memoryBytes(): number {
    const columns = [
      this.#sizes,
      this.#crcs,
      this.#modified,
      this.#offsets,
      this.#positions,
      this.#keyIndexes,
    ];
    const numbers = columns.reduce((sum, { byteLength }) => sum + byteLength, 0);
    return numbers + this.#keys.memoryBytes + this.#names.memoryBytes;
  }

  add({ sizeBytes, crc32, modifiedAt, storageKey, offset, position }: UnnamedEntry): void {
    const index = this.#count;
    this.#sizes = withRoom(this.#sizes, index);
    this.#crcs = withRoom(this.#crcs, index);
    this.#modified = withRoom(this.#modified, index);
    this.#offsets = withRoom(this.#offsets, index);
    this.#positions = withRoom(this.#positions, index);
    this.#keyIndexes = withRoom(this.#keyIndexes, index);
    this.#sizes[index] = sizeBytes;
    this.#crcs[index] = crc32;
    this.#modified[index] = modifiedAt;
    this.#offsets[index] = offset;
    this.#positions[index] = position;
    if (this.#lastKey?.key !== storageKey) {
      this.#lastKey = { index: this.#keys.count, key: storageKey };
      this.#keys.add(storageKey);
    }
    this.#keyIndexes[index] = this.#lastKey.index;
    this.#count += 1;
  }

  addName(path: string): void {
    this.#names.add(path);
  }

  trim(): void {
    const count = this.#count;
    this.#sizes = this.#sizes.slice(0, count);
    this.#crcs = this.#crcs.slice(0, count);
    this.#modified = this.#modified.slice(0, count);
    this.#offsets = this.#offsets.slice(0, count);
    this.#positions = this.#positions.slice(0, count);
    this.#keyIndexes = this.#keyIndexes.slice(0, count);
    this.#keys.trim();
    this.#names.trim();
  }

  entryAt(index: number): ZipEntry {
    return {
      path: this.#names.at(index),
      sizeBytes: this.#sizes[index]!,
      crc32: this.#crcs[index]!,
      modifiedAt: this.#modified[index]!,
    };
  }

  sizeOf(index: number): number {
    return this.#sizes[index]!;
  }

  crc32Of(index: number): number {
    return this.#crcs[index]!;
  }

  nameAt(index: number): string {
    return this.#names.at(index);
  }

  nameBytes(index: number): number {
    return this.#names.byteLength(index);
  }

  positionOf(index: number): number {
    return this.#positions[index]!;
  }

  offsetOf(index: number): number {
    return this.#offsets[index]!;
  }

  storageKeyOf(index: number): string {
    const keyIndex = this.#keyIndexes[index]!;
    if (this.#lastKey?.index !== keyIndex) this.#lastKey = { index: keyIndex, key: this.#keys.at(keyIndex) };
    return this.#lastKey.key;
  }
}

function withRoom<Column extends Float64Array<ArrayBuffer> | Uint32Array<ArrayBuffer>>(
  column: Column,
  index: number,
): Column {
  if (index < column.length) return column;
  const larger = new (column.constructor as new (length: number) => Column)(column.length * 2);
  larger.set(column);
  return larger;
}

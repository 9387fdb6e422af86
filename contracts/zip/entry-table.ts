import { hasTimestamp, type ZipEntry } from './records.ts';
import { TextColumn } from './text-column.ts';
import { withRoom } from './typed-columns.ts';

const FIRST_CAPACITY = 64;
const TIMESTAMPED = 1;
const EXECUTABLE = 2;

export type UnnamedEntry = Omit<ZipEntry, 'name'>;

/**
 * The entries of a zip in typed arrays: 25 bytes per entry plus its name. Names are added in entry order, once all
 * entries are known.
 */
export class ZipEntryTable {
  #sizes = new Float64Array(FIRST_CAPACITY);
  #crcs = new Uint32Array(FIRST_CAPACITY);
  #modified = new Float64Array(FIRST_CAPACITY);
  #flags = new Uint8Array(FIRST_CAPACITY);
  readonly #names = new TextColumn();
  #count = 0;

  get count(): number {
    return this.#count;
  }

  get memoryBytes(): number {
    const columns = [this.#sizes, this.#crcs, this.#modified, this.#flags];
    return columns.reduce((sum, { byteLength }) => sum + byteLength, 0) + this.#names.memoryBytes;
  }

  add(entry: UnnamedEntry): void {
    const { sizeBytes, crc32, modifiedAt, isExecutable } = entry;
    const index = this.#count;
    this.#sizes = withRoom(this.#sizes, index);
    this.#crcs = withRoom(this.#crcs, index);
    this.#modified = withRoom(this.#modified, index);
    this.#flags = withRoom(this.#flags, index);
    this.#sizes[index] = sizeBytes;
    this.#crcs[index] = crc32;
    this.#modified[index] = modifiedAt;
    this.#flags[index] = (hasTimestamp(entry) ? TIMESTAMPED : 0) | (isExecutable ? EXECUTABLE : 0);
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
    this.#flags = this.#flags.slice(0, count);
    this.#names.trim();
  }

  entryAt(index: number): ZipEntry {
    return {
      name: this.#names.bytesAt(index),
      sizeBytes: this.#sizes[index]!,
      crc32: this.#crcs[index]!,
      modifiedAt: this.#modified[index]!,
      isTimeKnown: this.hasTimestampAt(index),
      isExecutable: (this.#flags[index]! & EXECUTABLE) !== 0,
    };
  }

  hasTimestampAt(index: number): boolean {
    return (this.#flags[index]! & TIMESTAMPED) !== 0;
  }

  sizeOf(index: number): number {
    return this.#sizes[index]!;
  }

  /** For an entry that was added before its bytes had arrived. */
  setCrc32(index: number, crc32: number): void {
    this.#crcs[index] = crc32;
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
}

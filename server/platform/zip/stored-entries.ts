import { type UnnamedEntry, ZipEntryTable } from '../../../contracts/zip/entry-table.ts';
import { TextColumn } from '../../../contracts/zip/text-column.ts';
import { withRoom } from '../../../contracts/zip/typed-columns.ts';
import type { BlobSlice } from '../lib/byte-source.ts';

const FIRST_CAPACITY = 64;

type StoredEntry = UnnamedEntry & BlobSlice & { position: number };

/** Also says where the bytes are stored: 41 bytes per entry plus its name and storage key. */
export class StoredEntryTable extends ZipEntryTable {
  #offsets = new Float64Array(FIRST_CAPACITY);
  #positions = new Uint32Array(FIRST_CAPACITY);
  #keyIndexes = new Uint32Array(FIRST_CAPACITY);
  readonly #keys = new TextColumn();
  #lastKey: { index: number; key: string } | undefined;

  override get memoryBytes(): number {
    const columns = [this.#offsets, this.#positions, this.#keyIndexes];
    const numbers = columns.reduce((sum, { byteLength }) => sum + byteLength, 0);
    return super.memoryBytes + numbers + this.#keys.memoryBytes;
  }

  override add(entry: StoredEntry): void {
    const index = this.count;
    const { storageKey, offset, position } = entry;
    this.#offsets = withRoom(this.#offsets, index);
    this.#positions = withRoom(this.#positions, index);
    this.#keyIndexes = withRoom(this.#keyIndexes, index);
    this.#offsets[index] = offset;
    this.#positions[index] = position;
    if (this.#lastKey?.key !== storageKey) {
      this.#lastKey = { index: this.#keys.count, key: storageKey };
      this.#keys.add(storageKey);
    }
    this.#keyIndexes[index] = this.#lastKey.index;
    super.add(entry);
  }

  override trim(): void {
    this.#offsets = this.#offsets.slice(0, this.count);
    this.#positions = this.#positions.slice(0, this.count);
    this.#keyIndexes = this.#keyIndexes.slice(0, this.count);
    this.#keys.trim();
    super.trim();
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

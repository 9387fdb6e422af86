import { crc32 } from 'node:zlib';
import type { BlobFile } from './blob-file-queries.ts';

/** Compares the bytes of a blob, passed from first to last, with the CRC-32 of each file in it. */
export class FileSums {
  readonly wrong: BlobFile[] = [];
  right = 0;
  /** Right now, although the row says that they are damaged. */
  readonly healed: BlobFile[] = [];
  /** CRC-32 of the whole blob. */
  crc32 = 0;
  #position = 0;
  #fileCrc = 0;
  #file: BlobFile | undefined;
  #isStarted = false;
  readonly #files: AsyncGenerator<BlobFile>;

  /** `files` in the order of their offsets. */
  constructor(files: AsyncGenerator<BlobFile>) {
    this.#files = files;
  }

  async add(piece: Buffer): Promise<void> {
    this.crc32 = crc32(piece, this.crc32);
    const start = this.#position;
    const end = start + piece.length;
    for (let file = await this.#current(); file && file.offset < end; file = await this.#current()) {
      const from = Math.max(file.offset, start);
      const to = Math.min(file.offset + file.sizeBytes, end);
      this.#fileCrc = crc32(piece.subarray(from - start, to - start), this.#fileCrc);
      if (file.offset + file.sizeBytes > end) break;
      if (this.#fileCrc !== file.crc32) this.wrong.push(file);
      else {
        this.right += 1;
        if (file.damagedAt !== null) this.healed.push(file);
      }
      await this.#advance();
    }
    this.#position = end;
  }

  /** Counts the files that were not passed completely as wrong. */
  async end(): Promise<void> {
    for (let file = await this.#current(); file; file = await this.#current()) {
      this.wrong.push(file);
      await this.#advance();
    }
  }

  async #current(): Promise<BlobFile | undefined> {
    if (!this.#isStarted) await this.#advance();
    return this.#file;
  }

  async #advance(): Promise<void> {
    this.#isStarted = true;
    this.#fileCrc = 0;
    const next = await this.#files.next();
    this.#file = next.done ? undefined : next.value;
  }
}

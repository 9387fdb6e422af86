import { BlobEndsEarly } from './blob-ends-early.ts';
import type { BlobRange } from './blob-store.ts';
import { readFully } from './positional-io.ts';

/** Reads a range of a file through a held descriptor, so that a blob removed meanwhile stays readable. */
export class DiskRange implements BlobRange {
  readonly #fd: number;
  readonly #end: number;
  readonly #release: () => Promise<void>;
  #position: number;
  #reading: Promise<number> | undefined;
  #isClosed = false;

  constructor(fd: number, range: { start: number; end: number }, release: () => Promise<void>) {
    this.#fd = fd;
    this.#position = range.start;
    this.#end = range.end;
    this.#release = release;
  }

  async fill(views: Buffer[]): Promise<void> {
    const wanted = views.reduce((sum, view) => sum + view.length, 0);
    if (this.#isClosed) throw new Error('The range is closed');
    if (this.#position + wanted > this.#end) throw new RangeError('More bytes asked for than the range has');
    this.#reading = readFully(this.#fd, views, this.#position);
    const count = await this.#reading;
    if (count < wanted) throw new BlobEndsEarly(wanted - count);
    this.#position += count;
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    // A descriptor given back under a running read could be another file's by the time it is used.
    await this.#reading?.catch(() => undefined);
    await this.#release();
  }
}

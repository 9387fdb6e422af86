import { read, readv, write, writev } from 'node:fs';
import { BlobEndsEarly, type BlobRange } from '../blob-store.ts';

/** Linux's IOV_MAX. */
export const MAX_BUFFERS_PER_CALL = 1024;

/** Returns the number of bytes read, less than requested only at the end of the file. */
export async function readFully(fd: number, views: Buffer[], position: number): Promise<number> {
  let rest = views;
  let done = 0;
  while (rest.length > 0) {
    const count = await readOnce(fd, rest, position + done);
    if (count === 0 && rest.some((view) => view.length > 0)) break;
    done += count;
    rest = dropBytes(rest, count);
  }
  return done;
}

export async function writeFully(fd: number, buffers: Buffer[], position: number): Promise<void> {
  let rest = buffers;
  let done = 0;
  while (rest.length > 0) {
    const count = await writeOnce(fd, rest, position + done);
    done += count;
    rest = dropBytes(rest, count);
  }
}

export function dropBytes(buffers: Buffer[], count: number): Buffer[] {
  let index = 0;
  let left = count;
  while (index < buffers.length && left >= buffers[index]!.length) {
    left -= buffers[index]!.length;
    index += 1;
  }
  const rest = buffers.slice(index);
  if (left > 0) rest[0] = rest[0]!.subarray(left);
  return rest;
}

// Callbacks cost half as much as FileHandle for small reads and writes.

function readOnce(fd: number, views: Buffer[], position: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const finish = (error: Error | null, count: number) => (error ? reject(error) : resolve(count));
    if (views.length === 1) read(fd, views[0]!, 0, views[0]!.length, position, finish);
    else readv(fd, views, position, finish);
  });
}

function writeOnce(fd: number, buffers: Buffer[], position: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const finish = (error: Error | null, count: number) => (error ? reject(error) : resolve(count));
    if (buffers.length === 1) write(fd, buffers[0]!, 0, buffers[0]!.length, position, finish);
    else writev(fd, buffers, position, finish);
  });
}

/** Reads through an open descriptor, so that a removed blob stays readable. */
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
    if (this.#position + wanted > this.#end)
      throw new RangeError('The read goes beyond the end of the range');
    this.#reading = readFully(this.#fd, views, this.#position);
    const count = await this.#reading;
    if (count < wanted) throw new BlobEndsEarly(wanted - count);
    this.#position += count;
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    // A descriptor closed during a read may already be reused for another file.
    await this.#reading?.catch(() => undefined);
    await this.#release();
  }
}

import { Readable } from 'node:stream';

/**
 * A stream cut, uncopied and with back-pressure, into streams of the lengths asked for, one after another. A
 * slice ends when it is full or when the source ends, and is destroyed when the source breaks; what is not asked
 * for stays unread.
 */
export class BodySlices {
  readonly #source: Readable;
  /** What came behind the last slice's end, within the same buffer. */
  #rest: Buffer | undefined;
  #slice: { stream: Readable; left: number } | undefined;

  constructor(source: Readable) {
    this.#source = source;
    // Paused first, or listening would make it flow.
    source.pause();
    source.on('data', this.#take).on('end', this.#end).on('error', this.#break).on('close', this.#break);
  }

  /** Up to so many of the next bytes. The slice before it is to be at its end. */
  next(maxBytes: number): Readable {
    const stream = new Readable({ read: () => void this.#source.resume() });
    this.#slice = { stream, left: maxBytes };
    const rest = this.#rest;
    this.#rest = undefined;
    if (rest) this.#take(rest);
    if (this.#slice && this.#source.readableEnded) this.#end();
    else if (this.#slice && this.#source.destroyed) this.#break();
    return stream;
  }

  /** Lets go of the source, paused where it is; what is behind the last slice is lost. */
  release(): void {
    this.#slice = undefined;
    this.#source.pause();
    this.#source.off('data', this.#take).off('end', this.#end).off('close', this.#break);
  }

  readonly #take = (bytes: Buffer): void => {
    const slice = this.#slice;
    if (!slice) {
      this.#rest = bytes;
      return void this.#source.pause();
    }
    const mine = bytes.length > slice.left ? bytes.subarray(0, slice.left) : bytes;
    if (mine.length < bytes.length) this.#rest = bytes.subarray(mine.length);
    slice.left -= mine.length;
    const wantsMore = slice.stream.push(mine);
    if (slice.left > 0) {
      if (!wantsMore) this.#source.pause();
      return;
    }
    this.#source.pause();
    this.#end();
  };

  readonly #end = (): void => {
    const slice = this.#slice;
    this.#slice = undefined;
    slice?.stream.push(null);
  };

  /** Its listener for errors stays: the error of a stream nobody listens to would end the process. */
  readonly #break = (error?: Error): void => {
    const slice = this.#slice;
    this.#slice = undefined;
    slice?.stream.destroy(error ?? new Error('The sender has left'));
  };
}

import { Readable } from 'node:stream';

/**
 * Splits a stream without copying and with back-pressure. A slice ends when it is full or the source ends,
 * and is destroyed if the source fails. Bytes beyond the last slice stay unread.
 */
export class BodySlices {
  readonly #source: Readable;
  #rest: Buffer | undefined;
  #slice: { stream: Readable; left: number } | undefined;

  constructor(source: Readable) {
    this.#source = source;
    // Pause first: adding a data listener would start the flow.
    source.pause();
    source.on('data', this.#take).on('end', this.#end).on('error', this.#break).on('close', this.#break);
  }

  /** The previous slice must have ended. */
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

  /** Detaches from the source and leaves it paused. Bytes buffered after the last slice are lost. */
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

  /** The error listener stays attached: an unhandled stream error would end the process. */
  readonly #break = (error?: Error): void => {
    const slice = this.#slice;
    this.#slice = undefined;
    slice?.stream.destroy(error ?? new Error('The sender has disconnected'));
  };
}

/** The stream ended before what was asked for. */
export class EndedEarlyError extends Error {
  override name = 'EndedEarlyError';
}

/** Reads a stream of pieces in the lengths that a format has. */
export class ByteReader {
  readonly #pieces: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);
  /** Of the next byte, counted from where the stream began plus `start`. */
  position: number;

  constructor(pieces: AsyncIterable<Buffer>, start = 0) {
    this.#pieces = pieces[Symbol.asyncIterator]();
    this.position = start;
  }

  /** Exactly so many bytes; meant for headers. Throws EndedEarlyError. */
  async read(length: number): Promise<Buffer> {
    const pieces: Buffer[] = [];
    for await (const piece of this.take(length)) pieces.push(piece);
    return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
  }

  /** The next `length` bytes as they come. Throws EndedEarlyError. */
  async *take(length: number): AsyncGenerator<Buffer> {
    for (let left = length; left > 0; ) {
      if (this.#rest.length === 0) await this.#next();
      const piece = this.#rest.subarray(0, left);
      this.#rest = this.#rest.subarray(piece.length);
      this.position += piece.length;
      left -= piece.length;
      yield piece;
    }
  }

  /** Waits for the first byte, or the end. */
  async peek(): Promise<void> {
    if (this.#rest.length > 0) return;
    const { value, done } = await this.#pieces.next();
    if (!done) this.#rest = value;
  }

  /** Reads on to the end and says how many bytes there were. */
  async drain(): Promise<number> {
    let bytes = this.#rest.length;
    this.#rest = Buffer.alloc(0);
    for (;;) {
      const { value, done } = await this.#pieces.next();
      if (done) break;
      bytes += value.length;
    }
    this.position += bytes;
    return bytes;
  }

  /** Lets the stream go. */
  async close(): Promise<void> {
    await this.#pieces.return?.();
  }

  async #next(): Promise<void> {
    const { value, done } = await this.#pieces.next();
    if (done) throw new EndedEarlyError('The bytes ended early.');
    this.#rest = value;
  }
}

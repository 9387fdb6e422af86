import type { Readable } from 'node:stream';
import { AppError } from '../../lib/app-error.ts';
import { BlobEndsEarly, type BlobRange } from '../blob-store.ts';
import { codeOf, type S3Requests, unavailable } from './s3-client.ts';

const MAX_BREAKS = 5;

export type OpenedBody = { body: Readable; etag: string };
/** With `etag`, only if the object is unchanged. */
type OpenBody = (start: number, end: number, etag?: string) => Promise<OpenedBody>;

export class S3Range implements BlobRange {
  readonly #requests: S3Requests;
  readonly #openBody: OpenBody;
  readonly #end: number;
  #position: number;
  #opened: OpenedBody | undefined;
  #etag: string | undefined;
  #pieces: AsyncIterator<Buffer> | undefined;
  #rest: Buffer = Buffer.alloc(0);
  #breaks = 0;
  #isClosed = false;

  constructor(requests: S3Requests, openBody: OpenBody, range: { start: number; end: number }) {
    this.#requests = requests;
    this.#openBody = openBody;
    this.#position = range.start;
    this.#end = range.end;
  }

  /**
   * `fill` refuses a range beyond the blob's end, as on disk. Throws AppError `file_not_found`,
   * `unavailable`.
   */
  async open(): Promise<void> {
    try {
      await this.#sendGet();
    } catch (error) {
      if (codeOf(error) !== 'InvalidRange') throw error;
    }
  }

  async fill(views: Buffer[]): Promise<void> {
    for (const view of views) {
      for (let filled = 0; filled < view.length; ) {
        if (this.#rest.length === 0) this.#rest = await this.#nextPiece();
        const count = this.#rest.copy(view, filled);
        this.#rest = this.#rest.subarray(count);
        filled += count;
      }
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#dropBody();
  }

  async #nextPiece(): Promise<Buffer> {
    if (this.#position >= this.#end) throw new RangeError('The read goes beyond the end of the range');
    for (;;) {
      if (this.#isClosed) throw new Error('The range is closed');
      const piece = await this.#readOn();
      if (piece === undefined) continue;
      this.#position += piece.length;
      this.#breaks = 0;
      return piece;
    }
  }

  async #readOn(): Promise<Buffer | undefined> {
    try {
      if (!this.#pieces) await this.#sendGet();
    } catch (error) {
      throw this.#explain(error);
    }
    try {
      const next = await this.#requests.waitForAnswer(this.#pieces!.next());
      if (!next.done) return next.value;
      throw new Error('S3 ended the body early');
    } catch (error) {
      this.#dropBody();
      this.#breaks += 1;
      if (this.#breaks > MAX_BREAKS) throw unavailable(error);
      await this.#requests.pause(this.#breaks);
      return undefined;
    }
  }

  async #sendGet(): Promise<void> {
    const opened = await this.#openBody(this.#position, this.#end, this.#etag);
    // The caller may have closed the range while S3 was responding.
    if (this.#isClosed) opened.body.destroy();
    this.#opened = opened;
    this.#etag = opened.etag;
    this.#pieces = opened.body[Symbol.asyncIterator]();
  }

  #dropBody(): void {
    // The iterator's pending read would otherwise be an unhandled rejection.
    this.#opened?.body.on('error', () => {}).destroy();
    this.#opened = undefined;
    this.#pieces = undefined;
  }

  #explain(error: unknown): unknown {
    if (codeOf(error) === 'PreconditionFailed') return new AppError('file_not_found', { cause: error });
    if (codeOf(error) === 'InvalidRange') {
      return new BlobEndsEarly(this.#end - this.#position);
    }
    return error;
  }
}

import type { IncomingMessage } from 'node:http';
import { ApiError, NetworkError } from '../../client/api-error.ts';
import type { Retries } from '../../client/retries.ts';
import { CommandError, EXIT } from '../../command-line/exit-codes.ts';
import { RESUMES_HEADER } from '../../contracts/transfers/arrival.ts';
import type { Api } from '../http/api.ts';
import { BlockReader } from '../http/block-reader.ts';

export type Link = {
  api: Api;
  retries: Retries;
  signal: AbortSignal;
  /** Shows the server the access key of an encrypted transfer again, which it asks for after some hours. */
  unlock?: (() => Promise<void>) | undefined;
};

export type Download = {
  path: string;
  /** Resume from this byte. */
  position: number;
  /** Of the bytes before `position`; undefined at the beginning. */
  etag: string | undefined;
};

/** Describes the whole file or zip, not the requested range. */
export type DownloadHead = { etag: string; sizeBytes: number };

/** Longer than the ten minutes for which the server counts a download that failed before its first byte. */
const GIVEN_BACK_MS = 15 * 60_000;

/**
 * Downloads the bytes from `position` to the end, over as many connections as needed. Each connection resumes after
 * the last byte, with the ticket of the counted download, so all of them count as one download. Awaits `onHead`
 * before the first byte of each connection. Each piece stays unchanged until the next one is requested. Throws ApiError,
 * CommandError, or the signal's reason.
 */
export async function* downloadBytes(
  link: Link,
  download: Download,
  onHead: (head: DownloadHead) => Promise<void>,
): AsyncGenerator<Buffer> {
  const { retries, signal } = link;
  let { position, etag } = download;
  let end = Number.POSITIVE_INFINITY;
  const reader = new BlockReader();
  const started = performance.now();
  for (let tries = 1; position < end; tries += 1) {
    const mayStillCount = tries > 1 && performance.now() - started < GIVEN_BACK_MS;
    const response = await retries.run(
      () => requestUnlocked(link, { ...download, position, etag, reader }, mayStillCount),
      signal,
    );
    const head = readHead(response, position);
    end = head.sizeBytes;
    await onHead(head);
    etag = head.etag;
    try {
      for await (const piece of reader.read()) {
        retries.succeed();
        position += piece.length;
        yield piece;
      }
      if (position < end) throw new NetworkError('The connection was cut');
    } catch (error) {
      await retries.fail(error, signal);
    } finally {
      response.destroy();
    }
  }
}

async function requestUnlocked(
  link: Link,
  download: BytesRequest,
  mayStillCount: boolean,
): Promise<IncomingMessage> {
  try {
    return await requestBytes(link, download, mayStillCount);
  } catch (error) {
    if (!(link.unlock && error instanceof ApiError && error.code === 'access_key_required')) throw error;
    await link.unlock();
    return await requestBytes(link, download, mayStillCount);
  }
}

type BytesRequest = Download & { reader: BlockReader };

async function requestBytes(
  link: Link,
  { path, position, etag, reader }: BytesRequest,
  mayStillCount: boolean,
): Promise<IncomingMessage> {
  const { api, signal } = link;
  try {
    return await api.send({
      method: 'GET',
      path,
      signal,
      reader,
      headers: {
        accept: '*/*, application/problem+json;q=0.1',
        [RESUMES_HEADER]: '1',
        range: position > 0 ? `bytes=${position}-` : undefined,
        'if-range': position > 0 ? etag : undefined,
        // If the transfer has changed, If-Range alone would start a new, counted download.
        'if-match': etag,
      },
    });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.status === 412 || error.status === 416) throw changed();
    if (error.code === 'transfer_used_up' && position === 0 && mayStillCount)
      throw new NetworkError('The server still counts the failed attempt');
    throw error;
  }
}

/** Throws CommandError if the response does not continue at `position`. */
function readHead(response: IncomingMessage, position: number): DownloadHead {
  const { statusCode, headers } = response;
  const { etag } = headers;
  const range = /^bytes (\d+)-\d+\/(\d+)$/.exec(headers['content-range'] ?? '');
  const start = statusCode === 206 ? Number(range?.[1]) : 0;
  const sizeBytes = statusCode === 206 ? Number(range?.[2]) : Number(headers['content-length']);
  if (start !== position || etag === undefined || !Number.isSafeInteger(sizeBytes)) {
    response.destroy();
    throw position > 0 ? changed() : new CommandError(EXIT.failed, 'The server sent an unexpected response.');
  }
  return { etag, sizeBytes };
}

function changed(): CommandError {
  return new CommandError(
    EXIT.failed,
    'The transfer has changed since the download began. Run `sendwell resume --discard`, then receive it again.',
  );
}

/** The stream ended before the requested bytes. */
export class EndedEarlyError extends Error {
  override name = 'EndedEarlyError';
}

/** Reads exact byte lengths from a stream of pieces. */
export class ByteReader {
  readonly #pieces: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);
  /** Offset of the next byte. */
  position: number;

  constructor(pieces: AsyncIterable<Buffer>, start = 0) {
    this.#pieces = pieces[Symbol.asyncIterator]();
    this.position = start;
  }

  /** Copies `length` bytes into memory of their own. Throws EndedEarlyError. */
  async read(length: number): Promise<Buffer<ArrayBuffer>> {
    const bytes = Buffer.allocUnsafe(length);
    for (let filled = 0; filled < length; ) {
      if (this.#rest.length === 0) await this.#next();
      filled += this.#take(length - filled).copy(bytes, filled);
    }
    return bytes;
  }

  /**
   * Yields the next `length` bytes as they arrive. A piece stays unchanged as long as those that the reader was
   * created with. Throws EndedEarlyError.
   */
  async *stream(length: number): AsyncGenerator<Buffer> {
    for (let left = length; left > 0; ) {
      if (this.#rest.length === 0) await this.#next();
      const piece = this.#take(left);
      left -= piece.length;
      yield piece;
    }
  }

  /** Waits for the next byte or the end. */
  async peek(): Promise<void> {
    if (this.#rest.length > 0) return;
    const { value, done } = await this.#pieces.next();
    if (!done) this.#rest = value;
  }

  /** Returns the number of bytes read. */
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

  async close(): Promise<void> {
    await this.#pieces.return?.();
  }

  #take(maxBytes: number): Buffer {
    const piece = this.#rest.subarray(0, maxBytes);
    this.#rest = this.#rest.subarray(piece.length);
    this.position += piece.length;
    return piece;
  }

  async #next(): Promise<void> {
    const { value, done } = await this.#pieces.next();
    if (done) throw new EndedEarlyError('The download ended early.');
    this.#rest = value;
  }
}

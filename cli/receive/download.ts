import type { IncomingMessage } from 'node:http';
import { ApiError, NetworkError } from '../../client/api-error.ts';
import type { Retries } from '../../client/retries.ts';
import type { Api } from '../http/api.ts';
import { CommandError, EXIT } from '../http/errors.ts';

export type Line = { api: Api; retries: Retries; signal: AbortSignal };

/** What is downloaded: a file or a zip. */
export type Download = {
  path: string;
  /** Where to go on. */
  position: number;
  /** Of what lies before `position`; undefined at the beginning. */
  etag: string | undefined;
};

/** What an answer says of the whole. */
export type DownloadHead = { etag: string; sizeBytes: number };

/** The server gives the place of a download that broke off at its first byte back after ten minutes. */
const PLACE_BACK_MS = 15 * 60_000;

/**
 * The bytes from `position` to the end, over as many connections as it takes: each goes on behind the last byte that
 * came, with the ticket of the counted download, so that all of it is one download. `onHead` is awaited before each
 * connection's first byte. Throws ApiError, CommandError, or the signal's reason.
 */
export async function* downloadBytes(
  line: Line,
  download: Download,
  onHead: (head: DownloadHead) => Promise<void>,
): AsyncGenerator<Buffer> {
  const { retries, signal } = line;
  let { position, etag } = download;
  let end = Number.POSITIVE_INFINITY;
  const started = performance.now();
  for (let tries = 1; position < end; tries += 1) {
    const mayHoldPlace = tries > 1 && performance.now() - started < PLACE_BACK_MS;
    const response = await retries.run(
      () => open(line, { ...download, position, etag }, mayHoldPlace),
      signal,
    );
    const head = readHead(response, position);
    end = head.sizeBytes;
    await onHead(head);
    etag = head.etag;
    try {
      for await (const piece of pieces(response)) {
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

async function open(
  line: Line,
  { path, position, etag }: Download,
  mayHoldPlace: boolean,
): Promise<IncomingMessage> {
  const { api, signal } = line;
  try {
    return await api.send({
      method: 'GET',
      path,
      signal,
      headers: {
        accept: '*/*, application/problem+json;q=0.1',
        range: position > 0 ? `bytes=${position}-` : undefined,
        'if-range': position > 0 ? etag : undefined,
        // Unlike If-Range alone it costs no download when the transfer is another one now.
        'if-match': etag,
      },
    });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.status === 412 || error.status === 416) throw changed();
    if (error.code === 'transfer_used_up' && position === 0 && mayHoldPlace)
      throw new NetworkError('The server still holds the place of the try that broke off');
    throw error;
  }
}

/** Throws CommandError when it is not the continuation that was asked for. */
function readHead(response: IncomingMessage, position: number): DownloadHead {
  const { statusCode, headers } = response;
  const { etag } = headers;
  const range = /^bytes (\d+)-\d+\/(\d+)$/.exec(headers['content-range'] ?? '');
  const start = statusCode === 206 ? Number(range?.[1]) : 0;
  const sizeBytes = statusCode === 206 ? Number(range?.[2]) : Number(headers['content-length']);
  if (start !== position || etag === undefined || !Number.isSafeInteger(sizeBytes)) {
    response.destroy();
    throw position > 0 ? changed() : new CommandError(EXIT.failed, 'This server’s answer is not understood.');
  }
  return { etag, sizeBytes };
}

/** A break is a NetworkError; what the reader of the pieces throws is not. */
async function* pieces(response: IncomingMessage): AsyncGenerator<Buffer> {
  const iterator: AsyncIterator<Buffer> = response[Symbol.asyncIterator]();
  for (;;) {
    const { value, done } = await iterator.next().catch((error: Error) => {
      throw new NetworkError('The connection was cut', { cause: error });
    });
    if (done) return;
    yield value;
  }
}

function changed(): CommandError {
  return new CommandError(
    EXIT.failed,
    'The transfer changed since the first part was received. Give it up with `sendwell resume --discard`, then receive it again.',
  );
}

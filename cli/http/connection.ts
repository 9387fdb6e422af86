import { type ClientRequest, Agent as HttpAgent, type IncomingMessage, request as overHttp } from 'node:http';
import { Agent as HttpsAgent, request as overHttps } from 'node:https';
import { setTimeout as later } from 'node:timers';
import { NetworkError } from '../../client/api-error.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { readProxySettings } from '../environment.ts';
import type { BlockReader } from './block-reader.ts';

/** Close a connection after this time without traffic, so that the caller retries. */
const STALL_MS = 60_000;
/** Size of one write; progress is reported after each. */
const WRITE_BYTES = 512 * 1024;

export type Outgoing = {
  method: string;
  /** Including the query. */
  path: string;
  headers?: Record<string, string | undefined>;
  body?: Buffer | undefined;
  signal?: AbortSignal | undefined;
  /** Called with the total number of body bytes written so far. */
  onSent?: (sentBytes: number) => void;
  /** Reads the body of a large response. */
  reader?: BlockReader;
};

/** HTTP to one server over keep-alive connections; honors HTTP_PROXY, HTTPS_PROXY and NO_PROXY. */
export class Connection {
  /** Without a trailing slash. */
  readonly server: string;
  readonly #url: URL;
  readonly #agent: HttpAgent;
  readonly #mayUseProxy: boolean;

  constructor(server: string) {
    this.server = server;
    this.#url = new URL(server);
    const proxyEnv = readProxySettings();
    this.#mayUseProxy = Object.keys(proxyEnv).some((name) => /^https?_proxy$/i.test(name));
    const options = { keepAlive: true, proxyEnv };
    this.#agent = this.#url.protocol === 'https:' ? new HttpsAgent(options) : new HttpAgent(options);
  }

  /** Resolves when the response headers arrive. Throws NetworkError, or the signal's reason. */
  send({ method, path, headers, body, signal, onSent, reader }: Outgoing): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const send = this.#url.protocol === 'https:' ? overHttps : overHttp;
      const request = send(new URL(this.#url.pathname.replace(/\/$/, '') + path, this.#url), {
        method,
        ...(reader && !this.#mayUseProxy
          ? { createConnection: () => reader.connect(this.#url) }
          : { agent: this.#agent }),
        headers: withoutAbsent({
          'user-agent': `sendwell-cli/${packageJson.version}`,
          'content-length': body && String(body.length),
          ...headers,
        }),
      });
      const watchResponse = closeIfStalled(request, reader);
      const abort = () => request.destroy(new NetworkError('Stopped'));
      signal?.addEventListener('abort', abort, { once: true });
      request.once('close', () => signal?.removeEventListener('abort', abort));
      request.once('response', (response) => {
        watchResponse(response);
        reader?.begin(response);
        resolve(response);
      });
      request.on('error', (error) => reject(signal?.aborted ? signal.reason : toNetworkError(error)));
      void writeBody(request, body, onSent);
    });
  }

  /** Closes idle connections, because they would keep the process alive. */
  close(): void {
    this.#agent.destroy();
  }
}

/** Throws NetworkError if the body is cut off or longer than `maxBytes`. */
export async function readText(response: IncomingMessage, maxBytes: number): Promise<string> {
  return (await readBytes(response, maxBytes)).toString();
}

/** Throws NetworkError as `readText`. */
export async function readBytes(response: IncomingMessage, maxBytes: number): Promise<Buffer<ArrayBuffer>> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const piece of response as AsyncIterable<Buffer>) {
      bytes += piece.length;
      if (bytes > maxBytes) throw new Error('The response is too long.');
      pieces.push(piece);
    }
  } catch (error) {
    throw new NetworkError((error as Error).message, { cause: error });
  } finally {
    if (!response.complete) response.destroy();
  }
  return Buffer.concat(pieces);
}

async function writeBody(request: ClientRequest, body: Buffer | undefined, onSent?: (bytes: number) => void) {
  if (!body) return void request.end();
  for (let at = 0; at < body.length && !request.destroyed; at += WRITE_BYTES) {
    const end = Math.min(at + WRITE_BYTES, body.length);
    const error = await new Promise((resolve) => request.write(body.subarray(at, end), resolve));
    if (error) return;
    onSent?.(end);
  }
  request.end();
}

/**
 * Aborts the request after STALL_MS without traffic in either direction. Pass the response to the returned function
 * when it arrives.
 */
function closeIfStalled(
  request: ClientRequest,
  reader: BlockReader | undefined,
): (response: IncomingMessage) => void {
  let lastBytes = -1;
  let stalledSince = performance.now();
  const check = () => {
    const { socket } = request;
    const now = performance.now();
    const bytes = socket ? socket.bytesRead + socket.bytesWritten : 0;
    // Unread bytes mean that our disk is slow, not the network.
    const isOurs = reader?.isPaused || (response?.readableLength ?? 0) > 0;
    if (bytes !== lastBytes || isOurs) stalledSince = now;
    lastBytes = bytes;
    if (now - stalledSince > STALL_MS) request.destroy(new NetworkError('The connection stalled'));
    else timer = later(check, STALL_MS / 6).unref();
  };
  let response: IncomingMessage | undefined;
  let timer = later(check, STALL_MS / 6).unref();
  request.once('close', () => clearTimeout(timer));
  return (each) => {
    response = each;
  };
}

function toNetworkError(error: Error & { code?: string }): Error {
  if (error instanceof NetworkError) return error;
  return new NetworkError(REASONS[error.code ?? ''] ?? error.message, { cause: error });
}

const REASONS: Record<string, string> = {
  ECONNREFUSED: 'The server does not respond',
  ECONNRESET: 'The connection was cut',
  EPIPE: 'The connection was cut',
  ENOTFOUND: 'The server’s name cannot be resolved',
  EAI_AGAIN: 'The network is not available',
  ENETUNREACH: 'The network is not available',
  EHOSTUNREACH: 'The server cannot be reached',
  ETIMEDOUT: 'The server does not respond',
};

function withoutAbsent(headers: Record<string, string | undefined>): Record<string, string> {
  const given = Object.entries(headers).filter((each): each is [string, string] => each[1] !== undefined);
  return Object.fromEntries(given);
}

import { type ClientRequest, Agent as HttpAgent, type IncomingMessage, request as overHttp } from 'node:http';
import { Agent as HttpsAgent, request as overHttps } from 'node:https';
import { setTimeout as later } from 'node:timers';
import { NetworkError } from '../../client/api-error.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { readProxySettings } from '../environment.ts';

/** A line this silent is given up and tried anew. */
const STALL_MS = 60_000;
/** Written at once; progress is told in these steps. */
const WRITE_BYTES = 512 * 1024;

export type Outgoing = {
  method: string;
  /** With query. */
  path: string;
  headers?: Record<string, string | undefined>;
  body?: Buffer | undefined;
  signal?: AbortSignal | undefined;
  /** Told how many bytes of the body have left. */
  onSent?: (sentBytes: number) => void;
};

/** HTTP to one server over lines that stay open; proxies by HTTP_PROXY, HTTPS_PROXY and NO_PROXY. */
export class Connection {
  /** Without a slash at the end. */
  readonly server: string;
  readonly #url: URL;
  readonly #agent: HttpAgent;

  constructor(server: string) {
    this.server = server;
    this.#url = new URL(server);
    const options = { keepAlive: true, proxyEnv: readProxySettings() };
    this.#agent = this.#url.protocol === 'https:' ? new HttpsAgent(options) : new HttpAgent(options);
  }

  /** Resolves with the head of the answer. Throws NetworkError, or the signal's reason. */
  send({ method, path, headers, body, signal, onSent }: Outgoing): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const send = this.#url.protocol === 'https:' ? overHttps : overHttp;
      const request = send(new URL(this.#url.pathname.replace(/\/$/, '') + path, this.#url), {
        method,
        agent: this.#agent,
        headers: withoutAbsent({
          'user-agent': `sendwell-cli/${packageJson.version}`,
          'content-length': body && String(body.length),
          ...headers,
        }),
      });
      const watch = watchForSilence(request);
      const abort = () => request.destroy(new NetworkError('Stopped'));
      signal?.addEventListener('abort', abort, { once: true });
      request.once('close', () => signal?.removeEventListener('abort', abort));
      request.once('response', (response) => {
        watch(response);
        resolve(response);
      });
      request.on('error', (error) => reject(signal?.aborted ? signal.reason : toNetworkError(error)));
      void writeBody(request, body, onSent);
    });
  }

  /** Lets go of the idle lines, so that the process can end. */
  close(): void {
    this.#agent.destroy();
  }
}

/** The body as text. Throws NetworkError when it breaks off or is longer than `maxBytes`. */
export async function readText(response: IncomingMessage, maxBytes: number): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const piece of response as AsyncIterable<Buffer>) {
      bytes += piece.length;
      if (bytes > maxBytes) throw new Error('The server’s answer is too long.');
      pieces.push(piece);
    }
  } catch (error) {
    throw new NetworkError((error as Error).message, { cause: error });
  } finally {
    if (!response.complete) response.destroy();
  }
  return Buffer.concat(pieces).toString();
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

/** Breaks a line off on which nothing has moved for a minute, in either direction. */
function watchForSilence(request: ClientRequest): (response: IncomingMessage) => void {
  let moved = -1;
  let silentSince = performance.now();
  const look = () => {
    const { socket } = request;
    const now = performance.now();
    const bytes = socket ? socket.bytesRead + socket.bytesWritten : 0;
    // What has come and was not taken yet waits for our disk, not for the line.
    if (bytes !== moved || (answer?.readableLength ?? 0) > 0) silentSince = now;
    moved = bytes;
    if (now - silentSince > STALL_MS) request.destroy(new NetworkError('The line went silent'));
    else timer = later(look, STALL_MS / 6).unref();
  };
  let answer: IncomingMessage | undefined;
  let timer = later(look, STALL_MS / 6).unref();
  request.once('close', () => clearTimeout(timer));
  return (response) => {
    answer = response;
  };
}

function toNetworkError(error: Error & { code?: string }): Error {
  if (error instanceof NetworkError) return error;
  return new NetworkError(REASONS[error.code ?? ''] ?? error.message, { cause: error });
}

const REASONS: Record<string, string> = {
  ECONNREFUSED: 'The server does not answer',
  ECONNRESET: 'The connection was cut',
  EPIPE: 'The connection was cut',
  ENOTFOUND: 'The server’s name is not known',
  EAI_AGAIN: 'There is no network',
  ENETUNREACH: 'There is no network',
  EHOSTUNREACH: 'The server cannot be reached',
  ETIMEDOUT: 'The server does not answer',
};

function withoutAbsent(headers: Record<string, string | undefined>): Record<string, string> {
  const given = Object.entries(headers).filter((each): each is [string, string] => each[1] !== undefined);
  return Object.fromEntries(given);
}

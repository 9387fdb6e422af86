import type { IncomingMessage } from 'node:http';
import type { z } from 'zod';
import type { Endpoint } from '../../contracts/endpoint.ts';
import { type Page, readNextCursor } from '../../contracts/file-pages.ts';
import { ApiError, NetworkError, readApiError, readText } from './api-error.ts';
import { Connection, type Outgoing } from './connection.ts';
import { type Cookies, keepCookies, toCookieHeader } from './cookies.ts';

/** A hundred thousand files with their hashes stay below. */
const ANSWER_MAX = 256 * 1024 * 1024;

type CallInput = {
  params?: Record<string, string>;
  query?: Record<string, unknown>;
  body?: unknown;
  /** A repeated call with the same key gets the first one's answer. */
  idempotencyKey?: string;
  signal?: AbortSignal;
};

/** A caller of one server: with a key as its owner, else with the cookies a transfer gave. */
export class Api {
  readonly connection: Connection;
  readonly cookies: Cookies;
  readonly #key: string | undefined;

  constructor(server: string, { key, cookies = {} }: { key?: string; cookies?: Cookies } = {}) {
    this.connection = new Connection(server);
    this.cookies = cookies;
    this.#key = key;
  }

  /** Makes a contract's call. Throws ApiError, NetworkError. */
  async call<R extends z.ZodType | 'stream' | 'empty'>(
    endpoint: Endpoint<z.ZodType, z.ZodType, z.ZodType | 'stream', R>,
    input: CallInput = {},
  ): Promise<R extends z.ZodType ? z.output<R> : undefined> {
    return (await this.#exchange(endpoint, input)).answer as never;
  }

  /** Asks for one page of a list. Throws ApiError, NetworkError. */
  async callPage<R extends z.ZodArray>(
    endpoint: Endpoint<z.ZodType, z.ZodType, z.ZodType | 'stream', R>,
    input: CallInput,
  ): Promise<Page<z.output<R>[number]>> {
    const { answer, link } = await this.#exchange(endpoint, input);
    return { items: answer as z.output<R>, nextCursor: readNextCursor(link) };
  }

  async #exchange(
    endpoint: Endpoint,
    { params, query, body, idempotencyKey, signal }: CallInput,
  ): Promise<{ answer: unknown; link: string | undefined }> {
    const response = await this.send({
      method: endpoint.method,
      path: addressOf(endpoint.path, params, query),
      headers: {
        'content-type': body === undefined ? undefined : 'application/json',
        'idempotency-key': idempotencyKey,
      },
      body: body === undefined ? undefined : Buffer.from(JSON.stringify(body)),
      signal,
    });
    const text = await readText(response, ANSWER_MAX).catch((error: Error) => {
      throw new NetworkError(error.message, { cause: error });
    });
    const [link] = [response.headers.link].flat();
    if (endpoint.response === 'empty' || endpoint.response === 'stream') return { answer: undefined, link };
    return { answer: parseAnswer(endpoint.response, text), link };
  }

  /** The successful answer with its body still to be read. Throws ApiError for every other, NetworkError. */
  async send({ headers, ...outgoing }: Outgoing): Promise<IncomingMessage> {
    const response = await this.connection.send({
      ...outgoing,
      headers: {
        accept: 'application/json',
        authorization: this.#key && `Bearer ${this.#key}`,
        cookie: this.#key ? undefined : toCookieHeader(this.cookies),
        ...headers,
      },
    });
    if (!this.#key) keepCookies(this.cookies, response.headers['set-cookie']);
    const { statusCode = 0 } = response;
    if (statusCode < 200 || statusCode > 299) throw await readApiError(response);
    return response;
  }

  close(): void {
    this.connection.close();
  }
}

export function addressOf(
  path: string,
  params: Record<string, string> = {},
  query: Record<string, unknown> = {},
): string {
  const filled = path.replace(/:(\w+)/g, (_place, name: string) => encodeURIComponent(params[name] ?? ''));
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const search = new URLSearchParams(
    Object.fromEntries(given.map(([name, value]) => [name, String(value)])),
  ).toString();
  return search ? `${filled}?${search}` : filled;
}

/** Another program may answer at that address, or a newer server. */
function parseAnswer(schema: z.ZodType, text: string): unknown {
  const answer = schema.safeParse(parseJson(text));
  if (answer.success) return answer.data;
  throw new ApiError(0, { detail: 'This server’s answer is not understood. Is it a Sendwell server?' });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

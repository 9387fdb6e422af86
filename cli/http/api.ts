import type { IncomingMessage } from 'node:http';
import type { z } from 'zod';
import { ApiError, type HttpResponse, readApiError } from '../../client/api-error.ts';
import { type Caller, createCaller, type HttpRequest } from '../../client/call.ts';
import { Connection, type Outgoing, readText } from './connection.ts';

/** Bytes. Enough for a list of 100,000 files with hashes. */
const ANSWER_MAX = 256 * 1024 * 1024;
const REFUSAL_MAX = 64 * 1024;
/** Longer text that is not JSON is a proxy's error page. Don't print it. */
const PLAIN_REFUSAL_MAX = 1_000;

/** The cookies of one transfer: the grant for its password and the ticket of a counted download. */
export type Cookies = Record<string, string>;

/** Authenticates with an API key, or as a visitor with the cookies of a transfer. */
export class Api {
  readonly connection: Connection;
  readonly cookies: Cookies;
  readonly call: Caller['call'];
  readonly callPage: Caller['callPage'];
  readonly #key: string | undefined;

  constructor(server: string, { key, cookies = {} }: { key?: string; cookies?: Cookies } = {}) {
    this.connection = new Connection(server);
    this.cookies = cookies;
    this.#key = key;
    const { call, callPage } = createCaller((request) => this.#sendCall(request), parseAnswer);
    this.call = call;
    this.callPage = callPage;
  }

  /** Returns a successful response with its body unread. Throws ApiError for other statuses, and NetworkError. */
  async send(outgoing: Outgoing): Promise<IncomingMessage> {
    const response = await this.#exchange(outgoing);
    if (!isSuccess(response)) throw await readApiError(toHttpResponse(response));
    return response;
  }

  close(): void {
    this.connection.close();
  }

  async #sendCall({ body, ...request }: HttpRequest): Promise<HttpResponse> {
    return toHttpResponse(
      await this.#exchange({ ...request, body: body === undefined ? undefined : Buffer.from(body) }),
    );
  }

  async #exchange({ headers, ...outgoing }: Outgoing): Promise<IncomingMessage> {
    const response = await this.connection.send({
      ...outgoing,
      headers: {
        accept: 'application/json',
        authorization: this.#key && `Bearer ${this.#key}`,
        cookie: this.#key ? undefined : toCookieHeader(this.cookies),
        ...headers,
      },
    });
    if (!this.#key) storeCookies(this.cookies, response.headers['set-cookie']);
    return response;
  }
}

function toHttpResponse(response: IncomingMessage): HttpResponse {
  const { statusCode = 0, headers } = response;
  return {
    status: statusCode,
    statusText: `The server responded with status ${statusCode}.`,
    headers: { get: (name) => [headers[name]].flat()[0] ?? null },
    text: () => (isSuccess(response) ? readText(response, ANSWER_MAX) : readRefusal(response)),
  };
}

async function readRefusal(response: IncomingMessage): Promise<string> {
  const text = (await readText(response, REFUSAL_MAX)).trim();
  const isJson = response.headers['content-type']?.includes('json');
  return isJson || text.length < PLAIN_REFUSAL_MAX ? text : '';
}

function isSuccess({ statusCode = 0 }: IncomingMessage): boolean {
  return statusCode >= 200 && statusCode <= 299;
}

/** Fails if another program, or a newer server, answers at that address. */
function parseAnswer(text: string, schema: z.ZodType): unknown {
  const answer = schema.safeParse(parseJson(text));
  if (answer.success) return answer.data;
  throw new ApiError(0, 'The server sent an unexpected response. Is it a Sendwell server?');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function storeCookies(cookies: Cookies, setCookies: readonly string[] = []): void {
  for (const line of setCookies) {
    const pair = line.split(';', 1)[0]!;
    const name = pair.slice(0, pair.indexOf('=')).trim();
    if (name) cookies[name] = pair.slice(pair.indexOf('=') + 1).trim();
  }
}

function toCookieHeader(cookies: Cookies): string | undefined {
  const pairs = Object.entries(cookies).map(([name, value]) => `${name}=${value}`);
  return pairs.length > 0 ? pairs.join('; ') : undefined;
}

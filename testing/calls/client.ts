import type { z } from 'zod';
import { type AnyInput, type Caller, createCaller } from '../../client/call.ts';
import type { Endpoint } from '../../contracts/endpoint.ts';
import { CookieJar } from './cookie-jar.ts';

/** Node's own, because component tests replace the global one with a window's, which has cookies and an origin. */
const { fetch: nodeFetch, Headers: NodeHeaders } = globalThis;

/** An HTTP client with its own cookies. */
export class Client {
  readonly url: string;
  readonly jar: CookieJar;
  readonly #caller: { call(endpoint: Endpoint, input?: AnyInput): Promise<unknown> };

  /** `jar` can be that of another client, as of a browser that reaches this server by another address. */
  constructor(url: string, jar = new CookieJar()) {
    this.url = url;
    this.jar = jar;
    const caller: Caller = createCaller(
      ({ path, ...request }) => this.fetch(path, request),
      (text, schema) => schema.parse(JSON.parse(text)),
    );
    this.#caller = caller as never;
  }

  /**
   * Makes a contract's call and validates the response with its schema. Accepts any input, so that tests can send what
   * the contract forbids. Throws ApiError.
   */
  async call<R extends z.ZodType | 'stream' | 'empty'>(
    endpoint: Endpoint<z.ZodType, z.ZodType, z.ZodType | 'stream', R>,
    input: AnyInput = {},
  ): Promise<R extends z.ZodType ? z.output<R> : undefined> {
    return (await this.#caller.call(endpoint, input)) as never;
  }

  /** Fetches with this client's cookies. `path` is relative to the server. */
  async fetch(path: string, init: RequestInit & { duplex?: 'half' } = {}): Promise<Response> {
    const headers = new NodeHeaders(init.headers);
    const cookies = this.jar.headerFor(path);
    if (cookies) headers.set('cookie', cookies);
    const response = await nodeFetch(this.url + path, { ...init, headers, redirect: 'manual' });
    this.jar.keep(response.headers.getSetCookie(), path);
    return response;
  }
}

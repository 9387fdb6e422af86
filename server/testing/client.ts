import type { z } from 'zod';
import type { Endpoint } from '../../contracts/endpoint.ts';
import type { Problem } from '../../contracts/errors.ts';
import { CookieJar } from './cookie-jar.ts';

/** A refusal as a test sees it. */
export class CallError extends Error {
  readonly status: number;
  readonly code: Problem['code'];
  readonly problem: Problem;
  readonly headers: Headers;

  constructor(status: number, problem: Problem, headers: Headers) {
    super(`${status}: ${problem.detail}`);
    this.status = status;
    this.code = problem.code;
    this.problem = problem;
    this.headers = headers;
  }
}

type CallInput = { params?: Record<string, string>; query?: Record<string, string>; body?: unknown };

/** Node's own: component tests replace the global one with a window's, which has cookies and an origin. */
const { fetch: nodeFetch, Headers: NodeHeaders } = globalThis;

/** A caller with cookies of its own, over real HTTP. */
export class Client {
  readonly url: string;
  readonly jar: CookieJar;

  /** `jar`: the cookies of a browser that knows this server by another address. */
  constructor(url: string, jar = new CookieJar()) {
    this.url = url;
    this.jar = jar;
  }

  /** Makes a contract's call and checks the answer against its schema. Throws CallError. */
  async call<R extends z.ZodType | 'stream' | 'empty'>(
    endpoint: Endpoint<z.ZodType, z.ZodType, z.ZodType | 'stream', R>,
    input: CallInput = {},
  ): Promise<R extends z.ZodType ? z.output<R> : undefined> {
    const path = endpoint.path.replace(/:(\w+)/g, (_place, name: string) => input.params?.[name] ?? '');
    const search = input.query ? `?${new URLSearchParams(input.query)}` : '';
    const response = await this.fetch(path + search, {
      method: endpoint.method,
      headers: {
        accept: 'application/json',
        ...(input.body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(input.body !== undefined && { body: JSON.stringify(input.body) }),
    });
    if (!response.ok)
      throw new CallError(response.status, (await response.json()) as Problem, response.headers);
    if (endpoint.response === 'empty' || endpoint.response === 'stream') return undefined as never;
    return (endpoint.response as z.ZodType).parse(await response.json()) as never;
  }

  /** Plain fetch with this caller's cookies; `path` is relative to the server. */
  async fetch(path: string, init: RequestInit & { duplex?: 'half' } = {}): Promise<Response> {
    const headers = new NodeHeaders(init.headers);
    const cookies = this.jar.headerFor(path);
    if (cookies) headers.set('cookie', cookies);
    const response = await nodeFetch(this.url + path, { ...init, headers, redirect: 'manual' });
    this.jar.keep(response.headers.getSetCookie(), path);
    return response;
  }
}

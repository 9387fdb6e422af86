import type { z } from 'zod';
import { addressOf, type Endpoint } from '../contracts/endpoint.ts';
import { type Page, readNextCursor } from '../contracts/values/paging.ts';
import { type HttpResponse, NetworkError, readApiError } from './api-error.ts';

/** Optional if all of its fields are optional. */
type Given<Schema, Key extends string> = Schema extends z.ZodUndefined
  ? { [K in Key]?: undefined }
  : Schema extends z.ZodType
    ? Record<string, never> extends z.input<Schema>
      ? { [K in Key]?: z.input<Schema> }
      : { [K in Key]: z.input<Schema> }
    : { [K in Key]?: undefined };

/** Unique, not secret. `crypto.randomUUID` exists only in secure contexts (https or localhost). */
export function createUniqueKey(): string {
  return crypto.randomUUID?.() ?? String(Math.random());
}

type CallOptions = {
  /** A repeated call with the same key gets the first response. Only for endpoints marked `idempotent`. */
  idempotencyKey?: string;
  signal?: AbortSignal;
};

export type CallInput<P, Q, B> = Given<P, 'params'> & Given<Q, 'query'> & Given<B, 'body'>;
type Input<P, Q, B> = CallInput<P, Q, B> & CallOptions;

export type CallOutput<R> = R extends z.ZodType ? z.output<R> : undefined;

/** For endpoints whose type is not known at compile time. */
export type AnyInput = CallOptions & {
  params?: Record<string, string>;
  query?: Record<string, unknown>;
  body?: unknown;
};

type PageInput<Q extends z.ZodType> = Pick<AnyInput, 'params' | 'signal'> & {
  query: z.input<Q> & Record<string, unknown>;
};

/** All calls throw ApiError, NetworkError or the signal's reason. */
export interface Caller {
  /** Resolves with the response; undefined for an empty or streamed one. */
  call<
    P extends z.ZodType,
    Q extends z.ZodType,
    B extends z.ZodType | 'stream',
    R extends z.ZodType | 'stream' | 'empty',
  >(
    endpoint: Endpoint<P, Q, B, R>,
    ...[input]: Record<string, never> extends Input<P, Q, B> ? [Input<P, Q, B>?] : [Input<P, Q, B>]
  ): Promise<CallOutput<R>>;
  /** Fetches one page of a list. The next cursor comes from the `Link` header. */
  callPage<P extends z.ZodType, Q extends z.ZodType, R extends z.ZodArray>(
    endpoint: Endpoint<P, Q, z.ZodUndefined, R, true>,
    input: PageInput<Q>,
  ): Promise<Page<z.output<R>[number]>>;
}

export type HttpRequest = {
  method: string;
  /** Includes the query; relative to the server's address. */
  path: string;
  headers: Record<string, string>;
  body: string | undefined;
  signal: AbortSignal | undefined;
};

/** Resolves with the response whatever its status. Throws NetworkError or the signal's reason. */
export type SendRequest = (request: HttpRequest) => Promise<HttpResponse>;

export type ParseBody = (text: string, schema: z.ZodType) => unknown;

/** By default, `parse` trusts the JSON; an adapter can validate it against the schema. */
export function createCaller(send: SendRequest, parse: ParseBody = parseJson): Caller {
  const exchange = async (endpoint: Endpoint, input: AnyInput = {}) => {
    const response = await send(toHttpRequest(endpoint, input));
    if (response.status < 200 || response.status > 299) throw await readApiError(response);
    const text = await response.text().catch((cause: Error) => {
      input.signal?.throwIfAborted();
      throw cause instanceof NetworkError ? cause : new NetworkError(undefined, { cause });
    });
    const isJson = endpoint.response !== 'empty' && endpoint.response !== 'stream';
    return {
      answer: isJson ? parse(text, endpoint.response as z.ZodType) : undefined,
      nextCursor: () => readNextCursor(response.headers.get('link')),
    };
  };
  const caller = {
    call: async (endpoint: Endpoint, input?: AnyInput) => (await exchange(endpoint, input)).answer,
    callPage: async (endpoint: Endpoint, input: AnyInput) => {
      const { answer, nextCursor } = await exchange(endpoint, input);
      return { items: answer, nextCursor: nextCursor() };
    },
  };
  return caller as Caller;
}

function toHttpRequest({ method, path }: Endpoint, input: AnyInput): HttpRequest {
  const { params, query, body, idempotencyKey, signal } = input;
  return {
    method,
    path: addressOf(path, params, query),
    headers: {
      accept: 'application/json',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
    },
    body: body === undefined ? undefined : JSON.stringify(body),
    signal,
  };
}

/** A 2xx response that is not JSON comes from a proxy or captive portal, not from the server. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new NetworkError(undefined, { cause });
  }
}

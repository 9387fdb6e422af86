import type { z } from 'zod';
import type { Endpoint } from '../../contracts/endpoint.ts';
import { readApiError } from './api-error.ts';

type Given<Schema, Key extends string> = Schema extends z.ZodUndefined
  ? { [K in Key]?: undefined }
  : Schema extends z.ZodType
    ? { [K in Key]: z.input<Schema> }
    : { [K in Key]?: undefined };

type Input<P, Q, B> = Given<P, 'params'> & Given<Q, 'query'> & Given<B, 'body'> & { signal?: AbortSignal };

/** Makes a contract's call with the browser's cookies. Throws ApiError for every non-successful answer. */
export async function call<
  P extends z.ZodType,
  Q extends z.ZodType,
  B extends z.ZodType | 'stream',
  R extends z.ZodType | 'stream' | 'empty',
>(
  endpoint: Endpoint<P, Q, B, R>,
  ...[input]: Record<string, never> extends Input<P, Q, B> ? [Input<P, Q, B>?] : [Input<P, Q, B>]
): Promise<R extends z.ZodType ? z.output<R> : undefined> {
  const response = await sendCall(endpoint, (input ?? {}) as CallInput);
  return (endpoint.response === 'empty' ? undefined : await response.json()) as never;
}

type CallInput = {
  params?: Record<string, string>;
  query?: Record<string, unknown>;
  body?: unknown;
  signal?: AbortSignal;
};

/** The successful answer as it came, for those who need its headers. Throws ApiError for every other. */
export async function sendCall(
  { method, path }: Pick<Endpoint, 'method' | 'path'>,
  { params, query, body, signal }: CallInput,
): Promise<Response> {
  const response = await fetch(addressOf(path, params, query), {
    method,
    credentials: 'same-origin',
    headers: {
      accept: 'application/json',
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  });
  if (!response.ok) throw await readApiError(response);
  return response;
}

export function addressOf(
  path: string,
  params: Record<string, string> = {},
  query: Record<string, unknown> = {},
): string {
  const filled = path.replace(/:(\w+)/g, (_place, name: string) => encodeURIComponent(params[name] ?? ''));
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return search ? `${filled}?${search}` : filled;
}

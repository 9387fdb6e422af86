import type { z } from 'zod';
import { KIB } from './values/sizes.ts';

/** Bytes of a JSON body, unless a call declares its own limit. */
export const JSON_BODY_LIMIT = 64 * KIB;

/**
 * Who may call. 'pending' also takes the short-lived cookie that registering gives; 'session' takes a
 * session whose email is not verified yet; 'signed-in' needs a verified one; 'uploader' takes that or, with
 * an `invitationToken`, a visitor's grant. Anything stricter is a rule of the feature.
 */
export type Access = 'public' | 'pending' | 'session' | 'signed-in' | 'uploader' | 'admin';

/** What an API key may be allowed to do. */
export type KeyScope = 'read' | 'write';

/** tus needs HEAD and OPTIONS as calls of their own. */
export type Method = 'GET' | 'HEAD' | 'OPTIONS' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export type Endpoint<
  Params extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType | 'stream' = z.ZodType | 'stream',
  Response extends z.ZodType | 'stream' | 'empty' = z.ZodType | 'stream' | 'empty',
  Paged extends boolean = boolean,
> = {
  method: Method;
  /** May have parameters, as in `/api/transfers/:id`. */
  path: string;
  access: Access;
  /** The scope an API key needs for this call. Derived from the method by default. */
  keyScope?: KeyScope | 'none';
  /**
   * Accepts `Idempotency-Key`: for a day, a repeated request gets the first response. Needs JSON in and JSON out.
   */
  idempotent?: boolean;
  /** One line for the API document. */
  summary: string;
  /** Markdown below the summary in the API document. */
  description?: string;
  params?: Params;
  query?: Query;
  /** 'stream': the handler gets the raw request. */
  body?: Body;
  /** Largest JSON body in bytes; `JSON_BODY_LIMIT` by default. */
  bodyLimit?: number;
  /** 'stream': the handler writes the answer itself. 'empty': 204. */
  response: Response;
  /**
   * The response is a list in pages: the handler returns a `Page`, and `route` links the next one in the header
   * `Link`. Needs `cursor` in the query.
   */
  paged?: Paged;
  /** Status of a success. By default 200, or 204 for 'empty'. */
  status?: number;
};

/** A call as data: the server mounts it with `route`, clients make it with `call`. */
export function defineEndpoint<
  Params extends z.ZodType = z.ZodUndefined,
  Query extends z.ZodType = z.ZodUndefined,
  Body extends z.ZodType | 'stream' = z.ZodUndefined,
  Response extends z.ZodType | 'stream' | 'empty' = 'empty',
  Paged extends boolean = false,
>(endpoint: Endpoint<Params, Query, Body, Response, Paged>): Endpoint<Params, Query, Body, Response, Paged> {
  return endpoint;
}

/** The scope an API key needs for a call. 'none': no key may make it. */
export function keyScopeOf({ method, access, keyScope }: Endpoint): KeyScope | 'none' {
  if (keyScope) return keyScope;
  if (access === 'pending' || access === 'session' || access === 'admin') return 'none';
  return method === 'GET' ? 'read' : 'write';
}

/** An endpoint's path with its places filled in, and the query; parameters that are undefined are left out. */
export function addressOf(
  path: string,
  params: Record<string, string> = {},
  query: Record<string, unknown> = {},
): string {
  const filled = path.replace(/:(\w+)/g, (_place, name: string) => encodeURIComponent(params[name] ?? ''));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value));
  return search.size > 0 ? `${filled}?${search}` : filled;
}

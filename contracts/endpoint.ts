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

/** HEAD as a call of its own, and OPTIONS, are for protocols that ask so (tus). */
export type Method = 'GET' | 'HEAD' | 'OPTIONS' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export type Endpoint<
  Params extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType | 'stream' = z.ZodType | 'stream',
  Response extends z.ZodType | 'stream' | 'empty' = z.ZodType | 'stream' | 'empty',
> = {
  method: Method;
  /** With ':name' places, as in `/api/transfers/:id`. */
  path: string;
  access: Access;
  /** What an API key needs to make this call in its owner's name; by the method unless told. */
  keyScope?: KeyScope | 'none';
  /**
   * Creates something: takes `Idempotency-Key`, and a repeated request gets the first one's answer (for a day).
   * For JSON in and JSON out.
   */
  idempotent?: boolean;
  /** One line for the API document. */
  summary: string;
  /** What the API document says below the summary, as Markdown. */
  description?: string;
  params?: Params;
  query?: Query;
  /** 'stream': the handler gets the raw request. */
  body?: Body;
  /** Largest JSON body in bytes; `JSON_BODY_LIMIT` by default. */
  bodyLimit?: number;
  /** 'stream': the handler writes the answer itself. 'empty': 204. */
  response: Response;
  /** Status of a success; 200 unless told (204 for 'empty'). */
  status?: number;
};

/** A call both sides agree on: the server mounts it with `route`, the page makes it with `call`. */
export function defineEndpoint<
  Params extends z.ZodType = z.ZodUndefined,
  Query extends z.ZodType = z.ZodUndefined,
  Body extends z.ZodType | 'stream' = z.ZodUndefined,
  Response extends z.ZodType | 'stream' | 'empty' = 'empty',
>(endpoint: Endpoint<Params, Query, Body, Response>): Endpoint<Params, Query, Body, Response> {
  return endpoint;
}

/** What an API key needs for a call; 'none': no key may make it, whatever its scopes. */
export function keyScopeOf({ method, access, keyScope }: Endpoint): KeyScope | 'none' {
  if (keyScope) return keyScope;
  if (access === 'pending' || access === 'session' || access === 'admin') return 'none';
  return method === 'GET' ? 'read' : 'write';
}

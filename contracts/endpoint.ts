import type { z } from 'zod';
import { KIB } from './values/sizes.ts';

/** Default limit for a JSON body in bytes. */
export const JSON_BODY_LIMIT = 64 * KIB;

/**
 * Who may call. 'pending' also accepts the short-lived cookie from registration; 'session' accepts a session with an
 * unverified email address; 'signed-in' needs a verified one; 'uploader' accepts that or, with an `invitationToken`,
 * a verified visitor. 'step-up' and 'admin-step-up' are 'signed-in' and 'admin' with a sign-in of the last
 * `STEP_UP_MINUTES` minutes, by the second factor if the account has one. Stricter rules belong to the feature.
 */
export type Access =
  | 'public'
  | 'pending'
  | 'session'
  | 'signed-in'
  | 'step-up'
  | 'uploader'
  | 'admin'
  | 'admin-step-up';

export function isForAdmins(access: Access): boolean {
  return access === 'admin' || access === 'admin-step-up';
}

/** Whether the call needs a recent sign-in, or an API key if it takes one. */
export function needsStepUp(access: Access): boolean {
  return access === 'step-up' || access === 'admin-step-up';
}

export type KeyScope = 'read' | 'write';

/** tus needs endpoints for HEAD and OPTIONS. */
export type Method = 'GET' | 'HEAD' | 'OPTIONS' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export type Endpoint<
  Params extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType | 'stream' = z.ZodType | 'stream',
  Response extends z.ZodType | 'stream' | 'empty' = z.ZodType | 'stream' | 'empty',
  Paged extends boolean = boolean,
> = {
  method: Method;
  path: string;
  access: Access;
  /** Derived from the method by default. */
  keyScope?: KeyScope | 'none';
  /** Also allowed while the user must still set up a second factor. `public`, `pending` and `session` calls always are. */
  allowedBeforeFactor?: boolean;
  /**
   * Accepts `Idempotency-Key`: for a day, a repeated request gets the first response. Only for JSON requests and
   * responses.
   */
  idempotent?: boolean;
  summary: string;
  /** Markdown. */
  description?: string;
  params?: Params;
  query?: Query;
  /** 'stream': the handler reads the raw request. */
  body?: Body;
  /** Bytes; `JSON_BODY_LIMIT` by default. */
  bodyLimit?: number;
  /** 'stream': the handler writes the response itself. 'empty': 204. */
  response: Response;
  /**
   * The handler returns a `Page`, and `route` links the next page in the `Link` header. Needs `cursor` in the query.
   */
  paged?: Paged;
  /**
   * Responses above 1 kB are compressed if no other site can make a browser send the request, because the size of a
   * compressed response can reveal a secret in it (docs/decisions/0036). `true`: always; only for responses that
   * contain no secret from the person who knows the address, and repeat nothing of the request. `false`: never; for
   * responses whose content is a secret.
   */
  compressible?: boolean;
  /** Status on success. By default 200, or 204 for 'empty'. */
  status?: number;
};

/** Declares a call. The server mounts it with `route`; clients make it with `call`. */
export function defineEndpoint<
  Params extends z.ZodType = z.ZodUndefined,
  Query extends z.ZodType = z.ZodUndefined,
  Body extends z.ZodType | 'stream' = z.ZodUndefined,
  Response extends z.ZodType | 'stream' | 'empty' = 'empty',
  Paged extends boolean = false,
>(endpoint: Endpoint<Params, Query, Body, Response, Paged>): Endpoint<Params, Query, Body, Response, Paged> {
  return endpoint;
}

const WITHOUT_KEYS: ReadonlySet<Access> = new Set([
  'pending',
  'session',
  'step-up',
  'admin',
  'admin-step-up',
]);

/** 'none': API keys cannot make this call. */
export function keyScopeOf({ method, access, keyScope }: Endpoint): KeyScope | 'none' {
  if (keyScope) return keyScope;
  if (WITHOUT_KEYS.has(access)) return 'none';
  return method === 'GET' ? 'read' : 'write';
}

/** Fills in the parameters of a path and appends the query. Omits undefined query parameters. */
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

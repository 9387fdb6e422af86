import type { FastifyRequest } from 'fastify';
import { AppError } from '../../lib/app-error.ts';

const BEARER = /^bearer(?: |$)/i;
const BEARER_TOKEN = /^bearer +([\w.~+/-]+=*)$/i;
/** Sent by browsers behind a password-protected reverse proxy; not for us. */
const OF_PROXY = /^(?:basic|digest|negotiate|ntlm) /i;

/** True even if the token is invalid. Cookies of such a call are ignored. */
export function hasBearerCredentials({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  return headers.authorization !== undefined && BEARER.test(headers.authorization);
}

/** Undefined without the header. Throws AppError `api_key_malformed`. */
export function readBearerToken({ headers }: Pick<FastifyRequest, 'headers'>): string | undefined {
  const { authorization } = headers;
  if (authorization === undefined || OF_PROXY.test(authorization)) return undefined;
  const token = BEARER_TOKEN.exec(authorization)?.[1];
  if (token === undefined) throw new AppError('api_key_malformed');
  return token;
}

/** `WWW-Authenticate` (RFC 6750, section 3). */
export function challengeFor({ code, details }: AppError): string | undefined {
  if (code === 'api_key_scope') return `${CHALLENGE}, error="insufficient_scope", scope="${details.scope}"`;
  if (code === 'api_key_malformed') return `${CHALLENGE}, error="invalid_request"`;
  return code.startsWith('api_key_') ? `${CHALLENGE}, error="invalid_token"` : CHALLENGE;
}

const CHALLENGE = 'Bearer realm="Sendwell"';

import type { FastifyReply, FastifyRequest } from 'fastify';
import { plainSharePath } from '../../../contracts/values/links.ts';
import type { Context } from '../../context.ts';
import { isHttps, readSecureCookie, secureCookieName } from '../../platform/http/secure-cookies.ts';
import { SECOND_MS } from '../../platform/lib/clock.ts';
import { GRANT_LIFETIME_MS } from './password-grants.ts';
import { TICKET_LIFETIME_MS } from './tickets.ts';

const GRANT = 'download-grant';
const TICKET = 'download-ticket';

type Exchange = { request: FastifyRequest; reply: FastifyReply };
type Cookie = { name: string; value: string; path: string; lifetimeMs: number };

export function readGrant(request: FastifyRequest): string | undefined {
  return readSecureCookie(request, GRANT);
}

/** They go back with every call about this transfer and with its page for browsers without scripts, only there. */
export function setGrantCookies(
  context: Context,
  reply: FastifyReply,
  { token, grant }: { token: string; grant: string },
): void {
  for (const path of [`/api/download/${token}`, plainSharePath(token)]) {
    setCookie(context, reply, { name: GRANT, value: grant, path, lifetimeMs: GRANT_LIFETIME_MS });
  }
}

export function readTicketCookie(request: FastifyRequest): string | undefined {
  return readSecureCookie(request, TICKET);
}

/** Goes back with exactly this download. */
export function setTicketCookie(context: Context, { request, reply }: Exchange, ticket: string): void {
  const path = request.url.split('?', 1)[0]!;
  setCookie(context, reply, { name: TICKET, value: ticket, path, lifetimeMs: TICKET_LIFETIME_MS });
}

/** As a header: an answer with bytes is written past Fastify's hooks, which would set `reply.cookie`'s. */
function setCookie(
  { config }: Context,
  reply: FastifyReply,
  { name, value, path, lifetimeMs }: Cookie,
): void {
  const secure = isHttps(config.publicUrl);
  const options = { path, maxAge: lifetimeMs / SECOND_MS, httpOnly: true, sameSite: 'lax', secure } as const;
  reply.header('set-cookie', reply.server.serializeCookie(secureCookieName(config, name), value, options));
}

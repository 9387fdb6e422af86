import type { CookieSerializeOptions } from '@fastify/cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { PASSKEY_MINUTES } from '../../../../../contracts/accounts/sign-in/passkeys.ts';
import { RETENTION } from '../../../../../contracts/transfers/retention.ts';
import { ID_PATTERN } from '../../../../../contracts/values/addresses/links.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../../../contracts/values/durations.ts';
import type { Config } from '../../../../config.ts';
import type { Context } from '../../../../context.ts';
import { isHttps } from '../../../../platform/http/security/secure-cookies.ts';
import { readSignedValue, signValue } from '../../../../platform/http/security/signed-value.ts';
import { randomId } from '../../../../platform/lib/tokens.ts';

type CookieName = 'sendwell_session' | 'sendwell_pending' | 'sendwell_browser' | AttemptCookie;
/**
 * `sendwell_sign_in`: the first step was right, and the second factor is missing. `sendwell_passkey`: binds the requests
 * for passkeys to the browser that got them. `sendwell_sso`: the person is at an OpenID Connect provider.
 */
type AttemptCookie = 'sendwell_sign_in' | 'sendwell_passkey' | 'sendwell_sso';
export type SignInTokens = { token: string; browserToken: string };

type WithConfig = { config: Pick<Config, 'publicUrl'> };

/** Absolute lifetime: using a session doesn't extend it. */
export const SESSION_MS = RETENTION.sessionDays * DAY_MS;
const BROWSER_MS = RETENTION.knownPlaceDays * DAY_MS;
const PENDING_MS = RETENTION.pendingCookieHours * HOUR_MS;
const PENDING_PURPOSE = 'pending-registration';

export function readSessionToken({ config }: WithConfig, request: FastifyRequest): string | undefined {
  return request.cookies[sessionCookieName(config)];
}

export function setSessionCookie({ config }: WithConfig, reply: FastifyReply, token: string): void {
  const maxAge = SESSION_MS / SECOND_MS;
  reply.setCookie(sessionCookieName(config), token, { ...attributesOf(config), maxAge });
}

export function clearSessionCookie({ config }: WithConfig, reply: FastifyReply): void {
  reply.clearCookie(sessionCookieName(config), attributesOf(config));
}

/** Identifies a browser that has signed in before. It only grants a separate limit of login attempts. */
export function readBrowserToken({ config }: WithConfig, request: FastifyRequest): string | undefined {
  return request.cookies[nameOf(config, 'sendwell_browser')];
}

/** After every sign-in: the session, and the browser that is known from now on. */
export function setSignInCookies(
  deps: WithConfig,
  reply: FastifyReply,
  { token, browserToken }: SignInTokens,
): void {
  setSessionCookie(deps, reply, token);
  setBrowserCookie(deps, reply, browserToken);
  clearPendingCookie(deps, reply);
  clearAttemptCookie(deps, reply, 'sendwell_sign_in');
}

/** Issues a new token at every sign-in, so that a planted one is worthless. */
function setBrowserCookie({ config }: WithConfig, reply: FastifyReply, token: string): void {
  const maxAge = BROWSER_MS / SECOND_MS;
  reply.setCookie(nameOf(config, 'sendwell_browser'), token, { ...attributesOf(config), maxAge });
}

export function readPendingUserId(
  { config, secret, previousSecret, clock }: Pick<Context, 'config' | 'secret' | 'previousSecret' | 'clock'>,
  request: FastifyRequest,
): string | undefined {
  const value = request.cookies[nameOf(config, 'sendwell_pending')];
  return readSignedValue({ secret, previousSecret, purpose: PENDING_PURPOSE }, value, clock.now());
}

export function setPendingCookie(
  { config, secret, clock }: Pick<Context, 'config' | 'secret' | 'clock'>,
  reply: FastifyReply,
  userId: string,
): void {
  const value = signValue({ secret, purpose: PENDING_PURPOSE }, userId, clock.now() + PENDING_MS);
  const maxAge = PENDING_MS / SECOND_MS;
  reply.setCookie(nameOf(config, 'sendwell_pending'), value, { ...attributesOf(config), maxAge });
}

export function clearPendingCookie({ config }: WithConfig, reply: FastifyReply): void {
  reply.clearCookie(nameOf(config, 'sendwell_pending'), attributesOf(config));
}

export function readAttemptToken(
  { config }: WithConfig,
  request: FastifyRequest,
  name: AttemptCookie,
): string | undefined {
  return request.cookies[nameOf(config, name)];
}

/** `lifetime` in milliseconds. */
export function setAttemptCookie(
  { config }: WithConfig,
  reply: FastifyReply,
  { name, token, lifetime }: { name: AttemptCookie; token: string; lifetime: number },
): void {
  reply.setCookie(nameOf(config, name), token, { ...attributesOf(config), maxAge: lifetime / SECOND_MS });
}

/** Returns the value that binds a request for a passkey to the browser. Several tabs share one. */
export function bindPasskeyRequest(deps: WithConfig, request: FastifyRequest, reply: FastifyReply): string {
  const name = 'sendwell_passkey';
  const known = readAttemptToken(deps, request, name);
  const token = known && ID_PATTERN.test(known) ? known : randomId();
  setAttemptCookie(deps, reply, { name, token, lifetime: PASSKEY_MINUTES * MINUTE_MS });
  return token;
}

export function clearAttemptCookie({ config }: WithConfig, reply: FastifyReply, name: AttemptCookie): void {
  reply.clearCookie(nameOf(config, name), attributesOf(config));
}

export function sessionCookieName(config: WithConfig['config']): string {
  return nameOf(config, 'sendwell_session');
}

/** On HTTPS, the `__Host-` prefix makes browsers accept the cookie from this host only. */
function nameOf(config: WithConfig['config'], name: CookieName): string {
  return isHttps(config.publicUrl) ? `__Host-${name}` : name;
}

function attributesOf(config: WithConfig['config']): CookieSerializeOptions {
  return { path: '/', httpOnly: true, sameSite: 'lax', secure: isHttps(config.publicUrl) };
}

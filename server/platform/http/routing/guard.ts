import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import {
  type Access,
  type Endpoint,
  isForAdmins,
  keyScopeOf,
  needsStepUp,
} from '../../../../contracts/endpoint.ts';
import { AppError } from '../../lib/app-error.ts';
import { readBearerToken } from '../security/bearer.ts';
import type { Exchange, Identity } from './identity.ts';

export type Guard = {
  /**
   * Authenticates and counts the call before the body is read. Undefined for a visitor who may still name the
   * invitation in the body. Throws AppError.
   */
  admit(exchange: Exchange): Promise<Identity | undefined>;
  /**
   * Called after the body is parsed. Throws AppError `visitor_not_verified`, `not_signed_in`,
   * `api_key_not_taken`.
   */
  identify(exchange: Exchange): Promise<Identity>;
};

/**
 * An API key identifies the caller instead of a cookie, with the current rights of its owner within the key's
 * scopes. Undefined for public calls, which identify nobody.
 */
export function guardFor(app: FastifyInstance, endpoint: Endpoint): Guard | undefined {
  const { access, allowedBeforeFactor } = endpoint;
  if (access === 'public') return undefined;
  const admit = async (exchange: Exchange) => {
    const { request, reply } = exchange;
    const token = readBearerToken(request);
    if (token !== undefined) return identifyByKey(app, endpoint, { request, reply, token });
    const identity = await (access === 'uploader'
      ? admitUploader(app, exchange)
      : identifyByCookie(app, { access, allowedBeforeFactor }, request));
    if (identity) await app.authenticator.countCall(exchange, identity, { isBulk: isBulk(endpoint) });
    return identity;
  };
  return {
    async admit(exchange) {
      const identity = await admit(exchange);
      admitted.set(exchange.request, identity);
      return identity;
    },
    async identify(exchange) {
      const identity = admitted.get(exchange.request);
      if (access === 'uploader') return identifyUploader(app, exchange, identity);
      if (!identity) throw new AppError('not_signed_in');
      return identity;
    },
  };
}

const admitted = new WeakMap<FastifyRequest, Identity | undefined>();

/** Calls made by the thousand when many files are uploaded or shown. */
function isBulk({ access, body, response }: Endpoint): boolean {
  return access === 'uploader' || body === 'stream' || response === 'stream';
}

async function identifyByKey(
  app: FastifyInstance,
  endpoint: Endpoint,
  { request, reply, token }: { request: FastifyRequest; reply: FastifyReply; token: string },
): Promise<Identity> {
  const carriesBytes = endpoint.body === 'stream';
  const identity = await app.authenticator.apiKey({ request, reply }, token, { carriesBytes });
  request.accountId = identity.user.id;
  const scope = keyScopeOf(endpoint);
  // Visitors need a verified address. With a key, the files would belong to the key's owner.
  const asVisitor = endpoint.access === 'uploader' && tokenIn(request.query) !== undefined;
  if (scope === 'none' || asVisitor) throw new AppError('api_key_not_taken');
  if (!identity.apiKey.scopes.includes(scope)) throw new AppError('api_key_scope', { details: { scope } });
  return identity;
}

type CookieAccess = Exclude<Access, 'public' | 'uploader'>;

async function identifyByCookie(
  app: FastifyInstance,
  { access, allowedBeforeFactor }: { access: CookieAccess; allowedBeforeFactor?: boolean | undefined },
  request: FastifyRequest,
): Promise<Identity> {
  const { authenticator } = app;
  const identity = await (access === 'pending'
    ? authenticator.pending(request)
    : authenticator.session(request));
  if (!identity) throw new AppError('not_signed_in');
  request.accountId = identity.user.id;
  if (access === 'pending' || access === 'session') return identity;
  if (!identity.user.emailVerified) throw new AppError('email_not_verified');
  if (isForAdmins(access) && !identity.user.isAdmin) throw new AppError('not_allowed');
  if (!allowedBeforeFactor && (await authenticator.mustAddFactor(identity)))
    throw new AppError('second_factor_setup_required');
  if (needsStepUp(access)) authenticator.requireStepUp(identity);
  return identity;
}

const AS_USER = { access: 'signed-in' } as const;

/**
 * The visitor of the invitation in the address, else the signed-in user. Otherwise a browser with a visitor's
 * grant may name the invitation in the body.
 */
async function admitUploader(app: FastifyInstance, exchange: Exchange): Promise<Identity | undefined> {
  const { request } = exchange;
  const token = tokenIn(request.query);
  if (token !== undefined) return identifyVisitor(app, exchange, token);
  if (!app.authenticator.hasVisitorGrant(request)) return identifyByCookie(app, AS_USER, request);
  const identity = await app.authenticator.session(request);
  if (!identity?.user.emailVerified || (await app.authenticator.mustAddFactor(identity))) return undefined;
  return identity;
}

async function identifyUploader(
  app: FastifyInstance,
  exchange: Exchange,
  admittedAs: Identity | undefined,
): Promise<Identity> {
  const token = tokenIn(exchange.request.body);
  if (token === undefined) return admittedAs ?? identifyByCookie(app, AS_USER, exchange.request);
  if (admittedAs?.apiKey) throw new AppError('api_key_not_taken');
  if (admittedAs?.visitor) return admittedAs;
  const visitor = await identifyVisitor(app, exchange, token);
  await app.authenticator.countCall(exchange, visitor, { isBulk: true });
  return visitor;
}

async function identifyVisitor(app: FastifyInstance, exchange: Exchange, token: string): Promise<Identity> {
  const identity = await app.authenticator.visitor(exchange, token);
  if (!identity) throw new AppError('visitor_not_verified');
  return identity;
}

function tokenIn(input: unknown): string | undefined {
  const token = (input as { invitationToken?: unknown } | undefined | null)?.invitationToken;
  return typeof token === 'string' ? token : undefined;
}

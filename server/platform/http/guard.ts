import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Access, type Endpoint, keyScopeOf } from '../../../contracts/endpoint.ts';
import { AppError } from '../lib/app-error.ts';
import { readBearerToken } from './bearer.ts';
import type { Identity } from './identity.ts';

export type Guard = (request: FastifyRequest, reply: FastifyReply) => Promise<Identity>;

const NOBODY = {} as Identity;

/**
 * Lets in whom a call's access names. Who sends a key is known by it alone and never by a cookie; its rights are
 * its owner's of this moment, and of them those its scopes name. Nobody is asked for a public call.
 */
export function guardFor(app: FastifyInstance, endpoint: Endpoint): Guard {
  const { access } = endpoint;
  if (access === 'public') return async () => NOBODY;
  return async (request, reply) => {
    const token = readBearerToken(request);
    if (token !== undefined) return identifyByKey(app, endpoint, { request, reply, token });
    return access === 'uploader'
      ? identifyUploader(app, request, reply)
      : identifyByCookie(app, access, request);
  };
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
  // A visitor is let in by a proved address only: a key would make the files its owner's.
  const asVisitor = endpoint.access === 'uploader' && invitationTokenOf(request) !== undefined;
  if (scope === 'none' || asVisitor) throw new AppError('api_key_not_taken');
  if (!identity.apiKey.scopes.includes(scope)) throw new AppError('api_key_scope', { details: { scope } });
  return identity;
}

async function identifyByCookie(
  app: FastifyInstance,
  access: Exclude<Access, 'public' | 'uploader'>,
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
  if (access === 'admin' && !identity.user.isAdmin) throw new AppError('not_allowed');
  return identity;
}

/** A visitor says so; whoever does not is to be signed in. */
async function identifyUploader(
  app: FastifyInstance,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Identity> {
  const token = invitationTokenOf(request);
  if (token === undefined) return identifyByCookie(app, 'signed-in', request);
  const identity = await app.authenticator.visitor({ request, reply }, token);
  if (!identity) throw new AppError('visitor_not_verified');
  return identity;
}

function invitationTokenOf({ query, body }: FastifyRequest): string | undefined {
  return tokenIn(query) ?? tokenIn(body);
}

function tokenIn(input: unknown): string | undefined {
  const token = (input as { invitationToken?: unknown } | undefined | null)?.invitationToken;
  return typeof token === 'string' ? token : undefined;
}

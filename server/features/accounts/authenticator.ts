import type { FastifyRequest } from 'fastify';
import type { Context } from '../../context.ts';
import { isByKey } from '../../platform/http/bearer.ts';
import type { Authenticator, Identity } from '../../platform/http/identity.ts';
import { readPendingUserId, readSessionToken } from './cookies.ts';
import { selectUserById } from './queries.ts';
import { findSession } from './sessions.ts';

/** Tells the machine room which account calls. */
export function createAuthenticator(context: Context): Pick<Authenticator, 'session' | 'pending'> {
  return {
    session: (request) => identifyBySession(context, request),
    pending: (request) => identifyByPending(context, request),
  };
}

async function identifyBySession(context: Context, request: FastifyRequest): Promise<Identity | undefined> {
  if (isByKey(request)) return undefined;
  const token = readSessionToken(context, request);
  return token === undefined ? undefined : findSession(context, token);
}

/** The newest act of this browser counts: who has just registered, even beside an older session. */
async function identifyByPending(context: Context, request: FastifyRequest): Promise<Identity | undefined> {
  const userId = readPendingUserId(context, request);
  const user = userId === undefined ? undefined : await selectUserById(context.db, userId);
  if (user && !user.emailVerified) return { user, sessionId: null };
  const bySession = await identifyBySession(context, request);
  return bySession ?? (user && { user, sessionId: null });
}

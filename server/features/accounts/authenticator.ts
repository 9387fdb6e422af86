import type { FastifyRequest } from 'fastify';
import {
  SESSION_BULK_CALLS_PER_MINUTE,
  SESSION_CALLS_PER_MINUTE,
} from '../../../contracts/accounts/settings.ts';
import type { Context } from '../../context.ts';
import { isByKey } from '../../platform/http/bearer.ts';
import { callLimitExceeded, createCallLimits, describeAllowance } from '../../platform/http/call-limits.ts';
import type { Authenticator, Identity } from '../../platform/http/identity.ts';
import { MINUTE_MS } from '../../platform/lib/clock.ts';
import { readPendingUserId, readSessionToken } from './cookies.ts';
import { selectUserById } from './queries.ts';
import { findSession } from './sessions.ts';

/** Identifies accounts by their cookies and counts their calls. */
export function createAuthenticator(
  context: Context,
): Pick<Authenticator, 'session' | 'pending' | 'countCall'> {
  const limits = createCallLimits(context);
  return {
    async countCall({ reply }, { user, visitor }, { isBulk }) {
      const limit = isBulk ? SESSION_BULK_CALLS_PER_MINUTE : SESSION_CALLS_PER_MINUTE;
      const name = isBulk ? 'bulk' : 'calls';
      // A visitor must not use up the budget of the account that invited them.
      const account = visitor ? `visitor ${visitor.key}` : user.id;
      const budget = { name, key: `session-${name}:${account}`, limit, windowMs: MINUTE_MS };
      const allowance = await limits.take(budget);
      if (!allowance?.isUsedUp) return;
      reply.headers(describeAllowance(budget, allowance));
      throw callLimitExceeded(budget, allowance, 'call_limit_exceeded');
    },
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

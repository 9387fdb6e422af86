import type { FastifyRequest } from 'fastify';
import {
  SESSION_BULK_CALLS_PER_MINUTE,
  SESSION_CALLS_PER_MINUTE,
  type Session,
} from '../../../../../contracts/accounts/settings.ts';
import type { SignInMethod } from '../../../../../contracts/accounts/sign-in/sign-in.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../../../contracts/values/durations.ts';
import type { Context } from '../../../../context.ts';
import type { UserRow } from '../../../../platform/db/schema.ts';
import { transaction } from '../../../../platform/db/transaction.ts';
import {
  callLimitExceeded,
  createCallLimits,
  describeAllowance,
} from '../../../../platform/http/limits/call-limits.ts';
import { requestLanguage } from '../../../../platform/http/pages/wanted-languages.ts';
import type { Authenticator, Identity } from '../../../../platform/http/routing/identity.ts';
import { hasBearerCredentials } from '../../../../platform/http/security/bearer.ts';
import { AppError } from '../../../../platform/lib/app-error.ts';
import { toIso } from '../../../../platform/lib/clock.ts';
import { hashToken, randomId } from '../../../../platform/lib/tokens.ts';
import { recordAccountEvent } from '../../events/events.ts';
import { requireMaySignInWithoutSso } from '../../single-sign-on/providers/required.ts';
import { findUser, setLanguageIfUnknown } from '../../users/user-queries.ts';
import { getSignInPolicy, mustAddFactor } from '../policy.ts';
import { parseMethods, requireStepUp } from '../step-up.ts';
import { readPendingUserId, readSessionToken, SESSION_MS } from './cookies.ts';
import {
  deleteOldestSessions,
  deleteSession,
  deleteSessionById,
  findSessionWithUser,
  insertSession,
  listActiveSessions,
  recordSessionUse,
} from './session-queries.ts';

/** Minimum interval between updates of a session's last use. */
const RECORD_EVERY_MS = HOUR_MS;
const USER_AGENT_MAX = 300;

export type NewSession = {
  user: Pick<UserRow, 'id' | 'email' | 'isAdmin'>;
  methods: readonly SignInMethod[];
  /** Undefined for other ways than single sign-on. */
  provider?: SessionProvider | undefined;
};

/** The OpenID Connect provider with which a session begins, and the provider's name for its own session. */
export type SessionProvider = { id: string; sid: string | null };

/**
 * Starts a session and ends the browser's previous one, so that a planted token is worthless. The caller's transaction
 * must hold the user's row lock, so that parallel sign-ins cannot exceed the allowed sessions. An account without a
 * language gets that of the browser. Returns the token; only its hash is stored. Throws AppError `sso_required` if the
 * account must use an OpenID Connect provider.
 */
export async function startSession(
  deps: Pick<Context, 'db' | 'clock' | 'config' | 'secret' | 'previousSecret'>,
  { user, methods, provider }: NewSession,
  request: FastifyRequest,
): Promise<string> {
  const { db, clock, config } = deps;
  const userId = user.id;
  if (!provider) await requireMaySignInWithoutSso(deps, user);
  const oldToken = readSessionToken({ config }, request);
  if (oldToken) await endSession({ db }, oldToken);
  const token = randomId();
  const now = clock.now();
  const { sessionsPerUser, sessionDays } = await getSignInPolicy({ db, clock });
  const language = requestLanguage(request);
  if (language) await setLanguageIfUnknown(db, userId, language);
  await deleteOldestSessions(db, { userId, keep: sessionsPerUser - 1 });
  await insertSession(db, {
    id: randomId(),
    userId,
    tokenHash: hashToken(token),
    ipAddress: request.ip,
    userAgent: request.headers['user-agent']?.slice(0, USER_AGENT_MAX) ?? null,
    createdAt: now,
    lastSeenAt: now,
    expiresAt: now + sessionDays * DAY_MS,
    methods: JSON.stringify(methods),
    authenticatedAt: now,
    providerId: provider?.id ?? null,
    providerSession: provider?.sid ?? null,
  });
  return token;
}

export async function endSession({ db }: Pick<Context, 'db'>, token: string): Promise<void> {
  await deleteSession(db, hashToken(token));
}

async function findSession(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  token: string,
): Promise<Identity | undefined> {
  const now = clock.now();
  const [row] = await findSessionWithUser(db, hashToken(token), now, now - SESSION_MS);
  if (!row) return undefined;
  const { sessionId, sessionSeenAt, sessionMethods, authenticatedAt, sessionCreatedAt, ...user } = row;
  if (now - sessionSeenAt >= RECORD_EVERY_MS)
    await recordSessionUse(db, { id: sessionId, seenAt: sessionSeenAt, now });
  const authentication = { methods: parseMethods(sessionMethods), at: authenticatedAt ?? sessionCreatedAt };
  return { user, sessionId, authentication };
}

export async function listSessions(
  { db, clock, geo }: Pick<Context, 'db' | 'clock' | 'geo'>,
  { user, sessionId }: Identity,
): Promise<Session[]> {
  const rows = await listActiveSessions(db, {
    userId: user.id,
    now: clock.now(),
    since: clock.now() - SESSION_MS,
  });
  const sessions = rows.map(({ createdAt, lastSeenAt, methods, ...row }) => ({
    ...row,
    ...geo.locate(row.ipAddress),
    methods: parseMethods(methods),
    isCurrent: row.id === sessionId,
    createdAt: toIso(createdAt),
    lastSeenAt: toIso(lastSeenAt),
  }));
  return sessions.toSorted((a, b) => Number(b.isCurrent) - Number(a.isCurrent));
}

/** Throws AppError `session_not_found`, also for other users' sessions. */
export async function endOwnSession(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  { userId, id, request }: { userId: string; id: string; request: FastifyRequest },
): Promise<void> {
  await transaction(db, async (trx) => {
    const now = clock.now();
    if (!(await deleteSessionById(trx, { id, userId, now }))) throw new AppError('session_not_found');
    await recordAccountEvent({ db: trx, clock }, { userId, kind: 'sessions-ended', request });
  });
}

export function createAuthenticator(
  context: Context,
): Pick<Authenticator, 'session' | 'pending' | 'countCall' | 'mustAddFactor' | 'requireStepUp'> {
  const limits = createCallLimits(context);
  return {
    async countCall({ reply }, { user, visitor }, { isBulk }) {
      const limit = isBulk ? SESSION_BULK_CALLS_PER_MINUTE : SESSION_CALLS_PER_MINUTE;
      const name = isBulk ? 'bulk' : 'calls';
      // A visitor must not use up the inviting account's budget.
      const account = visitor ? `visitor ${visitor.key}` : user.id;
      const budget = { name, key: `session-${name}:${account}`, limit, windowMs: MINUTE_MS };
      const allowance = await limits.claim(budget);
      if (!allowance?.isUsedUp) return;
      reply.headers(describeAllowance(budget, allowance));
      throw callLimitExceeded(budget, allowance, 'call_limit_exceeded');
    },
    session: (request) => identifyBySession(context, request),
    pending: (request) => identifyByPending(context, request),
    mustAddFactor: ({ user }) => mustAddFactor(context, user),
    requireStepUp: (identity) => requireStepUp(context, identity),
  };
}

async function identifyBySession(context: Context, request: FastifyRequest): Promise<Identity | undefined> {
  if (hasBearerCredentials(request)) return undefined;
  const token = readSessionToken(context, request);
  return token === undefined ? undefined : findSession(context, token);
}

/** A registration started in this browser takes precedence over an older session. */
async function identifyByPending(context: Context, request: FastifyRequest): Promise<Identity | undefined> {
  const userId = readPendingUserId(context, request);
  const user = userId === undefined ? undefined : await findUser(context.db, userId);
  if (user && !user.emailVerified) return { user, sessionId: null };
  const bySession = await identifyBySession(context, request);
  return bySession ?? (user && { user, sessionId: null });
}

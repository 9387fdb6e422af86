import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import * as contract from '../../../../contracts/accounts/sign-in/single-sign-on.ts';
import { PAGES } from '../../../../contracts/values/addresses/pages.ts';
import { MINUTE_MS } from '../../../../contracts/values/durations.ts';
import { KIB } from '../../../../contracts/values/sizes.ts';
import type { Context } from '../../../context.ts';
import { requireAddressWithinLimits } from '../../../platform/http/limits/rate-limits.ts';
import { route } from '../../../platform/http/routing/route.ts';
import { SECOND_FACTOR_MS } from '../sign-in/login.ts';
import { clearAttemptCookie, setAttemptCookie, setSignInCookies } from '../sign-in/sessions/cookies.ts';
import { beginConfirmation, beginLink, beginSignIn, type Departure } from './flow/begin.ts';
import { finishSso, type SsoResult } from './flow/callback.ts';
import { SsoFailure } from './flow/failures.ts';
import { claimPending, type Pending, SSO_MS } from './flow/pending.ts';
import { listIdentities, unlinkIdentity } from './identities/identities.ts';
import { endSessionsByLogoutToken } from './logout.ts';
import { listSignInProviders } from './providers/providers.ts';

const LOGOUT_TOKEN_LIMIT = 32 * KIB;
const LOGOUTS = { limit: 1_000, windowMs: 15 * MINUTE_MS };

export function singleSignOnRoutes(app: FastifyInstance, context: Context): void {
  route(app, contract.listSignInProviders, () => listSignInProviders(context));

  route(app, contract.beginSsoSignIn, async ({ body, request, reply }) => {
    const departure = await beginSignIn(context, body, request);
    return { url: departure ? sendAway(context, reply, departure) : null };
  });

  route(app, contract.beginLinkIdentity, async ({ user, sessionId, body, reply }) => {
    const departure = await beginLink(context, { user, sessionId }, body.providerId);
    return { url: sendAway(context, reply, departure) };
  });

  route(app, contract.beginSsoConfirmation, async ({ user, sessionId, body, reply }) => {
    const departure = await beginConfirmation(context, { user, sessionId }, body);
    return { url: sendAway(context, reply, departure) };
  });

  app.get(contract.SSO_CALLBACK_PATH, async (request, reply) => {
    const path = await receive(context, app, { request, reply });
    return reply.header('cache-control', 'no-store').redirect(path, 303);
  });

  route(app, contract.listIdentities, ({ user }) => listIdentities(context, user.id));

  route(app, contract.unlinkIdentity, async ({ user, sessionId, params, request }) => {
    await unlinkIdentity(context, { user, sessionId }, { id: params.id, request });
    context.security.record(request, 'identity.unlinked');
  });

  app.register(async (scope) => logoutRoute(scope, context));
}

/** Binds the visit to the provider to this browser. */
function sendAway(context: Context, reply: FastifyReply, { url, token }: Departure): string {
  setAttemptCookie(context, reply, { name: 'sendwell_sso', token, lifetime: SSO_MS });
  return url;
}

type Exchange = { request: FastifyRequest; reply: FastifyReply };

/** Returns the path of the page that opens next. Never throws: the caller is a browser that shows what it gets. */
async function receive(
  context: Context,
  app: FastifyInstance,
  { request, reply }: Exchange,
): Promise<string> {
  const search = readSearch(request);
  const states = new URLSearchParams(search).getAll('state');
  const state = states.length === 1 ? states[0] : undefined;
  let pending: (Pending & { createdAt: number }) | undefined;
  let isSignedIn = false;
  try {
    const identity = await app.authenticator.session(request);
    isSignedIn = identity !== undefined;
    // A browser sends GET; HEAD must not use the sign-in up.
    pending = request.method === 'GET' ? await claimPending(context, { state, request }) : undefined;
    if (!pending) return pageOf({ outcome: 'expired', isSignedIn });
    clearAttemptCookie(context, reply, 'sendwell_sso');
    const result = await finishSso(context, { pending, search, request, identity });
    return succeed(context, { request, reply }, { result, pending });
  } catch (error) {
    const outcome = explain(context, request, { error, pending });
    return pageOf({ outcome, pending, isSignedIn });
  }
}

function readSearch({ raw }: FastifyRequest): string {
  const url = raw.url ?? '';
  const start = url.indexOf('?');
  return start === -1 ? '' : url.slice(start);
}

type Finished = { result: SsoResult; pending: Pending };

function succeed(context: Context, { request, reply }: Exchange, { result, pending }: Finished): string {
  const { security } = context;
  if ('isNew' in result && result.isNew) security.record(request, 'account.registered');
  switch (result.kind) {
    case 'signed-in':
      setSignInCookies(context, reply, result.tokens);
      security.record(request, 'login.succeeded', { method: 'oidc', providerId: pending.providerId });
      return pending.returnTo ?? PAGES.dashboard;
    case 'second-factor': {
      const { attemptToken: token, factors } = result;
      setAttemptCookie(context, reply, { name: 'sendwell_sign_in', token, lifetime: SECOND_FACTOR_MS });
      return pageOf({ outcome: 'second-factor', pending, isSignedIn: false, factors });
    }
    case 'linked':
      security.record(request, 'identity.linked', {
        accountId: result.user.id,
        providerId: pending.providerId,
      });
      return pageOf({ outcome: 'linked', pending, isSignedIn: true });
    case 'confirmed':
      security.record(request, 'reauthentication.succeeded', { accountId: result.user.id, method: 'oidc' });
      return pageOf({ outcome: 'confirmed', pending, isSignedIn: true });
  }
}

type Failed = { error: unknown; pending: Pending | undefined };

function explain(
  { log, security }: Context,
  request: FastifyRequest,
  { error, pending }: Failed,
): contract.SsoOutcome {
  if (!(error instanceof SsoFailure)) {
    log.error({ err: error, providerId: pending?.providerId }, 'a sign-in with a provider failed');
    return 'failed';
  }
  const { outcome, reason } = error;
  const providerId = pending?.providerId ?? null;
  if (outcome !== 'cancelled') security.record(request, 'sso.refused', { reason, outcome, providerId });
  return outcome;
}

type Landing = {
  outcome: contract.SsoOutcome;
  pending?: Pending | undefined;
  isSignedIn: boolean;
  factors?: readonly string[];
};

/** Signed-in people land where they came from, others on the sign-in page, which leads there. */
function pageOf({ outcome, pending, isSignedIn, factors }: Landing): string {
  const home = pending?.purpose.kind === 'link' ? PAGES.settingsSecurity : pending?.returnTo;
  const parameters = {
    sso: outcome,
    ...(pending && { provider: pending.providerId }),
    ...(factors && { factors: factors.join(',') }),
  };
  if (isSignedIn) return addParameters(home ?? PAGES.settingsSecurity, parameters);
  return addParameters(PAGES.auth, { ...parameters, ...(home && { next: home }) });
}

function addParameters(path: string, parameters: Record<string, string>): string {
  const { pathname, searchParams, hash } = new URL(path, 'https://sendwell.invalid');
  for (const [name, value] of Object.entries(parameters)) searchParams.set(name, value);
  return `${pathname}?${searchParams}${hash}`;
}

function logoutRoute(scope: FastifyInstance, context: Context): void {
  scope.removeAllContentTypeParsers();
  const limits = { parseAs: 'string', bodyLimit: LOGOUT_TOKEN_LIMIT } as const;
  scope.addContentTypeParser('*', limits, (_request, text, done) => done(null, text));
  scope.post(contract.BACKCHANNEL_LOGOUT_PATH, async (request, reply) => {
    await requireAddressWithinLimits(context, request, { key: 'sso:logout', ...LOGOUTS });
    reply.header('cache-control', 'no-store');
    try {
      const form = new URLSearchParams(typeof request.body === 'string' ? request.body : '');
      const { provider, userIds } = await endSessionsByLogoutToken(context, form.get('logout_token') ?? '');
      for (const accountId of userIds)
        context.security.record(request, 'session.ended', {
          accountId,
          cause: 'provider',
          providerId: provider.id,
        });
      return reply.code(200).send();
    } catch (error) {
      if (!(error instanceof SsoFailure)) throw error;
      const { reason, outcome } = error;
      context.security.record(request, 'sso.refused', { reason, outcome, providerId: null });
      return reply
        .code(400)
        .send({ error: 'invalid_request', error_description: 'The logout token is not valid.' });
    }
  });
}

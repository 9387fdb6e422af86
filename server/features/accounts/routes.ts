import type { FastifyInstance, FastifyReply } from 'fastify';
import {
  type CurrentUser,
  getCurrentUser,
  getMonthlyUsage,
  login,
  logout,
  register,
  sendVerificationCode,
  verifyEmail,
} from '../../../contracts/accounts/accounts.ts';
import * as events from '../../../contracts/accounts/events.ts';
import * as contract from '../../../contracts/accounts/settings.ts';
import * as signInLink from '../../../contracts/accounts/sign-in/link.ts';
import * as secondStep from '../../../contracts/accounts/sign-in/sign-in.ts';
import { getSite } from '../../../contracts/system.ts';
import type { Context } from '../../context.ts';
import type { UserRow } from '../../platform/db/schema.ts';
import { route } from '../../platform/http/routing/route.ts';
import { AppError } from '../../platform/lib/app-error.ts';
import { monthOf, toIso } from '../../platform/lib/clock.ts';
import { getRegistration } from '../registration/index.ts';
import { sendCode, verifyEmail as verify } from './email/verification-codes.ts';
import { listAccountEvents } from './events/events.ts';
import { factorRoutes } from './factors/routes.ts';
import { getPreferences, updatePreferences } from './settings/preferences.ts';
import { updateProfile } from './settings/profile.ts';
import { requestSignInLink, signInByLink } from './sign-in/link.ts';
import { SECOND_FACTOR_MS, type SignInResult, signIn } from './sign-in/login.ts';
import { beginPasskeySignIn, signInByPasskey } from './sign-in/passkey.ts';
import { getSignInPolicy, mustAddFactor } from './sign-in/policy.ts';
import {
  beginPasskeyConfirmation,
  beginPasskeyFactor,
  finishSignIn,
  reauthenticate,
} from './sign-in/second-factor.ts';
import {
  bindPasskeyRequest,
  clearPendingCookie,
  clearSessionCookie,
  readAttemptToken,
  readSessionToken,
  setAttemptCookie,
  setPendingCookie,
  setSessionCookie,
  setSignInCookies,
} from './sign-in/sessions/cookies.ts';
import { endOwnSession, listSessions } from './sign-in/sessions/sessions.ts';
import { endSessionAndFindLogoutUrl } from './single-sign-on/logout.ts';
import { singleSignOnRoutes } from './single-sign-on/routes.ts';
import { registerUser } from './users/registration.ts';
import { findMonthlyUsage } from './users/user-queries.ts';

export function accountRoutes(app: FastifyInstance, context: Context): void {
  route(app, getSite, async () => {
    const { payments, isDemoPublic, prioritySupportEmail } = context.config;
    const { mode, domains } = await getRegistration(context);
    const { passwordMinLength, emailSignIn } = await getSignInPolicy(context);
    return {
      signIn: { passwordMinLength, emailLink: emailSignIn },
      payments,
      isDemoPublic,
      hasPrioritySupport: prioritySupportEmail !== undefined,
      registration: { mode, domains: mode === 'domains' ? domains : [] },
    };
  });

  route(app, getCurrentUser, async ({ user }) => presentCurrentUser(context, user));

  route(app, register, async ({ body, request, reply }) => {
    const { user, token } = await registerUser(context, body, request);
    if (token) setSessionCookie(context, reply, token);
    else setPendingCookie(context, reply, user.id);
    context.security.record(request, 'account.registered', { accountId: user.id });
    if (token)
      context.security.record(request, 'login.succeeded', { accountId: user.id, method: 'invitation' });
    return presentCurrentUser(context, user);
  });

  route(app, login, async ({ body, request, reply }) => {
    const result = await signIn(context, body, request);
    return answerSignIn(context, reply, result, () =>
      context.security.record(request, 'login.succeeded', { method: 'password' }),
    );
  });

  route(app, signInLink.requestSignInLink, async ({ body, request }) => {
    await requestSignInLink(context, body.email, request);
    context.security.record(request, 'login.link_requested');
  });

  route(app, signInLink.signInByLink, async ({ body, request, reply }) => {
    const result = await signInByLink(context, body.token, request);
    if (result.isNew) context.security.record(request, 'account.registered');
    return answerSignIn(context, reply, result, () =>
      context.security.record(request, 'login.succeeded', { method: 'link' }),
    );
  });

  route(app, secondStep.finishSignIn, async ({ body, request, reply }) => {
    const token = readAttemptToken(context, request, 'sendwell_sign_in');
    const { user, tokens, ...proved } = await finishSignIn(context, { token, proof: body }, request);
    setSignInCookies(context, reply, tokens);
    context.security.record(request, 'login.succeeded', { method: body.method, ...proved });
    return presentCurrentUser(context, user);
  });

  passkeyRoutes(app, context);

  route(app, secondStep.reauthenticate, async ({ user, sessionId, body, request }) => {
    const validUntil = await reauthenticate(context, { user, sessionId }, body, request);
    context.security.record(request, 'reauthentication.succeeded', { method: body.method });
    return { validUntil: toIso(validUntil) };
  });

  factorRoutes(app, context);
  singleSignOnRoutes(app, context);

  route(app, logout, async ({ request, reply }) => {
    const token = readSessionToken(context, request);
    const logoutUrl = token && (await endSessionAndFindLogoutUrl(context, token));
    clearSessionCookie(context, reply);
    clearPendingCookie(context, reply);
    return logoutUrl ? { logoutUrl } : {};
  });

  route(app, verifyEmail, async ({ user, sessionId, body, request, reply }) => {
    const proof = { identity: { user, sessionId }, code: body.code, request };
    const { user: verified, token } = await verify(context, proof);
    context.security.record(request, 'account.email_verified');
    if (token) {
      setSessionCookie(context, reply, token);
      context.security.record(request, 'login.succeeded', { method: 'email_code' });
    }
    clearPendingCookie(context, reply);
    return presentCurrentUser(context, verified);
  });

  route(app, sendVerificationCode, async ({ user, request }) => sendCode(context, user.id, request));

  route(app, getMonthlyUsage, async ({ user }) => ({
    usage: await findMonthlyUsage(context.db, user.id, monthOf(context.clock.now())),
  }));

  settingsRoutes(app, context);
}

function passkeyRoutes(app: FastifyInstance, context: Context): void {
  route(app, secondStep.beginPasskeySignIn, ({ request, reply }) =>
    beginPasskeySignIn(context, bindPasskeyRequest(context, request, reply), request),
  );

  route(app, secondStep.signInByPasskey, async ({ body, request, reply }) => {
    const browser = readAttemptToken(context, request, 'sendwell_passkey');
    const { user, tokens } = await signInByPasskey(context, { response: body.response, browser }, request);
    setSignInCookies(context, reply, tokens);
    context.security.record(request, 'login.succeeded', { method: 'passkey', userVerified: true });
    return presentCurrentUser(context, user);
  });

  route(app, secondStep.beginPasskeyFactor, ({ request, reply }) => {
    const token = readAttemptToken(context, request, 'sendwell_sign_in');
    const browser = bindPasskeyRequest(context, request, reply);
    return beginPasskeyFactor(context, { token, browser });
  });

  route(app, secondStep.beginPasskeyConfirmation, ({ user, request, reply }) =>
    beginPasskeyConfirmation(context, user, bindPasskeyRequest(context, request, reply)),
  );
}

/** Throws AppError `second_factor_required` if the sign-in continues with the second factor. */
async function answerSignIn(
  context: Context,
  reply: FastifyReply,
  result: SignInResult,
  recordSuccess: () => void,
): Promise<CurrentUser> {
  if (result.kind === 'signed-in') {
    setSignInCookies(context, reply, result.tokens);
    recordSuccess();
    return presentCurrentUser(context, result.user);
  }
  const { attemptToken: token, factors } = result;
  setAttemptCookie(context, reply, { name: 'sendwell_sign_in', token, lifetime: SECOND_FACTOR_MS });
  throw new AppError('second_factor_required', { details: { factors } });
}

function settingsRoutes(app: FastifyInstance, context: Context): void {
  route(app, contract.updateProfile, async ({ body, request, ...identity }) => {
    const { user } = identity;
    const changed = await updateProfile(context, identity, body, request);
    if (body.newPassword !== undefined)
      context.security.record(request, 'account.password_changed', { cause: 'owner' });
    if (changed.emailKey !== user.emailKey) context.security.record(request, 'account.email_changed');
    return presentCurrentUser(context, changed);
  });

  route(app, contract.getPreferences, ({ user }) => getPreferences(context, user.id));

  route(app, contract.updatePreferences, ({ user, body }) => updatePreferences(context, user, body));

  route(app, events.listAccountEvents, ({ user, query }) => listAccountEvents(context, user.id, query));

  route(app, contract.listSessions, ({ user, sessionId }) => listSessions(context, { user, sessionId }));

  route(app, contract.endSession, async ({ user, sessionId, params, request, reply }) => {
    await endOwnSession(context, { userId: user.id, id: params.id, request });
    context.security.record(request, 'session.ended', { cause: 'owner', sessionId: params.id });
    if (params.id !== sessionId) return;
    clearSessionCookie(context, reply);
    clearPendingCookie(context, reply);
  });
}

async function presentCurrentUser(context: Context, user: UserRow): Promise<CurrentUser> {
  return {
    id: user.id,
    name: user.name,
    username: user.username,
    email: user.email,
    emailVerified: user.emailVerified === 1,
    isAdmin: user.isAdmin === 1,
    tier: user.tier,
    createdAt: toIso(user.createdAt),
    language: user.language,
    ...((await mustAddFactor(context, user)) && { mustAddFactor: true }),
    ...(user.isAdmin === 1 && { hasMailServer: !context.mailer.keepsMails }),
  };
}

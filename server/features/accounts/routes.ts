import type { FastifyInstance } from 'fastify';
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
import * as contract from '../../../contracts/accounts/settings.ts';
import type { Context } from '../../context.ts';
import type { UserRow } from '../../platform/db/schema.ts';
import { route } from '../../platform/http/routing/route.ts';
import { AppError } from '../../platform/lib/app-error.ts';
import { monthOf, toIso } from '../../platform/lib/clock.ts';
import { sendCode, verifyEmail as verify } from './email/verification-codes.ts';
import { registerUser } from './registration.ts';
import { getPreferences, updatePreferences } from './settings/preferences.ts';
import { updateProfile } from './settings/profile.ts';
import {
  clearPendingCookie,
  clearSessionCookie,
  readSessionToken,
  setAttemptCookie,
  setPendingCookie,
  setSessionCookie,
  setSignInCookies,
} from './sign-in/cookies.ts';
import { SECOND_FACTOR_MS, signIn } from './sign-in/login.ts';
import { endOwnSession, endSession, listSessions } from './sign-in/sessions.ts';
import { findMonthlyUsage } from './users/user-queries.ts';

export function accountRoutes(app: FastifyInstance, context: Context): void {
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
    if (result.kind === 'signed-in') {
      setSignInCookies(context, reply, result.tokens);
      context.security.record(request, 'login.succeeded', { method: 'password' });
      return presentCurrentUser(context, result.user);
    }
    const { attemptToken: token, factors } = result;
    setAttemptCookie(context, reply, { name: 'sendwell_sign_in', token, lifetime: SECOND_FACTOR_MS });
    throw new AppError('second_factor_required', { details: { factors } });
  });

  route(app, logout, async ({ request, reply }) => {
    const token = readSessionToken(context, request);
    if (token) await endSession(context, token);
    clearSessionCookie(context, reply);
    clearPendingCookie(context, reply);
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

function settingsRoutes(app: FastifyInstance, context: Context): void {
  route(app, contract.updateProfile, async ({ user, sessionId, body, request }) => {
    const changed = await updateProfile(context, { user, sessionId }, body, request);
    if (body.newPassword !== undefined)
      context.security.record(request, 'account.password_changed', { cause: 'owner' });
    if (changed.emailKey !== user.emailKey) context.security.record(request, 'account.email_changed');
    return presentCurrentUser(context, changed);
  });

  route(app, contract.getPreferences, ({ user }) => getPreferences(context, user.id));

  route(app, contract.updatePreferences, ({ user, body }) => updatePreferences(context, user, body));

  route(app, contract.listSessions, ({ user, sessionId }) => listSessions(context, { user, sessionId }));

  route(app, contract.endSession, async ({ user, sessionId, params, request, reply }) => {
    await endOwnSession(context, user.id, params.id);
    context.security.record(request, 'session.ended', { cause: 'owner', sessionId: params.id });
    if (params.id !== sessionId) return;
    clearSessionCookie(context, reply);
    clearPendingCookie(context, reply);
  });
}

function presentCurrentUser({ mailer }: Pick<Context, 'mailer'>, user: UserRow): CurrentUser {
  return {
    id: user.id,
    name: user.name,
    username: user.username,
    email: user.email,
    emailVerified: user.emailVerified === 1,
    isAdmin: user.isAdmin === 1,
    tier: user.tier,
    createdAt: toIso(user.createdAt),
    ...(user.isAdmin === 1 && { hasMailServer: !mailer.keepsMails }),
  };
}

import type { FastifyInstance } from 'fastify';
import {
  getCurrentUser,
  getMonthlyUsage,
  login,
  logout,
  register,
  sendVerificationCode,
  verifyEmail,
} from '../../../contracts/accounts/accounts.ts';
import type { Context } from '../../context.ts';
import { route } from '../../platform/http/route.ts';
import { sendCode, verifyEmail as verify } from './codes.ts';
import {
  clearPendingCookie,
  clearSessionCookie,
  readSessionToken,
  setBrowserCookie,
  setPendingCookie,
  setSessionCookie,
} from './cookies.ts';
import { signIn } from './login.ts';
import { presentCurrentUser } from './presenter.ts';
import { registerUser } from './registration.ts';
import { endSession } from './sessions.ts';
import { getUsageOfMonth } from './usage.ts';

export function accountRoutes(app: FastifyInstance, context: Context): void {
  route(app, getCurrentUser, async ({ user }) => presentCurrentUser(user));

  route(app, register, async ({ body, request, reply }) => {
    const { user, token } = await registerUser(context, body, request);
    if (token) setSessionCookie(context, reply, token);
    else setPendingCookie(context, reply, user.id);
    context.security.record(request, 'account.registered', { accountId: user.id });
    if (token)
      context.security.record(request, 'login.succeeded', { accountId: user.id, method: 'invitation' });
    return presentCurrentUser(user);
  });

  route(app, login, async ({ body, request, reply }) => {
    const { user, token, browserToken } = await signIn(context, body, request);
    setSessionCookie(context, reply, token);
    setBrowserCookie(context, reply, browserToken);
    clearPendingCookie(context, reply);
    context.security.record(request, 'login.succeeded', { method: 'password' });
    return presentCurrentUser(user);
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
    return presentCurrentUser(verified);
  });

  route(app, sendVerificationCode, async ({ user, request }) => sendCode(context, user.id, request));

  route(app, getMonthlyUsage, async ({ user }) => ({ usage: await getUsageOfMonth(context, user.id) }));
}

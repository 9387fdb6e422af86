import type { FastifyInstance } from 'fastify';
import { requestPasswordReset } from '../../../contracts/accounts/password-reset.ts';
import * as contract from '../../../contracts/accounts/settings.ts';
import type { Context } from '../../context.ts';
import { route } from '../../platform/http/route.ts';
import { clearPendingCookie, clearSessionCookie } from './cookies.ts';
import * as passwordResets from './password-resets.ts';
import { getPreferences, updatePreferences } from './preferences.ts';
import { presentCurrentUser } from './presenter.ts';
import { updateProfile } from './profile.ts';
import { endOwnSession, listSessions } from './sessions.ts';

/** What users can change about their account. The ways back into it by mail are in `account-recovery`. */
export function accountSettingsRoutes(app: FastifyInstance, context: Context): void {
  route(app, contract.updateProfile, async ({ user, sessionId, body, request }) => {
    const changed = await updateProfile(context, { user, sessionId }, body, request);
    if (body.newPassword !== undefined)
      context.security.record(request, 'account.password_changed', { cause: 'owner' });
    if (changed.emailKey !== user.emailKey) context.security.record(request, 'account.email_changed');
    return presentCurrentUser(changed);
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

  route(app, requestPasswordReset, async ({ body, request }) => {
    await passwordResets.requestPasswordReset(context, body.email, request);
    context.security.record(request, 'account.password_reset_requested');
  });
}

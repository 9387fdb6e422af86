import type { FastifyInstance } from 'fastify';
import * as contract from '../../../contracts/account-settings.ts';
import * as passwordReset from '../../../contracts/password-reset.ts';
import type { Context } from '../../context.ts';
import { route } from '../../platform/http/route.ts';
import { clearPendingCookie, clearSessionCookie } from './cookies.ts';
import { requestPasswordReset } from './password-resets.ts';
import { getPreferences, updatePreferences } from './preferences.ts';
import { presentCurrentUser } from './presenter.ts';
import { updateProfile } from './profile.ts';
import { endOwnSession, listSessions } from './sessions.ts';

/** What users can change about their account. The ways back into it by mail are in `account-recovery`. */
export function accountSettingsRoutes(app: FastifyInstance, context: Context): void {
  route(app, contract.updateProfile, async ({ user, sessionId, body, request }) =>
    presentCurrentUser(await updateProfile(context, { user, sessionId }, body, request)),
  );

  route(app, contract.getPreferences, ({ user }) => getPreferences(context, user.id));

  route(app, contract.updatePreferences, ({ user, body }) => updatePreferences(context, user, body));

  route(app, contract.listSessions, ({ user, sessionId }) => listSessions(context, { user, sessionId }));

  route(app, contract.endSession, async ({ user, sessionId, params, reply }) => {
    await endOwnSession(context, user.id, params.id);
    if (params.id !== sessionId) return;
    clearSessionCookie(context, reply);
    clearPendingCookie(context, reply);
  });

  route(app, passwordReset.requestPasswordReset, ({ body, request }) =>
    requestPasswordReset(context, body.email, request),
  );
}

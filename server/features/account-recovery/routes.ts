import type { FastifyInstance } from 'fastify';
import * as passwordReset from '../../../contracts/accounts/password-reset.ts';
import * as settings from '../../../contracts/accounts/settings.ts';
import type { Context } from '../../context.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { route } from '../../platform/http/routing/route.ts';
import { AppError } from '../../platform/lib/app-error.ts';
import { clearPendingCookie, clearSessionCookie } from '../accounts/index.ts';
import { requestPasswordReset } from './password-resets.ts';
import { confirmPasswordReset, secureAccount, undoEmailChange } from './recovery.ts';
import { signOutEverywhere } from './sign-out.ts';

export function accountRecoveryRoutes(app: FastifyInstance, context: Context): void {
  const { security } = context;

  route(app, passwordReset.requestPasswordReset, async ({ body, request }) => {
    await requestPasswordReset(context, body.email, request);
    security.record(request, 'account.password_reset_requested');
  });

  route(app, passwordReset.confirmPasswordReset, async ({ body, request }) => {
    await confirmPasswordReset(context, body, request);
    security.record(request, 'account.password_changed', { cause: 'reset_link' });
  });

  route(app, settings.undoEmailChange, async ({ body, request }) => {
    const accountId = await undoEmailChange(context, body.token, request);
    security.record(request, 'account.email_change_undone', { accountId });
  });

  route(app, settings.signOutEverywhere, async ({ user, sessionId, body, request, reply }) => {
    const { keepThis, ...also } = body;
    const choice = { userId: user.id, ...also, keep: keepThis ? sessionId : null, request };
    const result = await transaction(context.db, (trx) => signOutEverywhere({ ...context, db: trx }, choice));
    if (!result) throw new AppError('not_signed_in');
    security.record(request, 'session.ended', { cause: 'sign_out_everywhere', ...also });
    if (!keepThis) {
      clearSessionCookie(context, reply);
      clearPendingCookie(context, reply);
    }
    return result.ended;
  });

  route(app, settings.secureAccount, async ({ body, request }) => {
    const accountId = await secureAccount(context, body.token, request);
    security.record(request, 'account.secured', { accountId });
  });
}

import type { FastifyInstance } from 'fastify';
import * as passwordReset from '../../../contracts/accounts/password-reset.ts';
import * as settings from '../../../contracts/accounts/settings.ts';
import type { Context } from '../../context.ts';
import { route } from '../../platform/http/routing/route.ts';
import { requestPasswordReset } from './password-resets.ts';
import { confirmPasswordReset, secureAccount, undoEmailChange } from './recovery.ts';

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

  route(app, settings.secureAccount, async ({ body, request }) => {
    const accountId = await secureAccount(context, body.token, request);
    security.record(request, 'account.secured', { accountId });
  });
}

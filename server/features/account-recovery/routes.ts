import type { FastifyInstance } from 'fastify';
import { confirmPasswordReset } from '../../../contracts/accounts/password-reset.ts';
import * as contract from '../../../contracts/accounts/settings.ts';
import type { Context } from '../../context.ts';
import { route } from '../../platform/http/route.ts';
import * as accounts from '../accounts/index.ts';
import { disableAccess } from './disabled-access.ts';

/** The ways back into an account by mail. Each of them also locks out whoever else had access. */
export function accountRecoveryRoutes(app: FastifyInstance, context: Context): void {
  const { security } = context;

  route(app, confirmPasswordReset, async ({ body, request }) => {
    await accounts.confirmPasswordReset(context, body, { request, disableAccess });
    security.record(request, 'account.password_changed', { cause: 'reset_link' });
  });

  route(app, contract.undoEmailChange, async ({ body, request }) => {
    const accountId = await accounts.undoEmailChange(context, body.token, disableAccess);
    security.record(request, 'account.email_change_undone', { accountId });
  });

  route(app, contract.secureAccount, async ({ body, request }) => {
    const accountId = await accounts.secureAccount(context, body.token, disableAccess);
    security.record(request, 'account.secured', { accountId });
  });
}

import type { FastifyInstance } from 'fastify';
import * as contract from '../../../contracts/account-settings.ts';
import { confirmPasswordReset } from '../../../contracts/password-reset.ts';
import type { Context } from '../../context.ts';
import { route } from '../../platform/http/route.ts';
import * as recovery from '../accounts/account-recovery.ts';
import { disableAccess } from './disabled-access.ts';

/** The ways back into an account by mail. Each of them also locks out whoever else had access. */
export function accountRecoveryRoutes(app: FastifyInstance, context: Context): void {
  route(app, confirmPasswordReset, ({ body, request }) =>
    recovery.confirmPasswordReset(context, body, { request, disableAccess }),
  );

  route(app, contract.undoEmailChange, ({ body }) =>
    recovery.undoEmailChange(context, body.token, disableAccess),
  );

  route(app, contract.secureAccount, ({ body }) =>
    recovery.secureAccount(context, body.token, disableAccess),
  );
}

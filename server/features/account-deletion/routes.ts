import type { FastifyInstance } from 'fastify';
import { deleteAccount as deleteAccountCall } from '../../../contracts/accounts/settings.ts';
import type { Context } from '../../context.ts';
import { route } from '../../platform/http/routing/route.ts';
import { clearPendingCookie, clearSessionCookie } from '../accounts/index.ts';
import { deleteAccount } from './deletion.ts';

export function accountDeletionRoutes(app: FastifyInstance, context: Context): void {
  route(app, deleteAccountCall, async ({ body, request, reply, ...identity }) => {
    await deleteAccount(context, identity, body.password);
    context.security.record(request, 'account.deleted', { cause: 'owner' });
    clearSessionCookie(context, reply);
    clearPendingCookie(context, reply);
  });
}

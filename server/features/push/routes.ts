import type { FastifyInstance } from 'fastify';
import * as contract from '../../../contracts/accounts/push.ts';
import type { Context } from '../../context.ts';
import { route } from '../../platform/http/routing/route.ts';
import { endSubscription, listSubscriptions, saveSubscription } from './subscriptions.ts';

export function pushRoutes(app: FastifyInstance, context: Context): void {
  route(app, contract.listPushSubscriptions, ({ user }) => listSubscriptions(context, user.id));

  route(app, contract.savePushSubscription, ({ body, ...caller }) => saveSubscription(context, caller, body));

  route(app, contract.deletePushSubscription, ({ user, params }) =>
    endSubscription(context, { userId: user.id, id: params.id }),
  );
}

import type { FastifyInstance } from 'fastify';
import * as contract from '../../../contracts/accounts/webhooks.ts';
import type { Context } from '../../context.ts';
import type { UserRow } from '../../platform/db/schema.ts';
import { route } from '../../platform/http/routing/route.ts';
import { requireFeature } from '../tiers/index.ts';
import { getDelivery, listDeliveries, replayDelivery, sendTest } from './delivery/delivery-log.ts';
import type { OwnWebhook } from './queries.ts';
import {
  createWebhook,
  deleteWebhook,
  getWebhookSecret,
  listWebhooks,
  rotateSecret,
  updateWebhook,
} from './webhooks.ts';

export function webhookRoutes(app: FastifyInstance, context: Context): void {
  route(app, contract.listWebhooks, async ({ user }) => {
    requireFeature(user.tier, 'webhooks');
    return listWebhooks(context, user.id);
  });

  route(app, contract.createWebhook, async ({ body, ...caller }) => {
    requireFeature(caller.user.tier, 'webhooks');
    const webhook = await createWebhook(context, caller, body);
    context.security.record(caller.request, 'webhook.created', { webhookId: webhook.id });
    return webhook;
  });

  route(app, contract.updateWebhook, async ({ params, body, ...caller }) => {
    requireFeature(caller.user.tier, 'webhooks');
    const webhook = await updateWebhook(context, caller, { ...params, ...body });
    const { id: webhookId, isActive } = webhook;
    context.security.record(caller.request, 'webhook.changed', { webhookId, isActive });
    return webhook;
  });

  route(app, contract.deleteWebhook, async ({ user, params, request }) => {
    await deleteWebhook(context, ownOf(user, params.id), request);
    context.security.record(request, 'webhook.deleted', { webhookId: params.id });
  });

  route(app, contract.getWebhookSecret, async ({ user, params }) =>
    getWebhookSecret(context, ownOf(user, params.id)),
  );

  route(app, contract.rotateWebhookSecret, async ({ user, params, request }) => {
    const webhook = await rotateSecret(context, ownOf(user, params.id), request);
    context.security.record(request, 'webhook.secret_rotated', { webhookId: webhook.id });
    return webhook;
  });

  deliveryRoutes(app, context);
}

function deliveryRoutes(app: FastifyInstance, context: Context): void {
  route(app, contract.testWebhook, async ({ user, params }) => sendTest(context, ownOf(user, params.id)));

  route(app, contract.listWebhookDeliveries, ({ user, params, query }) =>
    listDeliveries(context, ownOf(user, params.id), query),
  );

  route(app, contract.getWebhookDelivery, async ({ user, params }) =>
    getDelivery(context, ownOf(user, params.id), params.deliveryId),
  );

  route(app, contract.replayWebhookDelivery, async ({ user, params }) =>
    replayDelivery(context, ownOf(user, params.id), params.deliveryId),
  );
}

function ownOf(user: UserRow, id: string): OwnWebhook {
  requireFeature(user.tier, 'webhooks');
  return { userId: user.id, id };
}

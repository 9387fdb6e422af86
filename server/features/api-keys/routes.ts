import type { FastifyInstance } from 'fastify';
import * as contract from '../../../contracts/api-keys.ts';
import type { Context } from '../../context.ts';
import { route } from '../../platform/http/route.ts';
import { createKey, deleteKey, listKeys, updateKey } from './keys.ts';

export function apiKeyRoutes(app: FastifyInstance, context: Context): void {
  route(app, contract.listApiKeys, ({ user }) => listKeys(context, user.id));

  route(app, contract.createApiKey, async ({ user, body, request }) => {
    const key = await createKey(context, user, body);
    context.security.record(request, 'api_key.created', { keyId: key.id, scopes: key.scopes.join(' ') });
    return key;
  });

  route(app, contract.updateApiKey, async ({ user, params, body, request }) => {
    const key = await updateKey(context, user, { ...params, ...body });
    context.security.record(request, 'api_key.changed', { keyId: key.id, isActive: key.isActive });
    return key;
  });

  route(app, contract.deleteApiKey, async ({ user, params, request }) => {
    await deleteKey(context, { userId: user.id, id: params.id });
    context.security.record(request, 'api_key.deleted', { keyId: params.id });
  });
}

import type { FastifyInstance } from 'fastify';
import * as contract from '../../../contracts/accounts/api-keys.ts';
import type { Context } from '../../context.ts';
import { route } from '../../platform/http/routing/route.ts';
import { createKey, deleteKey, listKeys, updateKey } from './keys.ts';

export function apiKeyRoutes(app: FastifyInstance, context: Context): void {
  route(app, contract.listApiKeys, ({ user }) => listKeys(context, user.id));

  route(app, contract.createApiKey, async ({ body, ...caller }) => {
    const key = await createKey(context, caller, body);
    const scopes = key.scopes.join(' ');
    context.security.record(caller.request, 'api_key.created', { keyId: key.id, scopes });
    return key;
  });

  route(app, contract.updateApiKey, async ({ params, body, ...caller }) => {
    const key = await updateKey(context, caller, { ...params, ...body });
    const { id: keyId, isActive } = key;
    context.security.record(caller.request, 'api_key.changed', { keyId, isActive });
    return key;
  });

  route(app, contract.deleteApiKey, async ({ user, params, request }) => {
    await deleteKey(context, { userId: user.id, id: params.id }, request);
    context.security.record(request, 'api_key.deleted', { keyId: params.id });
  });
}

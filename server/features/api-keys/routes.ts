import type { FastifyInstance } from 'fastify';
import * as contract from '../../../contracts/api-keys.ts';
import type { Context } from '../../context.ts';
import { route } from '../../platform/http/route.ts';
import { createKey, deleteKey, listKeys, updateKey } from './keys.ts';

export function apiKeyRoutes(app: FastifyInstance, context: Context): void {
  route(app, contract.listApiKeys, ({ user }) => listKeys(context, user.id));

  route(app, contract.createApiKey, ({ user, body }) => createKey(context, user, body));

  route(app, contract.updateApiKey, ({ user, params, body }) =>
    updateKey(context, user, { ...params, ...body }),
  );

  route(app, contract.deleteApiKey, ({ user, params }) =>
    deleteKey(context, { userId: user.id, id: params.id }),
  );
}

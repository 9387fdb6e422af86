import type { FastifyInstance } from 'fastify';
import * as contract from '../../../contracts/api-keys.ts';
import type { Context } from '../../context.ts';
import { route } from '../../platform/http/route.ts';
import { createKey, deleteKey, listKeys, updateKey } from './keys.ts';

export function apiKeyRoutes(app: FastifyInstance, context: Context): void {
  route(app, contract.listApiKeys, ({ user }) => listKeys(context, user.id));

  route(app, contract.createApiKey, ({ body, ...caller }) => createKey(context, caller, body));

  route(app, contract.updateApiKey, ({ params, body, ...caller }) =>
    updateKey(context, caller, { ...params, ...body }),
  );

  route(app, contract.deleteApiKey, ({ user, params }) =>
    deleteKey(context, { userId: user.id, id: params.id }),
  );
}

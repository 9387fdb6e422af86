import type { FastifyInstance } from 'fastify';
import {
  createUser as createUserCall,
  deleteUser as deleteUserCall,
  listUsers as listUsersCall,
  resetSecondFactor as resetSecondFactorCall,
  resetUserPassword as resetUserPasswordCall,
  setUserAdmin as setUserAdminCall,
  setUserTier as setUserTierCall,
  signUserOut as signUserOutCall,
} from '../../../../contracts/admin/users.ts';
import type { Context } from '../../../context.ts';
import { route } from '../../../platform/http/routing/route.ts';
import { clearSessionCookie } from '../../accounts/index.ts';
import { byCaller } from '../audit.ts';
import { listUsers } from './user-list.ts';
import {
  createUser,
  deleteUser,
  resetSecondFactor,
  resetUserPassword,
  setUserAdmin,
  setUserTier,
  signUserOut,
} from './users.ts';

export function userRoutes(app: FastifyInstance, context: Context): void {
  route(app, listUsersCall, ({ query, request }) =>
    listUsers(context, query, () => request.raw.socket.destroyed),
  );

  route(app, createUserCall, (call) => createUser(context, byCaller(context, call), call.body));

  route(app, deleteUserCall, async (call) => {
    const { params, user, reply } = call;
    await deleteUser(context, byCaller(context, call), params.id);
    if (params.id === user.id) clearSessionCookie(context, reply);
  });

  route(app, setUserAdminCall, (call) =>
    setUserAdmin(context, byCaller(context, call), { userId: call.params.id, ...call.body }),
  );

  route(app, setUserTierCall, (call) =>
    setUserTier(context, byCaller(context, call), { userId: call.params.id, ...call.body }),
  );

  route(app, signUserOutCall, async (call) => {
    const { params, user, body, reply } = call;
    const ended = await signUserOut(context, byCaller(context, call), { userId: params.id, ...body });
    if (params.id === user.id) clearSessionCookie(context, reply);
    return ended;
  });

  route(app, resetSecondFactorCall, (call) =>
    resetSecondFactor(context, byCaller(context, call), call.params.id),
  );

  route(app, resetUserPasswordCall, (call) =>
    resetUserPassword(context, byCaller(context, call), { userId: call.params.id, ...call.body }),
  );
}

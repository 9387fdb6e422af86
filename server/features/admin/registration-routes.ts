import type { FastifyInstance } from 'fastify';
import {
  createAccountInvitation as createCall,
  getRegistration as getRegistrationCall,
  listAccountInvitations as listCall,
  resendAccountInvitation as resendCall,
  revokeAccountInvitation as revokeCall,
  updateRegistration as updateRegistrationCall,
} from '../../../contracts/accounts/registration.ts';
import type { Context } from '../../context.ts';
import { route } from '../../platform/http/route.ts';
import { getRegistration, listAccountInvitations } from '../registration/index.ts';
import { byCaller } from './audit.ts';
import {
  createAccountInvitation,
  resendAccountInvitation,
  revokeAccountInvitation,
  updateRegistration,
} from './registration.ts';

export function registrationAdminRoutes(app: FastifyInstance, context: Context): void {
  route(app, getRegistrationCall, () => getRegistration(context));
  route(app, updateRegistrationCall, (call) =>
    updateRegistration(context, byCaller(context, call), call.body),
  );
  route(app, listCall, async ({ query, reply }) => {
    const { invitations, next } = await listAccountInvitations(context, query);
    if (next) reply.header('link', `<${next}>; rel="next"`);
    return invitations;
  });
  route(app, createCall, (call) =>
    createAccountInvitation(context, byCaller(context, call), call.body.email),
  );
  route(app, resendCall, (call) => resendAccountInvitation(context, byCaller(context, call), call.params.id));
  route(app, revokeCall, (call) => revokeAccountInvitation(context, byCaller(context, call), call.params.id));
}

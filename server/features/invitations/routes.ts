import type { FastifyInstance } from 'fastify';
import * as contract from '../../../contracts/transfers/uploads/invitations.ts';
import type { Context } from '../../context.ts';
import { route } from '../../platform/http/routing/route.ts';
import { getTierConfig, limitsOf, requireFeature } from '../tiers/index.ts';
import {
  createInvitation,
  deleteInvitation,
  listArrivals,
  listInvitations,
  toggleInvitation,
  updateInvitation,
} from './invitations.ts';
import { findRoom } from './limits.ts';
import { openInvitation } from './open-invitation.ts';
import { presentDetails } from './presenter.ts';
import { findVisitor, setVisitorCookie } from './visits/grants.ts';
import { CODE_MINUTES, sendVisitorCode, verifyAddress } from './visits/visits.ts';

export function invitationRoutes(app: FastifyInstance, context: Context): void {
  ownerRoutes(app, context);
  visitorRoutes(app, context);
}

function ownerRoutes(app: FastifyInstance, context: Context): void {
  route(app, contract.listInvitations, async ({ user }) => {
    requireFeature(user.tier, 'invitations');
    return listInvitations(context, user);
  });

  route(app, contract.createInvitation, async ({ user, body }) => {
    requireFeature(user.tier, 'invitations');
    return createInvitation(context, user, body);
  });

  route(app, contract.updateInvitation, async ({ user, params, body }) => {
    requireFeature(user.tier, 'invitations');
    return updateInvitation(context, { sender: user, id: params.id }, body);
  });

  route(app, contract.toggleInvitation, async ({ user, params, body }) => {
    requireFeature(user.tier, 'invitations');
    return toggleInvitation(context, { sender: user, id: params.id }, body.isActive);
  });

  route(app, contract.deleteInvitation, async ({ user, params }) => {
    requireFeature(user.tier, 'invitations');
    await deleteInvitation(context, { sender: user, id: params.id });
  });

  route(app, contract.listArrivals, async ({ user, params }) => {
    requireFeature(user.tier, 'invitations');
    return listArrivals(context, { sender: user, id: params.id });
  });
}

function visitorRoutes(app: FastifyInstance, context: Context): void {
  route(app, contract.getInvitationDetails, async ({ params, request }) => {
    const open = await openInvitation(context, params.token);
    const { invitation, inviter } = open;
    const plan = limitsOf(await getTierConfig(context), inviter.tier);
    const visitor = await findVisitor(context, request, invitation);
    const room = await findRoom(context.db, { invitation, plan, visit: visitor });
    return presentDetails(open, { room, visitor });
  });

  route(app, contract.sendInvitationCode, async ({ params, body, request }) => {
    await sendVisitorCode(context, { token: params.token, email: body.email, request });
    return { expiresInMinutes: CODE_MINUTES };
  });

  route(app, contract.verifyInvitationCode, async ({ params, body, request, reply }) => {
    const proved = await verifyAddress(context, { token: params.token, ...body, request });
    setVisitorCookie(context, reply, proved);
    const { id: invitationId, senderId } = proved.invitation;
    context.security.record(request, 'visitor.verified', { accountId: senderId, invitationId });
    return { email: proved.email };
  });
}

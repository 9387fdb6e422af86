import type { FastifyInstance } from 'fastify';
import { findAccountInvitation } from '../../../contracts/accounts/registration.ts';
import type { Context } from '../../context.ts';
import { route } from '../../platform/http/routing/route.ts';
import { openAccountInvitation } from './account-invitations.ts';

export function registrationRoutes(app: FastifyInstance, context: Context): void {
  route(app, findAccountInvitation, ({ body, request }) =>
    openAccountInvitation(context, body.token, request),
  );
}

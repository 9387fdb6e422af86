import type { FastifyInstance } from 'fastify';
import { findAccountInvitation } from '../../../contracts/accounts/registration.ts';
import { getSite } from '../../../contracts/system.ts';
import type { Context } from '../../context.ts';
import { route } from '../../platform/http/routing/route.ts';
import { openAccountInvitation } from './account-invitations.ts';
import { getRegistration } from './settings.ts';

export function registrationRoutes(app: FastifyInstance, context: Context): void {
  route(app, getSite, async () => {
    const { payments, isDemoPublic, prioritySupportEmail } = context.config;
    const { mode, domains } = await getRegistration(context);
    return {
      payments,
      isDemoPublic,
      hasPrioritySupport: prioritySupportEmail !== undefined,
      registration: { mode, domains: mode === 'domains' ? domains : [] },
    };
  });

  route(app, findAccountInvitation, ({ body, request }) =>
    openAccountInvitation(context, body.token, request),
  );
}

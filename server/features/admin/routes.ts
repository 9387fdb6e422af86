import type { FastifyInstance } from 'fastify';
import { getAdminStats, getAdminTrends } from '../../../contracts/admin/stats.ts';
import type { Context } from '../../context.ts';
import { route } from '../../platform/http/routing/route.ts';
import { adAdminRoutes } from './ads.ts';
import { auditRoutes } from './audit.ts';
import { computeStats } from './dashboard/stats.ts';
import { computeTrends } from './dashboard/trends.ts';
import { planRoutes } from './plans.ts';
import { systemRoutes } from './system/routes.ts';
import { heldFileRoutes } from './transfers/held-file-routes.ts';
import { transferAdminRoutes } from './transfers/routes.ts';
import { identityProviderRoutes } from './users/identity-providers.ts';
import { registrationAdminRoutes } from './users/registration.ts';
import { userRoutes } from './users/routes.ts';
import { signInPolicyRoutes } from './users/sign-in-policy.ts';

export function adminRoutes(app: FastifyInstance, context: Context): void {
  route(app, getAdminStats, () => computeStats(context));
  route(app, getAdminTrends, () => computeTrends(context));
  userRoutes(app, context);
  registrationAdminRoutes(app, context);
  signInPolicyRoutes(app, context);
  identityProviderRoutes(app, context);
  transferAdminRoutes(app, context);
  heldFileRoutes(app, context);
  planRoutes(app, context);
  adAdminRoutes(app, context);
  auditRoutes(app, context);
  systemRoutes(app, context);
}

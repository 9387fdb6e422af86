import type { FastifyInstance } from 'fastify';
import { getAdminStats, getAdminTrends } from '../../../contracts/admin-stats.ts';
import type { Context } from '../../context.ts';
import { route } from '../../platform/http/route.ts';
import { adAdminRoutes } from './ads.ts';
import { auditRoutes } from './audit.ts';
import { heldFileRoutes } from './held-file-routes.ts';
import { planRoutes } from './plans.ts';
import { registrationAdminRoutes } from './registration.ts';
import { computeStats } from './stats.ts';
import { systemRoutes } from './system-routes.ts';
import { transferAdminRoutes } from './transfer-routes.ts';
import { computeTrends } from './trends.ts';
import { userRoutes } from './user-routes.ts';

/** What administrators may do; everybody else is refused at the door. */
export function adminRoutes(app: FastifyInstance, context: Context): void {
  route(app, getAdminStats, () => computeStats(context));
  route(app, getAdminTrends, () => computeTrends(context));
  userRoutes(app, context);
  registrationAdminRoutes(app, context);
  transferAdminRoutes(app, context);
  heldFileRoutes(app, context);
  planRoutes(app, context);
  adAdminRoutes(app, context);
  auditRoutes(app, context);
  systemRoutes(app, context);
}

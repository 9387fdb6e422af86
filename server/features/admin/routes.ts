import type { FastifyInstance } from 'fastify';
import type { Context } from '../../context.ts';
import { adAdminRoutes } from './ad-routes.ts';
import { auditRoutes } from './audit-routes.ts';
import { couponAdminRoutes } from './coupon-admin-routes.ts';
import { heldFileRoutes } from './held-file-routes.ts';
import { planRoutes } from './plan-routes.ts';
import { registrationAdminRoutes } from './registration-routes.ts';
import { statsRoutes } from './stats-routes.ts';
import { systemRoutes } from './system-routes.ts';
import { transferAdminRoutes } from './transfer-routes.ts';
import { userRoutes } from './user-routes.ts';

/** What administrators may do; everybody else is refused at the door. */
export function adminRoutes(app: FastifyInstance, context: Context): void {
  statsRoutes(app, context);
  userRoutes(app, context);
  registrationAdminRoutes(app, context);
  transferAdminRoutes(app, context);
  heldFileRoutes(app, context);
  couponAdminRoutes(app, context);
  planRoutes(app, context);
  adAdminRoutes(app, context);
  auditRoutes(app, context);
  systemRoutes(app, context);
}

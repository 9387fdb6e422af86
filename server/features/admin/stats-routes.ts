import type { FastifyInstance } from 'fastify';
import { getAdminStats, getAdminTrends } from '../../../contracts/admin/stats.ts';
import type { Context } from '../../context.ts';
import { route } from '../../platform/http/route.ts';
import { computeStats } from './stats.ts';
import { computeTrends } from './trends.ts';

export function statsRoutes(app: FastifyInstance, context: Context): void {
  route(app, getAdminStats, () => computeStats(context));
  route(app, getAdminTrends, () => computeTrends(context));
}

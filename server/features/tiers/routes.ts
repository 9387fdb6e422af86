import type { FastifyInstance } from 'fastify';
import { getTierConfig } from '../../../contracts/plans/tiers.ts';
import type { Context } from '../../context.ts';
import { route } from '../../platform/http/routing/route.ts';
import { getTierConfig as readTierConfig } from './tiers.ts';

export function tierRoutes(app: FastifyInstance, context: Context): void {
  route(app, getTierConfig, () => readTierConfig(context));
}

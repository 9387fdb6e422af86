import type { FastifyInstance } from 'fastify';
import { updateTierConfig as updateTierConfigCall } from '../../../contracts/admin/plans.ts';
import type { Context } from '../../context.ts';
import { route } from '../../platform/http/route.ts';
import { byCaller } from './audit.ts';
import { updateTierConfig } from './plans.ts';

export function planRoutes(app: FastifyInstance, context: Context): void {
  route(app, updateTierConfigCall, (call) => updateTierConfig(context, byCaller(context, call), call.body));
}

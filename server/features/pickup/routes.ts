import type { FastifyInstance } from 'fastify';
import * as contract from '../../../contracts/transfers/downloads/pickup.ts';
import type { Context } from '../../context.ts';
import { route } from '../../platform/http/routing/route.ts';
import { createPickupCode, getPickupCode, pickUp, voidPickupCode } from './pickup.ts';

export function pickupRoutes(app: FastifyInstance, context: Context): void {
  route(app, contract.getPickupCode, async ({ params, user }) => ({
    pickupCode: await getPickupCode(context, { transferId: params.id, userId: user.id }),
  }));

  route(app, contract.createPickupCode, ({ params, user }) =>
    createPickupCode(context, { transferId: params.id, userId: user.id }),
  );

  route(app, contract.deletePickupCode, ({ params, user }) =>
    voidPickupCode(context, { transferId: params.id, userId: user.id }),
  );

  route(app, contract.pickUp, async ({ body, request }) => ({
    token: await pickUp(context, body.code, request),
  }));
}

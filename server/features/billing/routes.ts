import type { FastifyInstance, FastifyRequest } from 'fastify';
import {
  cancelSubscription,
  changeSubscription,
  createSubscription as createSubscriptionCall,
  getSubscription,
  listInvoices,
  paymentWebhook,
  payOpenInvoice,
  resumeSubscription,
} from '../../../contracts/plans/billing.ts';
import { MIB } from '../../../contracts/values/sizes.ts';
import type { Context } from '../../context.ts';
import { addressKey } from '../../platform/http/rate-limits.ts';
import { route } from '../../platform/http/route.ts';
import { couponRoutes } from './coupon-routes.ts';
import { countingWrongCodes } from './coupons.ts';
import { demoRoutes } from './demo-routes.ts';
import { cancelPlan, changePlan, resumePlan } from './plan-changes.ts';
import { requireSales } from './sales.ts';
import { createSubscription } from './subscribing.ts';
import { openPayment, viewInvoices, viewSubscription } from './viewing.ts';
import { takeEvent } from './webhook.ts';

export async function billingRoutes(app: FastifyInstance, context: Context): Promise<void> {
  route(app, createSubscriptionCall, ({ user, body, request }) => {
    requireSales(context);
    const subscribe = () => createSubscription(context, user, body);
    if (body.couponCode === undefined) return subscribe();
    return countingWrongCodes(context, { userId: user.id, addressKey: addressKey(request) }, subscribe);
  });
  route(app, getSubscription, ({ user }) => viewSubscription(context, user.id));
  route(app, changeSubscription, ({ user, body }) => {
    requireSales(context);
    return changePlan(context, user.id, body.tier);
  });
  route(app, cancelSubscription, ({ user }) => {
    requireSales(context);
    return cancelPlan(context, user.id);
  });
  route(app, resumeSubscription, ({ user }) => {
    requireSales(context);
    return resumePlan(context, user.id);
  });
  route(app, payOpenInvoice, ({ user }) => {
    requireSales(context);
    return openPayment(context, user.id);
  });
  route(app, listInvoices, ({ user }) => viewInvoices(context, user.id));
  couponRoutes(app, context);
  demoRoutes(app, context);
  await app.register(async (scope) => webhookRoute(scope, context));
}

/** The signature is over the very bytes: here, and only here, no body is parsed. */
function webhookRoute(scope: FastifyInstance, context: Context): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: MIB }, (_request, body, done) =>
    done(null, body),
  );
  route(scope, paymentWebhook, async ({ request }) => {
    const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
    await takeEvent(context, body, signatureOf(request));
    return { received: true as const };
  });
}

function signatureOf({ headers }: FastifyRequest): string | undefined {
  const signature = headers['stripe-signature'];
  return Array.isArray(signature) ? signature[0] : signature;
}

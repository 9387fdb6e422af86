import type { FastifyInstance, FastifyRequest } from 'fastify';
import {
  cancelSubscription,
  changeSubscription,
  checkCoupon,
  confirmDemoPayment,
  createSubscription as createSubscriptionCall,
  getSubscription,
  listInvoices,
  paymentWebhook,
  payOpenInvoice,
  resumeSubscription,
} from '../../../contracts/plans/billing.ts';
import { MIB } from '../../../contracts/values/sizes.ts';
import type { Context } from '../../context.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { addressKey } from '../../platform/http/limits/rate-limits.ts';
import { route } from '../../platform/http/routing/route.ts';
import { AppError, isAppError } from '../../platform/lib/app-error.ts';
import { confirmDemoPayment as confirm } from '../../platform/payments/demo/provider.ts';
import { limitWrongCodes, priceWithCoupon } from './coupons/coupons.ts';
import { cancelPlan, changePlan, resumePlan } from './subscription/plan-changes.ts';
import { createSubscription } from './subscription/subscribe.ts';
import { openPayment, viewInvoices, viewSubscription } from './subscription/subscription-view.ts';
import { receiveEvent } from './sync/payment-events.ts';
import { enqueueSync, syncSubscription } from './sync/sync.ts';

export async function billingRoutes(app: FastifyInstance, context: Context): Promise<void> {
  route(app, createSubscriptionCall, ({ user, body, request }) => {
    requireSales(context);
    const subscribe = () => createSubscription(context, user, body);
    if (body.couponCode === undefined) return subscribe();
    return limitWrongCodes(context, { userId: user.id, addressKey: addressKey(request) }, subscribe);
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

function couponRoutes(app: FastifyInstance, context: Context): void {
  route(app, checkCoupon, ({ user, body, request }) => {
    requireSales(context);
    const caller = { userId: user.id, addressKey: addressKey(request) };
    return limitWrongCodes(context, caller, () => priceWithCoupon(context, { ...body, userId: user.id }));
  });
}

/** The route doesn't exist with Stripe. With payments off it throws `payments_off`. */
function demoRoutes(app: FastifyInstance, context: Context): void {
  if (context.payments.name === 'stripe') return;
  route(app, confirmDemoPayment, async ({ user, body }) => {
    requireSales(context);
    const { clientSecret, cardNumber, expiry } = body;
    const customerId = user.paymentCustomerId;
    if (customerId === null) throw new AppError('payment_not_found');
    const card = { number: cardNumber, expiry };
    const subscriptionId = await confirm(context, { clientSecret, customerId, card });
    await settle(context, subscriptionId);
    return { status: 'succeeded' as const };
  });
}

function requireSales({ payments }: Pick<Context, 'payments'>): void {
  if (payments.name === 'off') throw new AppError('payments_off');
}

/** The signature covers the raw bytes, so this route's body is not parsed. */
function webhookRoute(scope: FastifyInstance, context: Context): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: MIB }, (_request, body, done) =>
    done(null, body),
  );
  route(scope, paymentWebhook, async ({ request }) => {
    const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
    await receiveEvent(context, body, signatureOf(request));
    return { received: true as const };
  });
}

function signatureOf({ headers }: FastifyRequest): string | undefined {
  const signature = headers['stripe-signature'];
  return Array.isArray(signature) ? signature[0] : signature;
}

/**
 * The demo provider sends no events, so the plan must be updated before the response. The payment has already
 * happened, so on failure a job syncs later.
 */
async function settle(context: Context, subscriptionId: string): Promise<void> {
  try {
    await syncSubscription(context, subscriptionId);
  } catch (error) {
    if (!isAppError(error)) throw error;
    await transaction(context.db, (trx) => enqueueSync(trx, subscriptionId));
  }
}

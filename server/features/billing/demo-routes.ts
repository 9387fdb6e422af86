import type { FastifyInstance } from 'fastify';
import { confirmDemoPayment } from '../../../contracts/plans/billing.ts';
import type { Context } from '../../context.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { route } from '../../platform/http/route.ts';
import { AppError, isAppError } from '../../platform/lib/app-error.ts';
import { confirmDemoPayment as confirm } from '../../platform/payments/demo/provider.ts';
import { requireSales } from './sales.ts';
import { enqueueSync, syncSubscription } from './sync.ts';

/** With Stripe there is no such call; with payments off it says so. */
export function demoRoutes(app: FastifyInstance, context: Context): void {
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

/** There are no events: the plan holds when this answers. What is paid is paid, so if need be a job looks later. */
async function settle(context: Context, subscriptionId: string): Promise<void> {
  try {
    await syncSubscription(context, subscriptionId);
  } catch (error) {
    if (!isAppError(error)) throw error;
    await transaction(context.db, (trx) => enqueueSync(trx, subscriptionId));
  }
}

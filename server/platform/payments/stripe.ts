import Stripe from 'stripe';
import type { Config } from '../../config.ts';
import { type Clock, SECOND_MS } from '../lib/clock.ts';
import type { PaymentProvider } from './provider.ts';
import { scheduleTier, setCancelAtPeriodEnd, upgradeSubscription } from './stripe-changes.ts';
import { ensureCustomer } from './stripe-customers.ts';
import { abandonSubscription, endSubscription } from './stripe-ending.ts';
import { isMissing, toAppError } from './stripe-errors.ts';
import { readStripeEvent } from './stripe-events.ts';
import { findOpenPayment, listInvoices } from './stripe-invoices.ts';
import { startSubscription } from './stripe-start.ts';
import { findSubscription } from './stripe-subscription.ts';

type Parts = {
  clock: Clock;
  /** Of one request; a failed one is tried once more. */
  timeoutMs?: number;
};

/**
 * Stripe, by its own library and the API version that comes with it. Nothing is kept here: what we know is
 * asked for. Whatever fails there is an AppError (`stripe-errors.ts`).
 */
export function openStripePayments(
  { secretKey, publishableKey, webhookSecret, apiBase }: NonNullable<Config['stripe']>,
  { clock, timeoutMs = 8 * SECOND_MS }: Parts,
): PaymentProvider {
  const stripe = new Stripe(secretKey, {
    ...(apiBase && toAddress(apiBase)),
    timeout: timeoutMs,
    maxNetworkRetries: 1,
    telemetry: false,
  });
  return {
    name: 'stripe',
    publishableKey,
    ensureCustomer: (user) => translated(ensureCustomer(stripe, user)),
    startSubscription: (wish) => translated(startSubscription(stripe, clock, wish)),
    findSubscription: (id) => translated(findSubscription(stripe, id)),
    upgrade: (id, wish) => translated(upgradeSubscription(stripe, id, wish)),
    schedule: (id, wish) => translated(scheduleTier(stripe, id, wish)),
    setCancelAtPeriodEnd: (id, isCancelled) => translated(setCancelAtPeriodEnd(stripe, id, isCancelled)),
    end: (id) => translated(endSubscription(stripe, id)),
    abandon: (id) => translated(abandonSubscription(stripe, id)),
    findOpenPayment: (id) => translated(findOpenPayment(stripe, id)),
    listInvoices: (customerId) => translated(listInvoices(stripe, customerId)),
    findPayer: (paymentId) => translated(findPayer(stripe, paymentId)),
    readEvent: (body, signature) => readStripeEvent(body, { signature, webhookSecret, now: clock.now() }),
  };
}

async function findPayer(stripe: Stripe, chargeId: string): Promise<string | undefined> {
  try {
    const { customer } = await stripe.charges.retrieve(chargeId);
    return typeof customer === 'string' ? customer : customer?.id;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

async function translated<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw toAppError(error);
  }
}

function toAddress(apiBase: string): { protocol: 'http' | 'https'; host: string; port: string } {
  const { protocol, hostname, port } = new URL(apiBase);
  const isPlain = protocol === 'http:';
  return { protocol: isPlain ? 'http' : 'https', host: hostname, port: port || (isPlain ? '80' : '443') };
}

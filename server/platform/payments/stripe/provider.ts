import Stripe from 'stripe';
import { SECOND_MS } from '../../../../contracts/values/durations.ts';
import type { Config } from '../../../config.ts';
import type { Clock } from '../../lib/clock.ts';
import type { PaymentProvider } from '../provider.ts';
import { isMissing, toAppError } from './errors.ts';
import { readStripeEvent } from './events.ts';
import { listInvoices } from './invoices.ts';
import { idOf } from './references.ts';
import {
  abandonSubscription,
  endSubscription,
  scheduleTier,
  setCancelAtPeriodEnd,
  upgradeSubscription,
} from './subscription-changes.ts';
import { findOpenPayment, findSubscription, startSubscription } from './subscriptions.ts';

type Options = {
  clock: Clock;
  /** Per request, in milliseconds. A failed request is retried once. */
  timeoutMs?: number;
};

/** Stores and caches nothing. Stripe's errors become AppErrors (`errors.ts`). */
export function openStripePayments(
  { secretKey, publishableKey, webhookSecret, apiBase }: NonNullable<Config['stripe']>,
  { clock, timeoutMs = 8 * SECOND_MS }: Options,
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
    ensureCustomer: (user) => translateErrors(ensureCustomer(stripe, user)),
    startSubscription: (wish) => translateErrors(startSubscription(stripe, clock, wish)),
    findSubscription: (id) => translateErrors(findSubscription(stripe, id)),
    upgrade: (id, plan) => translateErrors(upgradeSubscription(stripe, id, plan)),
    schedule: (id, plan) => translateErrors(scheduleTier(stripe, id, plan)),
    setCancelAtPeriodEnd: (id, isCancelled) => translateErrors(setCancelAtPeriodEnd(stripe, id, isCancelled)),
    end: (id) => translateErrors(endSubscription(stripe, id)),
    abandon: (id) => translateErrors(abandonSubscription(stripe, id)),
    findOpenPayment: (id) => translateErrors(findOpenPayment(stripe, id)),
    listInvoices: (customerId) => translateErrors(listInvoices(stripe, customerId)),
    findPayer: (paymentId) => translateErrors(findPayer(stripe, paymentId)),
    readEvent: (body, signature) => readStripeEvent(body, { signature, webhookSecret, now: clock.now() }),
  };
}

/**
 * The idempotency key excludes the email address, because a changed one would clash with the earlier call. So
 * a second request writes name and address.
 */
async function ensureCustomer(
  stripe: Stripe,
  { userId, customerId, ...person }: Parameters<PaymentProvider['ensureCustomer']>[0],
): Promise<string> {
  if (customerId !== null && (await updateCustomer(stripe, customerId, person))) return customerId;
  // The unknown id (of another account, or the demo) is part of the key, so that it gets one replacement.
  const { id } = await stripe.customers.create(
    { metadata: { userId } },
    { idempotencyKey: `customer:${userId}:${customerId ?? ''}` },
  );
  await updateCustomer(stripe, id, person);
  return id;
}

async function updateCustomer(
  stripe: Stripe,
  id: string,
  person: { email: string; name: string },
): Promise<boolean> {
  try {
    await stripe.customers.update(id, person);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

async function findPayer(stripe: Stripe, chargeId: string): Promise<string | undefined> {
  try {
    const { customer } = await stripe.charges.retrieve(chargeId);
    return idOf(customer) ?? undefined;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

async function translateErrors<T>(answer: Promise<T>): Promise<T> {
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

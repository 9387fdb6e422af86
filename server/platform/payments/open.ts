import type { Config } from '../../config.ts';
import type { Db } from '../db/open.ts';
import type { Clock } from '../lib/clock.ts';
import { openDemoPayments } from './demo.ts';
import type { PaymentProvider } from './provider.ts';

/** Stripe with its keys, else the built-in demo. The SDK is loaded only when it is needed. */
export async function openPayments(
  { stripe }: Pick<Config, 'stripe'>,
  parts: { db: Db; clock: Clock },
): Promise<PaymentProvider> {
  if (!stripe) return openDemoPayments(parts);
  const { openStripePayments } = await import('./stripe.ts');
  return openStripePayments(stripe, parts);
}

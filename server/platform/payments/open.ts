import type { Config } from '../../config.ts';
import type { Db } from '../db/open.ts';
import type { Clock } from '../lib/clock.ts';
import { openDemoPayments } from './demo/provider.ts';
import { openNoPayments } from './off.ts';
import type { PaymentProvider } from './provider.ts';

/** The provider that PAYMENTS names. Stripe's SDK is loaded only when it is needed. */
export async function openPayments(
  { payments, stripe }: Pick<Config, 'payments' | 'stripe'>,
  parts: { db: Db; clock: Clock },
): Promise<PaymentProvider> {
  if (payments === 'off') return openNoPayments();
  if (!stripe) return openDemoPayments(parts);
  const { openStripePayments } = await import('./stripe/provider.ts');
  return openStripePayments(stripe, parts);
}

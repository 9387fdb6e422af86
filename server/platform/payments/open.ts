import type { Config } from '../../config.ts';
import type { Db } from '../db/open.ts';
import { AppError } from '../lib/app-error.ts';
import type { Clock } from '../lib/clock.ts';
import { openDemoPayments } from './demo/provider.ts';
import type { PaymentProvider } from './provider.ts';

export async function openPayments(
  { payments, stripe }: Pick<Config, 'payments' | 'stripe'>,
  parts: { db: Db; clock: Clock },
): Promise<PaymentProvider> {
  if (payments === 'off') return openNoPayments();
  if (!stripe) return openDemoPayments(parts);
  const { openStripePayments } = await import('./stripe/provider.ts');
  return openStripePayments(stripe, parts);
}

/**
 * PAYMENTS=off: existing subscriptions count as a former provider's and last until their paid period ends.
 */
function openNoPayments(): PaymentProvider {
  return {
    name: 'off',
    publishableKey: null,
    ensureCustomer: refuse,
    startSubscription: refuse,
    upgrade: refuse,
    schedule: refuse,
    setCancelAtPeriodEnd: refuse,
    findSubscription: async () => undefined,
    listInvoices: async () => [],
    findPayer: async () => undefined,
    end: refuseUnknown,
    abandon: refuseUnknown,
    findOpenPayment: refuseUnknown,
    readEvent: () => {
      throw new AppError('bad_webhook');
    },
  };
}

async function refuse(): Promise<never> {
  throw new AppError('payments_off');
}

async function refuseUnknown(): Promise<never> {
  throw new AppError('payment_not_found');
}

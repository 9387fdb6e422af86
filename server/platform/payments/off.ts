import { AppError } from '../lib/app-error.ts';
import type { PaymentProvider } from './provider.ts';

/**
 * The provider of an installation that sells nothing (PAYMENTS=off). It knows no subscription, so those that were
 * begun at another provider count as a former provider's: each lasts until its paid period ends.
 */
export function openNoPayments(): PaymentProvider {
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

import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { isAppError } from '../../lib/app-error.ts';
import type { Clock } from '../../lib/clock.ts';
import type {
  Discount,
  PaymentProvider,
  ProviderInvoice,
  ProviderPayment,
  ProviderSubscription,
} from '../provider.ts';

export const GOOD_CARD = '4242424242424242';
export const DECLINED_CARD = '4000000000000002';
/** Accepted at first, declined at later charges. */
export const LATER_DECLINED_CARD = '4000000000000341';

export const PRO = { tier: 'pro', priceCents: 999 } as const;
export const PREMIUM = { tier: 'premium', priceCents: 2499 } as const;

export type PaymentBench = {
  payments: PaymentProvider;
  userId: string;
  clock: Clock;
  /** Rejects with the provider's message if the card is declined. */
  confirm(payment: ProviderPayment, cardNumber: string, customerId: string): Promise<void>;
  /** Advances the clock here and at the provider. */
  pass(milliseconds: number): Promise<void>;
};

export type OpenBench = (t: TestContext) => Promise<PaymentBench>;

export function ensureCustomer({ payments, userId }: PaymentBench, customerId: string | null = null) {
  return payments.ensureCustomer({ userId, email: 'frida@example.org', name: 'Frida Free', customerId });
}

export type Wish = { tier: 'pro' | 'premium'; priceCents: number; discount?: Discount; key?: string };

export async function begin(bench: PaymentBench, { discount, key = 'first', ...plan }: Wish = PRO) {
  const customerId = await ensureCustomer(bench);
  const begun = await bench.payments.startSubscription({
    ...plan,
    customerId,
    discount: discount ?? null,
    key,
  });
  return { ...begun, customerId };
}

export async function subscribe(bench: PaymentBench, wish: Wish = PRO, cardNumber = GOOD_CARD) {
  const begun = await begin(bench, wish);
  await bench.confirm(begun, cardNumber, begun.customerId);
  return begun;
}

export async function getSubscription({ payments }: PaymentBench, id: string): Promise<ProviderSubscription> {
  const subscription = await payments.findSubscription(id);
  assert.ok(subscription);
  return subscription;
}

/** Newest first. */
export async function amounts({ payments }: PaymentBench, customerId: string) {
  const invoices = await payments.listInvoices(customerId);
  return invoices.map(({ status, amountCents }: ProviderInvoice) => `${status} ${amountCents}`);
}

export async function rejectsAs(code: Parameters<typeof isAppError>[1], promise: Promise<unknown>) {
  await assert.rejects(promise, (error) => {
    assert.ok(isAppError(error), String(error));
    assert.equal(error.code, code);
    return true;
  });
}

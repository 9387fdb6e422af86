import { AppError } from '../../lib/app-error.ts';
import { hashToken } from '../../lib/tokens.ts';
import { addMonths } from '../calculations.ts';
import type { PaymentProvider, ProviderInvoice, ProviderPayment } from '../provider.ts';
import {
  type Books,
  type DemoInvoice,
  findCurrent,
  findIdBySecret,
  findInvoiceStatus,
  findOpenInvoice,
  insertSubscription,
  listInvoices as listInvoiceRows,
  listRunningIds,
  newSecret,
  settleOpenInvoices,
  updateSubscription,
} from './books.ts';
import { acceptCard, type DemoCard } from './cards.ts';
import { begin, confirm, type DemoRow, end, type Outcome, presentRow, upgrade } from './lifecycle.ts';

const INVOICES_LISTED = 100;

/** No money moves, but subscriptions pass through the same states as at Stripe. */
export function openDemoPayments(books: Books): PaymentProvider {
  return {
    name: 'demo',
    publishableKey: null,
    // It may still be a Stripe customer id.
    ensureCustomer: async ({ userId, customerId }) =>
      customerId?.startsWith('demo_') ? customerId : `demo_cus_${userId}`,
    startSubscription: (wish) => startSubscription(books, wish),
    findSubscription: async (id) => {
      const row = await findCurrent(books, id);
      return row && presentRow(row);
    },
    upgrade: async (id, plan) => {
      await updateSubscription(books, id, (outcome, now) => {
        requireRunning(outcome.row);
        if (outcome.row.tier === plan.tier) return outcome;
        const { row, charges } = upgrade(outcome.row, plan, now);
        return { row, charges: [...outcome.charges, ...charges] };
      });
      return null;
    },
    schedule: async (id, plan) => {
      await updateRunning(books, id, {
        scheduledTier: plan?.tier ?? null,
        scheduledPriceCents: plan?.priceCents ?? null,
        cancelAtPeriodEnd: 0,
      });
    },
    setCancelAtPeriodEnd: async (id, isCancelled) => {
      await updateRunning(
        books,
        id,
        isCancelled
          ? { scheduledTier: null, scheduledPriceCents: null, cancelAtPeriodEnd: 1 }
          : { cancelAtPeriodEnd: 0 },
      );
    },
    end: async (id) => {
      await updateSubscription(books, id, (outcome, now) =>
        outcome.row.status === 'ended' ? outcome : { ...outcome, row: end(outcome.row, now) },
      );
    },
    abandon: async (id) => {
      const { status } = await updateSubscription(books, id, (outcome, now) =>
        outcome.row.status === 'incomplete' ? { ...outcome, row: end(outcome.row, now) } : outcome,
      );
      return status === 'ended';
    },
    findOpenPayment: (id) => findOpenPayment(books, id),
    listInvoices: (customerId) => listInvoices(books, customerId),
    findPayer: async () => undefined,
    readEvent: () => {
      throw new AppError('bad_webhook');
    },
  };
}

/**
 * Pays for (or sets up the card of) the subscription with this secret. Idempotent. Returns the subscription's
 * id. Throws AppError `payment_not_found`, and `payment_declined` with the reason.
 */
export async function confirmDemoPayment(
  books: Books,
  { clientSecret, customerId, card }: { clientSecret: string; customerId: string; card: DemoCard },
): Promise<string> {
  const id = await findIdBySecret(books.db, { clientSecret, customerId });
  if (id === undefined) throw new AppError('payment_not_found');
  await updateSubscription(books, id, async (outcome, now, trx) => {
    const { row } = outcome;
    const invoice = await findInvoiceStatus(trx, clientSecret);
    const isDue = row.status === 'incomplete' || (row.status === 'past_due' && invoice === 'open');
    if (row.status === 'ended' || invoice === 'void') throw new AppError('payment_not_found');
    if (!isDue) return outcome;
    await settleOpenInvoices(trx, id, 'paid');
    return { ...outcome, row: confirm(row, acceptCard(card, now), now) };
  });
  return id;
}

async function startSubscription(
  books: Books,
  { key, customerId, tier, priceCents, discount }: Parameters<PaymentProvider['startSubscription']>[0],
): Promise<ProviderPayment & { subscriptionId: string }> {
  const id = `demo_sub_${hashToken(`${customerId}\n${key}`)}`;
  const ids = { id, customerId, clientSecret: newSecret() };
  const now = books.clock.now();
  const freeUntil = discount && discount.freeMonths > 0 ? addMonths(now, discount.freeMonths) : null;
  const wish = { tier, priceCents, discountPercent: discount?.percent ?? 0, freeUntil };
  await insertSubscription(books.db, begin(ids, wish, now));
  const payment = await findOpenPayment(books, id);
  if (!payment) throw new AppError('payment_not_found');
  return { ...payment, subscriptionId: id };
}

async function findOpenPayment(books: Books, id: string): Promise<ProviderPayment | undefined> {
  const row = await findCurrent(books, id);
  if (!row) throw new AppError('payment_not_found');
  const invoice = await findOpenInvoice(books.db, id);
  if (invoice) {
    return { clientSecret: invoice.clientSecret, intent: 'payment', dueCents: invoice.amountCents };
  }
  if (row.status !== 'incomplete') return undefined;
  return { clientSecret: row.clientSecret, intent: 'setup', dueCents: 0 };
}

async function listInvoices(books: Books, customerId: string): Promise<ProviderInvoice[]> {
  for (const id of await listRunningIds(books.db, customerId)) await findCurrent(books, id);
  return (await listInvoiceRows(books.db, customerId, INVOICES_LISTED)).map(presentInvoice);
}

function presentInvoice({ clientSecret, customerId, ...invoice }: DemoInvoice): ProviderInvoice {
  return { ...invoice, url: null };
}

async function updateRunning(books: Books, id: string, columns: Partial<DemoRow>): Promise<void> {
  await updateSubscription(books, id, (outcome): Outcome => {
    requireRunning(outcome.row);
    return { ...outcome, row: { ...outcome.row, ...columns } };
  });
}

/** Throws AppError `payment_not_found`. */
function requireRunning({ status }: DemoRow): void {
  if (status === 'ended' || status === 'incomplete') throw new AppError('payment_not_found');
}

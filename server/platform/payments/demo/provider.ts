import { AppError } from '../../lib/app-error.ts';
import { hashToken } from '../../lib/tokens.ts';
import type { PaymentProvider, ProviderInvoice, ProviderPayment } from '../provider.ts';
import {
  type Books,
  change,
  type DemoInvoice,
  findBySecret,
  findInvoiceStatus,
  findInvoicesOf,
  findOpenInvoice,
  findSubscriptionsOf,
  insertSubscription,
  look,
  newSecret,
  settleOpenInvoices,
} from './books.ts';
import { acceptCard, type DemoCard } from './cards.ts';
import { begin, type Course, type DemoRow, ended, paid, presentRow, upgraded } from './course.ts';

const INVOICES_LISTED = 100;

/**
 * The built-in provider of an instance without payment keys: nobody's money moves, but everything goes
 * through the states it goes through at Stripe. Time passes when somebody looks.
 */
export function openDemoPayments(books: Books): PaymentProvider {
  return {
    name: 'demo',
    publishableKey: null,
    // Stripe's customers, of an instance that had keys before, mean nothing here.
    ensureCustomer: async ({ userId, customerId }) =>
      customerId?.startsWith('demo_') ? customerId : `demo_cus_${userId}`,
    startSubscription: (wish) => startSubscription(books, wish),
    findSubscription: async (id) => {
      const row = await look(books, id);
      return row && presentRow(row);
    },
    upgrade: async (id, plan) => {
      await change(books, id, (course, now) => {
        requireRunning(course.row);
        if (course.row.tier === plan.tier) return course;
        const { row, charges } = upgraded(course.row, plan, now);
        return { row, charges: [...course.charges, ...charges] };
      });
      return null;
    },
    schedule: async (id, plan) => {
      await changeRunning(books, id, {
        scheduledTier: plan?.tier ?? null,
        scheduledPriceCents: plan?.priceCents ?? null,
        cancelAtPeriodEnd: 0,
      });
    },
    setCancelAtPeriodEnd: async (id, isCancelled) => {
      const nothing = { scheduledTier: null, scheduledPriceCents: null };
      await changeRunning(
        books,
        id,
        isCancelled ? { ...nothing, cancelAtPeriodEnd: 1 } : { cancelAtPeriodEnd: 0 },
      );
    },
    end: async (id) => {
      await change(books, id, (course, now) =>
        course.row.status === 'ended' ? course : { ...course, row: ended(course.row, now) },
      );
    },
    abandon: async (id) => {
      const { status } = await change(books, id, (course, now) =>
        course.row.status === 'incomplete' ? { ...course, row: ended(course.row, now) } : course,
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
 * What Stripe's form does at Stripe: pays what a secret of this customer stands for, and keeps the card.
 * Paying twice does no harm. Returns the subscription; throws AppError `payment_not_found` and, with the
 * reason, `payment_declined`.
 */
export async function confirmDemoPayment(
  books: Books,
  { clientSecret, customerId, card }: { clientSecret: string; customerId: string; card: DemoCard },
): Promise<string> {
  const id = await findBySecret(books.db, { clientSecret, customerId });
  if (id === undefined) throw new AppError('payment_not_found');
  await change(books, id, async (course, now, trx) => {
    const { row } = course;
    const invoice = await findInvoiceStatus(trx, clientSecret);
    const isOwed = row.status === 'incomplete' || (row.status === 'past_due' && invoice === 'open');
    if (row.status === 'ended' || invoice === 'void') throw new AppError('payment_not_found');
    if (!isOwed) return course;
    await settleOpenInvoices(trx, id, 'paid');
    return { ...course, row: paid(row, acceptCard(card, now), now) };
  });
  return id;
}

async function startSubscription(
  books: Books,
  { key, customerId, ...wish }: Parameters<PaymentProvider['startSubscription']>[0],
): Promise<ProviderPayment & { subscriptionId: string }> {
  const id = `demo_sub_${hashToken(`${customerId}\n${key}`)}`;
  const ids = { id, customerId, clientSecret: newSecret() };
  await insertSubscription(books.db, begin(ids, wish, books.clock.now()));
  const payment = await findOpenPayment(books, id);
  if (!payment) throw new AppError('payment_not_found');
  return { ...payment, subscriptionId: id };
}

async function findOpenPayment(books: Books, id: string): Promise<ProviderPayment | undefined> {
  const row = await look(books, id);
  if (!row) throw new AppError('payment_not_found');
  const invoice = await findOpenInvoice(books.db, id);
  if (invoice) {
    return { clientSecret: invoice.clientSecret, intent: 'payment', dueCents: invoice.amountCents };
  }
  if (row.status !== 'incomplete') return undefined;
  return { clientSecret: row.clientSecret, intent: 'setup', dueCents: 0 };
}

async function listInvoices(books: Books, customerId: string): Promise<ProviderInvoice[]> {
  for (const { id } of await findSubscriptionsOf(books.db, customerId)) await look(books, id);
  return (await findInvoicesOf(books.db, customerId, INVOICES_LISTED)).map(presentInvoice);
}

function presentInvoice({ clientSecret, customerId, ...invoice }: DemoInvoice): ProviderInvoice {
  return { ...invoice, url: null };
}

async function changeRunning(books: Books, id: string, columns: Partial<DemoRow>): Promise<void> {
  await change(books, id, (course): Course => {
    requireRunning(course.row);
    return { ...course, row: { ...course.row, ...columns } };
  });
}

/** Throws AppError `payment_not_found`. */
function requireRunning({ status }: DemoRow): void {
  if (status === 'ended' || status === 'incomplete') throw new AppError('payment_not_found');
}

import { HOUR_MS, SECOND_MS } from '../../../server/platform/lib/clock.ts';
import { addMonths } from '../../../server/platform/payments/calculations.ts';
import { createInvoice, discounted, finalize, type NewLine } from './invoices.ts';
import type { Invoice, Price, Subscription } from './objects.ts';
import type { Shop } from './shop.ts';

const PENDING_SECONDS = (23 * HOUR_MS) / SECOND_MS;

/** The end of the period that begins at `start`, counted from the subscription's anchor. */
export function endOfPeriod(anchor: number, start: number): number {
  for (let months = 1; ; months += 1) {
    const end = addMonths(anchor * SECOND_MS, months) / SECOND_MS;
    if (end > start) return end;
  }
}

/**
 * Another price at once, with an invoice for the difference: the change is pending until `charge` has paid it.
 * Returns the invoice to charge, or undefined when nothing is due.
 */
export function proposeUpdate(
  shop: Shop,
  subscription: Subscription,
  { price, endsTrial }: { price: Price; endsTrial: boolean },
): Invoice {
  subscription.pending_update = {
    expires_at: shop.now() + PENDING_SECONDS,
    trial_end: endsTrial ? shop.now() : null,
    subscription_items: [{ price }],
  };
  const lines = endsTrial ? [fullMonth(shop, subscription, price)] : prorate(shop, subscription, price);
  const invoice = createInvoice(shop, subscription, { lines, reason: 'subscription_update' });
  finalize(shop, invoice);
  if (invoice.status === 'paid') applyPendingUpdate(shop, subscription);
  return invoice;
}

export function applyPendingUpdate(shop: Shop, subscription: Subscription): void {
  const { pending_update: update } = subscription;
  const item = subscription.items.data[0]!;
  if (!update) return;
  item.price = update.subscription_items[0]!.price;
  if (update.trial_end !== null) {
    subscription.status = 'active';
    subscription.trial_end = update.trial_end;
    subscription.billing_cycle_anchor = update.trial_end;
    item.current_period_start = update.trial_end;
    item.current_period_end = endOfPeriod(update.trial_end, update.trial_end);
  }
  subscription.pending_update = null;
  shop.emit('customer.subscription.updated', subscription);
}

function fullMonth(shop: Shop, subscription: Subscription, price: Price): NewLine {
  const period = { start: shop.now(), end: endOfPeriod(shop.now(), shop.now()) };
  return { amount: discounted(shop, subscription, price), price, period };
}

/** What is left of the old price is given back, the rest of the period is charged at the new one. */
function prorate(shop: Shop, subscription: Subscription, price: Price): NewLine[] {
  const item = subscription.items.data[0]!;
  if (subscription.status === 'trialing') return [];
  const { current_period_start: start, current_period_end: end } = item;
  const left = (end - shop.now()) / (end - start);
  const period = { start: shop.now(), end };
  const share = (whole: Price) => Math.round(discounted(shop, subscription, whole) * left);
  return [
    { amount: -share(item.price), price: item.price, period },
    { amount: share(price), price, period },
  ];
}

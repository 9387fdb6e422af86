import { HOUR_MS, SECOND_MS } from '../../../server/platform/lib/clock.ts';
import { charge, findMethod, scheduleRetry } from './charging.ts';
import { createInvoice, discounted, finalize, invoicesOf, voidInvoice } from './invoices.ts';
import type { Invoice, Subscription } from './objects.ts';
import { phaseAt, releaseSchedule } from './schedules.ts';
import type { Shop } from './shop.ts';
import { cancelSubscription, isOver } from './subscriptions.ts';
import { endOfPeriod } from './updates.ts';

/** An attempt that nobody pays lasts so long. */
const INCOMPLETE_SECONDS = (23 * HOUR_MS) / SECOND_MS;

type Due = { moment: number; act: () => void };

/** All that is due by now, in the order in which it was. */
export function catchUp(shop: Shop): void {
  for (;;) {
    const [next] = shop
      .list('subscription')
      .filter((subscription) => !isOver(subscription))
      .flatMap((subscription) => listDue(shop, subscription))
      .filter(({ moment }) => moment <= shop.present())
      .sort((one, other) => one.moment - other.moment);
    if (!next) return;
    shop.at(next.moment, next.act);
  }
}

function listDue(shop: Shop, subscription: Subscription): Due[] {
  const { status, created, items, pending_update } = subscription;
  if (status === 'incomplete') {
    return [
      { moment: created + INCOMPLETE_SECONDS, act: () => cancelSubscription(shop, subscription, true) },
    ];
  }
  const renewal = { moment: items.data[0]!.current_period_end, act: () => renew(shop, subscription) };
  const expiry = pending_update && {
    moment: pending_update.expires_at,
    act: () => voidInvoice(shop, shop.get('invoice', subscription.latest_invoice)),
  };
  const attempts = invoicesOf(shop, subscription.id).flatMap((invoice) => listAttempts(shop, invoice));
  return [...attempts, ...(expiry ? [expiry] : []), renewal];
}

function listAttempts(shop: Shop, invoice: Invoice): Due[] {
  if (invoice.status === 'draft' && invoice.automatically_finalizes_at !== null) {
    return [{ moment: invoice.automatically_finalizes_at, act: () => collect(shop, invoice) }];
  }
  if (invoice.status === 'open' && invoice.next_payment_attempt !== null) {
    return [{ moment: invoice.next_payment_attempt, act: () => collect(shop, invoice) }];
  }
  return [];
}

function renew(shop: Shop, subscription: Subscription): void {
  const item = subscription.items.data[0]!;
  const hasNoCard = !findMethod(shop, subscription);
  if (subscription.cancel_at_period_end || (subscription.status === 'trialing' && hasNoCard)) {
    cancelSubscription(shop, subscription);
    return;
  }
  if (subscription.status === 'trialing') subscription.status = 'active';
  enterPhase(shop, subscription);
  item.current_period_start = item.current_period_end;
  item.current_period_end = endOfPeriod(subscription.billing_cycle_anchor, item.current_period_start);
  const period = { start: item.current_period_start, end: item.current_period_end };
  const amount = discounted(shop, subscription, item.price);
  const lines = [{ amount, price: item.price, period }];
  createInvoice(shop, subscription, { lines, reason: 'subscription_cycle' });
  shop.emit('customer.subscription.updated', subscription);
}

function enterPhase(shop: Shop, subscription: Subscription): void {
  const schedule = shop.find('subscription_schedule', subscription.schedule);
  const moment = subscription.items.data[0]!.current_period_end;
  const phase = phaseAt(schedule, moment);
  if (phase) {
    subscription.items.data[0]!.price = shop.get('price', phase.items[0]!.price);
    subscription.default_payment_method = phase.default_payment_method;
    subscription.discounts = phase.discounts.map(({ discount }) => discount);
  } else if (schedule && schedule.phases.at(-1)!.end_date <= moment) releaseSchedule(shop, schedule);
}

function collect(shop: Shop, invoice: Invoice): void {
  if (invoice.status === 'draft') finalize(shop, invoice);
  if (invoice.status === 'paid' || charge(shop, invoice)) return;
  const subscription = shop.get('subscription', invoice.parent.subscription_details.subscription);
  if (!scheduleRetry(invoice)) {
    cancelSubscription(shop, subscription);
    return;
  }
  subscription.status = 'past_due';
  shop.emit('customer.subscription.updated', subscription);
}

import { isDeepStrictEqual } from 'node:util';
import { addMonths } from '../../../server/platform/payments/calculations.ts';
import type { StripeAccount } from './account.ts';
import { currentSchedule, planOf, type Schedule, type Subscription } from './records.ts';
import { newHex, noSuch, refused, unsupported } from './wire.ts';

export function createSchedule(
  account: StripeAccount,
  { from_subscription: subscriptionId }: { from_subscription: string },
): { id: string } {
  const subscription = account.getSubscription(subscriptionId, 'from_subscription');
  if (currentSchedule(subscription)) {
    throw refused('You cannot migrate a subscription that is already attached to a schedule.');
  }
  const { tier, priceCents, periodStartsAt: startsAt, periodEndsAt: endsAt } = subscription.row;
  const id = `sub_sched_${newHex()}`;
  const phases = [{ tier, priceCents, startsAt, endsAt }];
  subscription.schedules.push({ id, createdAt: account.now(), status: 'active', phases });
  account.publish(subscription);
  return { id };
}

type Phase = { items: { price: string }[]; discounts?: { discount: string }[] | '' };

/**
 * The lifecycle supports one scheduled plan, which starts with the next period and has no discount. Other schedules,
 * such as those that change the current phase or omit the card in the next one, are refused as unsupported.
 */
export function updateSchedule(account: StripeAccount, id: string, { phases }: { phases: Phase[] }): void {
  const { subscription, schedule } = getSchedule(account, id);
  if (schedule.status !== 'active') throw refused(`You cannot update a ${schedule.status} schedule.`);
  const { items } = phases[1] ?? { items: [] };
  const sent = phases.map((phase) => ({ ...phase, discounts: phase.discounts || [] }));
  if (!isDeepStrictEqual(sent, expectedPhases(account, id, items))) throw unsupported('such phases');
  const plan = planOf(account.get('price', items[0]!.price));
  const current = schedule.phases[0]!;
  schedule.phases = [current, { ...plan, startsAt: current.endsAt, endsAt: addMonths(current.endsAt, 1) }];
  const { tier: scheduledTier, priceCents: scheduledPriceCents } = plan;
  subscription.row = { ...subscription.row, scheduledTier, scheduledPriceCents };
  account.publish(subscription);
}

function expectedPhases(account: StripeAccount, id: string, nextItems: Phase['items']): object[] {
  const current = account.get('subscription_schedule', id).phases![0]!;
  const {
    default_payment_method: card,
    trial_end: trialEnd,
    start_date,
    end_date,
    items,
    discounts,
  } = current;
  const shared = { proration_behavior: 'none', ...(card && { default_payment_method: card }) };
  const period = { start_date: String(start_date), end_date: String(end_date) };
  return [
    {
      ...shared,
      ...period,
      items: [{ price: items![0]!.price, quantity: '1' }],
      discounts,
      ...(trialEnd && { trial_end: String(trialEnd) }),
    },
    { ...shared, items: nextItems, discounts: [], duration: { interval: 'month', interval_count: '1' } },
  ];
}

export function releaseSchedule(account: StripeAccount, id: string): void {
  const { subscription, schedule } = getSchedule(account, id);
  if (schedule.status !== 'active' || subscription.row.status === 'ended') {
    throw refused(`You cannot release a subscription schedule that is \`${schedule.status}\`.`);
  }
  schedule.status = 'released';
  subscription.row = { ...subscription.row, scheduledTier: null, scheduledPriceCents: null };
  account.publish(subscription);
}

function getSchedule(account: StripeAccount, id: string): { subscription: Subscription; schedule: Schedule } {
  for (const subscription of account.subscriptions) {
    const schedule = subscription.schedules.find((each) => each.id === id);
    if (schedule) return { subscription, schedule };
  }
  throw noSuch('subscription_schedule', id);
}

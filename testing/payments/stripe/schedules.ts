import { SECOND_MS } from '../../../server/platform/lib/clock.ts';
import { addMonths } from '../../../server/platform/payments/calculations.ts';
import type { Phase, Schedule } from './objects.ts';
import type { Shop } from './shop.ts';
import { refused } from './wire.ts';

export function createSchedule(shop: Shop, subscriptionId: string): Schedule {
  const subscription = shop.get('subscription', subscriptionId, 'from_subscription');
  if (subscription.schedule) {
    throw refused('You cannot migrate a subscription that is already attached to a schedule.');
  }
  const item = subscription.items.data[0]!;
  const schedule = shop.add<Schedule>({
    id: shop.newId('subscription_schedule'),
    object: 'subscription_schedule',
    created: shop.now(),
    customer: subscription.customer,
    end_behavior: subscription.cancel_at_period_end ? 'cancel' : 'release',
    phases: [
      {
        start_date: item.current_period_start,
        end_date: item.current_period_end,
        items: [{ price: item.price.id, quantity: 1 }],
        discounts: subscription.discounts.map((discount) => ({ discount })),
        default_payment_method: subscription.default_payment_method,
        trial_end: subscription.status === 'trialing' ? subscription.trial_end : null,
      },
    ],
    released_subscription: null,
    status: 'active',
    subscription: subscription.id,
  });
  subscription.schedule = schedule.id;
  shop.emit('subscription_schedule.created', schedule);
  shop.emit('customer.subscription.updated', subscription);
  return schedule;
}

export type NewPhase = {
  items: { price: string }[];
  start_date?: string;
  end_date?: string;
  duration?: { interval: string; interval_count: string };
  discounts?: { discount: string }[] | '';
  default_payment_method?: string;
  trial_end?: string;
};

export function updateSchedule(
  shop: Shop,
  schedule: Schedule,
  { end_behavior, phases }: { end_behavior?: Schedule['end_behavior']; phases?: NewPhase[] },
): void {
  if (schedule.status !== 'active') throw refused(`You cannot update a ${schedule.status} schedule.`);
  if (end_behavior) schedule.end_behavior = end_behavior;
  if (phases) {
    const [present] = schedule.phases;
    if (Number(phases[0]?.start_date) !== present?.start_date) {
      throw refused('You can not modify the start date of the current phase.');
    }
    schedule.phases = [];
    for (const phase of phases) schedule.phases.push(toPhase(shop, phase, schedule.phases.at(-1)));
  }
  shop.emit('subscription_schedule.updated', schedule);
}

export function releaseSchedule(shop: Shop, schedule: Schedule): void {
  if (schedule.status !== 'active') {
    throw refused(
      `You cannot release a subscription schedule that is currently in the \`${schedule.status}\` status.`,
    );
  }
  const subscription = shop.get('subscription', schedule.subscription);
  schedule.status = 'released';
  schedule.released_subscription = subscription.id;
  schedule.subscription = null;
  subscription.schedule = null;
  shop.emit('subscription_schedule.released', schedule);
  shop.emit('customer.subscription.updated', subscription);
}

/** The phase that begins at an instant. */
export function phaseAt(schedule: Schedule | undefined, moment: number): Phase | undefined {
  return schedule?.phases.find(({ start_date }) => start_date === moment);
}

function toPhase(shop: Shop, phase: NewPhase, before: Phase | undefined): Phase {
  if (phase.duration && phase.end_date) throw refused('You may only set one of duration and end_date.');
  const start = phase.start_date === undefined ? before?.end_date : Number(phase.start_date);
  if (start === undefined) throw refused('The first phase needs a start_date.');
  return {
    start_date: start,
    end_date: phase.duration
      ? addMonths(start * SECOND_MS, Number(phase.duration.interval_count)) / SECOND_MS
      : Number(phase.end_date),
    items: phase.items.map(({ price }) => ({ price: shop.get('price', price).id, quantity: 1 })),
    discounts: (phase.discounts || []).map(({ discount }) => ({
      discount: shop.get('discount', discount).id,
    })),
    default_payment_method: phase.default_payment_method ?? null,
    trial_end: phase.trial_end === undefined ? null : Number(phase.trial_end),
  };
}

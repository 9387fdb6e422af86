import type Stripe from 'stripe';
import { type Clock, DAY_MS, SECOND_MS } from '../../lib/clock.ts';
import { addMonths } from '../calculations.ts';
import type { Discount, PaymentProvider, ProviderPayment } from '../provider.ts';
import { ensureCoupon, findOrCreatePrice } from './catalog.ts';
import { isUsedKey } from './errors.ts';
import { toPayment } from './payment.ts';

type Wish = Parameters<PaymentProvider['startSubscription']>[0];

/** The longest that Stripe gives. */
const LONGEST_TRIAL_MS = 730 * DAY_MS;

const EXPAND = ['latest_invoice.confirmation_secret', 'pending_setup_intent'];

/** A subscription that waits for its first payment, or for its card. */
export async function startSubscription(
  stripe: Stripe,
  clock: Clock,
  wish: Wish,
): Promise<ProviderPayment & { subscriptionId: string }> {
  const subscription = await createOnce(stripe, wish, {
    customer: wish.customerId,
    items: [{ price: await findOrCreatePrice(stripe, wish) }],
    payment_behavior: 'default_incomplete',
    payment_settings: { save_default_payment_method: 'on_subscription', payment_method_types: ['card'] },
    metadata: { tier: wish.tier, key: wish.key },
    ...(wish.discount && (await toDiscount(stripe, wish.tier, wish.discount, clock.now()))),
    expand: EXPAND,
  });
  const payment = toPayment(subscription) ?? { clientSecret: '', intent: 'setup', dueCents: 0 };
  return { ...payment, subscriptionId: subscription.id };
}

async function toDiscount(
  stripe: Stripe,
  tier: Wish['tier'],
  { percent, freeMonths, code }: Discount,
  now: number,
): Promise<Partial<Stripe.SubscriptionCreateParams>> {
  return {
    ...(percent > 0 && { discounts: [{ coupon: await ensureCoupon(stripe, { code, percent, tier }) }] }),
    ...(freeMonths > 0 && {
      trial_end: Math.floor(Math.min(addMonths(now, freeMonths), now + LONGEST_TRIAL_MS) / SECOND_MS),
      trial_settings: { end_behavior: { missing_payment_method: 'cancel' } },
    }),
  };
}

/** The end of free months moves with the clock, so a repeated call has other parameters under the same key. */
async function createOnce(
  stripe: Stripe,
  { key, customerId }: Wish,
  parameters: Stripe.SubscriptionCreateParams,
): Promise<Stripe.Subscription> {
  try {
    return await stripe.subscriptions.create(parameters, { idempotencyKey: `subscription:${key}` });
  } catch (error) {
    if (!isUsedKey(error)) throw error;
    const { data } = await stripe.subscriptions.list({
      customer: customerId,
      status: 'all',
      limit: 100,
      expand: EXPAND.map((path) => `data.${path}`),
    });
    const begun = data.find(({ metadata }) => metadata.key === key);
    if (!begun) throw error;
    return begun;
  }
}

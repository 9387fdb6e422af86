import type { PaymentStart } from '../../../contracts/plans/billing.ts';
import type { Context } from '../../context.ts';
import type { SubscriptionRow, UserRow } from '../../platform/db/schema.ts';
import { takeTry } from '../../platform/http/rate-limits.ts';
import { AppError, isAppError } from '../../platform/lib/app-error.ts';
import { HOUR_MS } from '../../platform/lib/clock.ts';
import type { ProviderPayment } from '../../platform/payments/provider.ts';
import { getTierConfig } from '../tiers/index.ts';
import { alreadySubscribed, beginSubscription, type PricedWish } from './beginning.ts';
import { findCoupon } from './coupon-queries.ts';
import { lookAtCurrent } from './current.ts';
import { isRunning } from './entitlement.ts';
import { isAbove } from './plan-changes.ts';
import { presentPayment } from './presenter.ts';
import { priceCentsOf } from './prices.ts';
import { refresh } from './sync.ts';
import { inTurn } from './turns.ts';

/** Each may be the try of a stolen card. */
const ATTEMPTS_PER_HOUR = 30;

type Wish = Omit<PricedWish, 'priceCents'>;

/**
 * Begins a paid plan, or takes a subscriber to the higher one: what the browser needs to pay. Nothing holds before
 * the provider says that it is paid. An attempt that was not paid yet is taken up again when it is the same, and
 * ended otherwise; one that is paid at that moment is the plan. Throws AppError `already_subscribed`, `conflict`, `coupon_…`, `payment_declined`, `payments_unavailable`,
 * `too_many_requests`.
 */
export async function createSubscription(context: Context, user: UserRow, wish: Wish): Promise<PaymentStart> {
  const key = `subscribe:${user.id}`;
  await takeTry(context, { key, limit: ATTEMPTS_PER_HOUR, windowMs: HOUR_MS });
  const priceCents = priceCentsOf(await getTierConfig(context), wish.tier);
  const priced = { ...wish, priceCents };
  return inTurn(context, user.id, async () => {
    const current = await lookAtCurrent(context, user.id);
    if (current && isRunning(current)) return upgrade(context, current, priced);
    const replaced = current?.status === 'incomplete' ? current : undefined;
    const begun = replaced && (await takeUpAgain(context, replaced, priced));
    return presentPayment(
      context,
      begun ?? (await beginSubscription(context, user, { wish: priced, replaced })),
    );
  });
}

async function upgrade(context: Context, current: SubscriptionRow, wish: PricedWish): Promise<PaymentStart> {
  const { tier, priceCents, couponCode } = wish;
  if (!isAbove(tier, current.tier)) throw alreadySubscribed(current);
  if (couponCode !== undefined) throw new AppError('coupon_not_for_changes');
  if (current.status === 'past_due')
    throw new AppError('payment_declined', {
      details: { reason: 'A payment is still open. Please pay it first.' },
    });
  try {
    const id = current.providerSubscriptionId;
    const payment = await context.payments.upgrade(id, { tier, priceCents });
    await refresh(context, current);
    return presentPayment(context, payment);
  } catch (error) {
    // It may have ended, or been paid for, although no answer has come.
    if (isAppError(error)) await refresh(context, current);
    throw error;
  }
}

/** undefined: it is another one, or can no longer be paid. */
async function takeUpAgain(
  { db, payments }: Context,
  begun: SubscriptionRow,
  { tier, priceCents, couponCode }: PricedWish,
): Promise<ProviderPayment | undefined> {
  if (begun.tier !== tier || begun.priceCents !== priceCents) return undefined;
  const coupon = couponCode === undefined ? undefined : await findCoupon(db, couponCode);
  const isSame = couponCode === undefined ? isFullPrice(begun) : coupon?.id === begun.couponId;
  return isSame ? payments.findOpenPayment(begun.providerSubscriptionId) : undefined;
}

/** By the provider, too: of an attempt whose answer was lost we know no coupon. */
function isFullPrice({ couponId, discountPercent, freeUntil }: SubscriptionRow): boolean {
  return couponId === null && discountPercent === 0 && freeUntil === null;
}

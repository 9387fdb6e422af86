import type { PaidTier, PaymentStart } from '../../../../contracts/plans/billing.ts';
import { tierLabel } from '../../../../contracts/plans/tiers.ts';
import { HOUR_MS } from '../../../../contracts/values/durations.ts';
import type { Context } from '../../../context.ts';
import type { SubscriptionRow, UserRow } from '../../../platform/db/schema.ts';
import { transaction } from '../../../platform/db/transaction.ts';
import { requireWithinLimit } from '../../../platform/http/limits/rate-limits.ts';
import { AppError, isAppError } from '../../../platform/lib/app-error.ts';
import { randomId } from '../../../platform/lib/tokens.ts';
import type { ProviderPayment } from '../../../platform/payments/provider.ts';
import { lockAccount, setPaymentCustomer } from '../../accounts/index.ts';
import { getTierConfig } from '../../tiers/index.ts';
import { findCoupon, linkReservation } from '../coupons/coupon-queries.ts';
import { releaseReservation, reserveCoupon } from '../coupons/coupons.ts';
import { isAbove, isRunning, priceCentsOf } from '../plan-rules.ts';
import { insertSubscription } from '../queries.ts';
import { refresh, syncCurrent, syncSubscription } from '../sync/sync.ts';
import { withBillingLock } from './billing-lock.ts';
import { abandonAttempt, enqueueEnd } from './end-subscription.ts';
import { presentPayment } from './subscription-view.ts';

/** Limited because each attempt may test a stolen card. */
const ATTEMPTS_PER_HOUR = 30;

type WantedPlan = Omit<PricedPlan, 'priceCents'>;

/**
 * Starts a paid plan or an upgrade and returns what the browser needs to pay. The plan changes once the provider
 * reports the payment. An unpaid attempt is resumed if it is the same and ended otherwise; if it is paid at that
 * moment, it becomes the plan. Throws AppError `already_subscribed`, `conflict`, `coupon_…`, `payment_declined`,
 * `payments_unavailable`, `too_many_requests`.
 */
export async function createSubscription(
  context: Context,
  user: UserRow,
  wanted: WantedPlan,
): Promise<PaymentStart> {
  const key = `subscribe:${user.id}`;
  await requireWithinLimit(context, { key, limit: ATTEMPTS_PER_HOUR, windowMs: HOUR_MS });
  const priceCents = priceCentsOf(await getTierConfig(context), wanted.tier);
  const priced = { ...wanted, priceCents };
  return withBillingLock(context, user.id, async () => {
    const current = await syncCurrent(context, user.id);
    if (current && isRunning(current)) return upgrade(context, current, priced);
    const replaced = current?.status === 'incomplete' ? current : undefined;
    const begun = replaced && (await resumeAttempt(context, replaced, priced));
    return presentPayment(
      context,
      begun ?? (await beginSubscription(context, user, { wanted: priced, replaced })),
    );
  });
}

async function upgrade(
  context: Context,
  current: SubscriptionRow,
  wanted: PricedPlan,
): Promise<PaymentStart> {
  const { tier, priceCents, couponCode } = wanted;
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
    // The subscription may have ended or been paid for although no response arrived.
    if (isAppError(error)) await refresh(context, current);
    throw error;
  }
}

/** Returns undefined for a different request, or if the attempt can no longer be paid. */
async function resumeAttempt(
  { db, payments }: Context,
  begun: SubscriptionRow,
  { tier, priceCents, couponCode }: PricedPlan,
): Promise<ProviderPayment | undefined> {
  if (begun.tier !== tier || begun.priceCents !== priceCents) return undefined;
  const coupon = couponCode === undefined ? undefined : await findCoupon(db, couponCode);
  const isSame = couponCode === undefined ? isFullPrice(begun) : coupon?.id === begun.couponId;
  return isSame ? payments.findOpenPayment(begun.providerSubscriptionId) : undefined;
}

/** Also checks the provider's discount, because the coupon of an attempt whose response was lost is unknown here. */
function isFullPrice({ couponId, discountPercent, freeUntil }: SubscriptionRow): boolean {
  return couponId === null && discountPercent === 0 && freeUntil === null;
}

type PricedPlan = { tier: PaidTier; couponCode?: string | undefined; priceCents: number };

type Reservation = Awaited<ReturnType<typeof reserveCoupon>>;
type Attempt = {
  /** Identifies the attempt at the provider and, until the subscription exists, its coupon reservation. */
  key: string;
  user: UserRow;
  wanted: PricedPlan;
  reservation: Reservation | undefined;
};

/**
 * Starts a subscription, in place of an unpaid attempt if `replaced` is given. Reserves the coupon before it calls the
 * provider and releases it on failure. Throws AppError `coupon_…`, `payments_unavailable`, `already_subscribed` if the
 * previous attempt was paid in the meantime, `conflict` while it is being paid, and `not_signed_in` if the account was
 * deleted in the meantime.
 */
async function beginSubscription(
  context: Context,
  user: UserRow,
  { wanted, replaced }: { wanted: PricedPlan; replaced: SubscriptionRow | undefined },
): Promise<ProviderPayment> {
  const key = randomId();
  const reservation = await reserve(context, { key, user, wanted });
  const attempt: Attempt = { key, user, wanted, reservation };
  if (replaced) await endReplaced(context, attempt, replaced);
  try {
    return await start(context, attempt);
  } catch (error) {
    if (reservation) await transaction(context.db, (trx) => releaseReservation(trx, key));
    throw error;
  }
}

async function reserve(
  context: Context,
  { key, user, wanted }: Omit<Attempt, 'reservation'>,
): Promise<Reservation | undefined> {
  const { tier, couponCode: code } = wanted;
  if (code === undefined) return undefined;
  return transaction(context.db, async (trx) => {
    const reservation = await reserveCoupon(trx, context, { code, tier, userId: user.id });
    await linkReservation(trx, {
      couponId: reservation.couponId,
      userId: user.id,
      providerSubscriptionId: key,
    });
    return reservation;
  });
}

/**
 * Ends the previous attempt first, because a user with two payable attempts could pay twice. If it has just been paid,
 * it becomes the plan.
 */
async function endReplaced(context: Context, attempt: Attempt, replaced: SubscriptionRow): Promise<void> {
  const { providerSubscriptionId } = replaced;
  let isEnded = false;
  try {
    isEnded = await abandonAttempt(context, providerSubscriptionId);
  } finally {
    if (!isEnded) await releaseOrReturn(context, attempt, replaced);
  }
  if (isEnded) return;
  const row = await syncSubscription(context, providerSubscriptionId);
  throw row && isRunning(row) ? alreadySubscribed(row) : new AppError('conflict');
}

/** The previous attempt continues, so it gets its reservation back. */
async function releaseOrReturn(
  { db }: Context,
  { key, user, reservation }: Attempt,
  { couponId, providerSubscriptionId }: SubscriptionRow,
): Promise<void> {
  if (!reservation) return;
  const tie = { couponId: reservation.couponId, userId: user.id, providerSubscriptionId };
  await transaction(db, (trx) =>
    reservation.couponId === couponId ? linkReservation(trx, tie) : releaseReservation(trx, key),
  );
}

function alreadySubscribed({ tier }: Pick<SubscriptionRow, 'tier'>): AppError {
  return new AppError('already_subscribed', { details: { tier: tierLabel(tier) } });
}

async function start(context: Context, attempt: Attempt): Promise<ProviderPayment> {
  const { payments } = context;
  const { key, user, wanted, reservation } = attempt;
  const { id: userId, email, name, paymentCustomerId } = user;
  const customerId = await payments.ensureCustomer({ userId, email, name, customerId: paymentCustomerId });
  await recordCustomer(context, user, customerId);
  const { subscriptionId, ...payment } = await payments.startSubscription({
    ...{ customerId, key, tier: wanted.tier, priceCents: wanted.priceCents },
    discount: reservation
      ? { percent: reservation.discountPercent, freeMonths: reservation.freeMonths, code: reservation.code }
      : null,
  });
  await insertAttempt(context, attempt, subscriptionId);
  return payment;
}

/** Stored before the subscription starts, because events identify users by customer. */
async function recordCustomer({ db }: Context, user: UserRow, customerId: string): Promise<void> {
  if (user.paymentCustomerId === customerId) return;
  await transaction(db, async (trx) => {
    if (!(await lockAccount(trx, user.id))) throw new AppError('not_signed_in');
    await setPaymentCustomer(trx, user.id, customerId);
  });
}

async function insertAttempt(context: Context, attempt: Attempt, subscriptionId: string): Promise<void> {
  const { db, payments, clock } = context;
  const { user, wanted, reservation } = attempt;
  const now = clock.now();
  const isKept = await transaction(db, async (trx) => {
    if (!(await lockAccount(trx, user.id))) {
      // The account was deleted in the meantime, so nobody will pay.
      await enqueueEnd(trx, subscriptionId);
      return false;
    }
    await insertSubscription(trx, {
      id: randomId(),
      userId: user.id,
      provider: payments.name,
      tier: wanted.tier,
      status: 'incomplete',
      providerSubscriptionId: subscriptionId,
      couponId: reservation?.couponId ?? null,
      priceCents: wanted.priceCents,
      discountPercent: reservation?.discountPercent ?? 0,
      createdAt: now,
      updatedAt: now,
    });
    if (reservation) {
      const { couponId } = reservation;
      await linkReservation(trx, { couponId, userId: user.id, providerSubscriptionId: subscriptionId });
    }
    return true;
  });
  if (!isKept) throw new AppError('not_signed_in');
}

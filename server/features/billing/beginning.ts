import type { PaidTier } from '../../../contracts/plans/billing.ts';
import { tierLabel } from '../../../contracts/plans/tiers.ts';
import type { Context } from '../../context.ts';
import type { SubscriptionRow, UserRow } from '../../platform/db/schema.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { AppError } from '../../platform/lib/app-error.ts';
import { randomId } from '../../platform/lib/tokens.ts';
import type { ProviderPayment } from '../../platform/payments/provider.ts';
import { lockAccount, setPaymentCustomer } from '../accounts/index.ts';
import { giveHoldBack, holdCoupon, tieHold } from './coupons.ts';
import { abandonAttempt, enqueueEnd } from './ending.ts';
import { isRunning } from './entitlement.ts';
import { insertSubscription } from './queries.ts';
import { syncSubscription } from './sync.ts';

export type PricedWish = { tier: PaidTier; couponCode?: string | undefined; priceCents: number };

type Hold = Awaited<ReturnType<typeof holdCoupon>>;
type Attempt = {
  /** Names the attempt at the provider and, until that has begun it, the use of the coupon. */
  key: string;
  user: UserRow;
  wish: PricedWish;
  hold: Hold | undefined;
};

/**
 * Begins a subscription in place of an attempt that was never paid. The use of the coupon is taken before anything
 * is said to the provider, and given back when it comes to nothing. Throws AppError `coupon_…`,
 * `payments_unavailable`, `already_subscribed` when the former attempt is paid meanwhile, `conflict` while it is
 * being paid, and `not_signed_in` when the account is deleted meanwhile.
 */
export async function beginSubscription(
  context: Context,
  user: UserRow,
  { wish, replaced }: { wish: PricedWish; replaced: SubscriptionRow | undefined },
): Promise<ProviderPayment> {
  const key = randomId();
  const hold = await takeHold(context, { key, user, wish });
  const attempt: Attempt = { key, user, wish, hold };
  if (replaced) await endReplaced(context, attempt, replaced);
  try {
    return await start(context, attempt);
  } catch (error) {
    if (hold) await transaction(context.db, (trx) => giveHoldBack(trx, key));
    throw error;
  }
}

async function takeHold(
  context: Context,
  { key, user, wish }: Omit<Attempt, 'hold'>,
): Promise<Hold | undefined> {
  const { tier, couponCode: code } = wish;
  if (code === undefined) return undefined;
  return transaction(context.db, async (trx) => {
    const hold = await holdCoupon(trx, context, { code, tier, userId: user.id });
    await tieHold(trx, { couponId: hold.couponId, userId: user.id, providerSubscriptionId: key });
    return hold;
  });
}

/**
 * Only then the next begins: one that could still be paid beside it would be paid twice. When it has just been
 * paid, that is the plan.
 */
async function endReplaced(context: Context, attempt: Attempt, replaced: SubscriptionRow): Promise<void> {
  const { providerSubscriptionId } = replaced;
  let isEnded = false;
  try {
    isEnded = await abandonAttempt(context, providerSubscriptionId);
  } finally {
    if (!isEnded) await giveBackOrReturn(context, attempt, replaced);
  }
  if (isEnded) return;
  const row = await syncSubscription(context, providerSubscriptionId);
  throw row && isRunning(row) ? alreadySubscribed(row) : new AppError('conflict');
}

/** The attempt before goes on: a use that was its own is so again. */
async function giveBackOrReturn(
  { db }: Context,
  { key, user, hold }: Attempt,
  { couponId, providerSubscriptionId }: SubscriptionRow,
): Promise<void> {
  if (!hold) return;
  const tie = { couponId: hold.couponId, userId: user.id, providerSubscriptionId };
  await transaction(db, (trx) => (hold.couponId === couponId ? tieHold(trx, tie) : giveHoldBack(trx, key)));
}

export function alreadySubscribed({ tier }: Pick<SubscriptionRow, 'tier'>): AppError {
  return new AppError('already_subscribed', { details: { tier: tierLabel(tier) } });
}

async function start(context: Context, attempt: Attempt): Promise<ProviderPayment> {
  const { payments } = context;
  const { key, user, wish, hold } = attempt;
  const { id: userId, email, name, paymentCustomerId } = user;
  const customerId = await payments.ensureCustomer({ userId, email, name, customerId: paymentCustomerId });
  await noteCustomer(context, user, customerId);
  const { subscriptionId, ...payment } = await payments.startSubscription({
    ...{ customerId, key, tier: wish.tier, priceCents: wish.priceCents },
    discount: hold ? { percent: hold.discountPercent, freeMonths: hold.freeMonths, code: hold.code } : null,
  });
  await keepAttempt(context, attempt, subscriptionId);
  return payment;
}

/** Before anything is begun: an event tells whose it is by the customer. */
async function noteCustomer({ db }: Context, user: UserRow, customerId: string): Promise<void> {
  if (user.paymentCustomerId === customerId) return;
  await transaction(db, async (trx) => {
    if (!(await lockAccount(trx, user.id))) throw new AppError('not_signed_in');
    await setPaymentCustomer(trx, user.id, customerId);
  });
}

async function keepAttempt(context: Context, attempt: Attempt, subscriptionId: string): Promise<void> {
  const { db, payments, clock } = context;
  const { user, wish, hold } = attempt;
  const now = clock.now();
  const isKept = await transaction(db, async (trx) => {
    if (!(await lockAccount(trx, user.id))) {
      // Deleted meanwhile: nobody will pay it.
      await enqueueEnd(trx, subscriptionId);
      return false;
    }
    await insertSubscription(trx, {
      id: randomId(),
      userId: user.id,
      provider: payments.name,
      tier: wish.tier,
      status: 'incomplete',
      providerSubscriptionId: subscriptionId,
      couponId: hold?.couponId ?? null,
      priceCents: wish.priceCents,
      discountPercent: hold?.discountPercent ?? 0,
      createdAt: now,
      updatedAt: now,
    });
    if (hold) {
      const { couponId } = hold;
      await tieHold(trx, { couponId, userId: user.id, providerSubscriptionId: subscriptionId });
    }
    return true;
  });
  if (!isKept) throw new AppError('not_signed_in');
}

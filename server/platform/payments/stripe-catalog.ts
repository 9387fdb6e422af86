import { createHash } from 'node:crypto';
import type Stripe from 'stripe';
import { PAID_TIERS, type PaidTier } from '../../../contracts/plans/billing.ts';
import { isAlreadyThere, isMissing } from './stripe-errors.ts';

export type PlanWish = { tier: PaidTier; priceCents: number };

const PRODUCT_NAMES: Record<PaidTier, string> = { pro: 'Sendwell Pro', premium: 'Sendwell Premium' };

/** The tier that a product stands for; undefined for another shop's product on the same account. */
export function tierOfProduct(product: string | { id: string }): PaidTier | undefined {
  const id = typeof product === 'string' ? product : product.id;
  return PAID_TIERS.find((tier) => productId(tier) === id);
}

/**
 * The monthly price of a plan, made when there is none. Prices never change at Stripe, so the amount is part
 * of its key: after a change in the configuration the next look finds none and makes another.
 */
export async function findOrCreatePrice(stripe: Stripe, { tier, priceCents }: PlanWish): Promise<string> {
  const lookupKey = `sendwell_${tier}_${priceCents}`;
  const { data } = await stripe.prices.list({ lookup_keys: [lookupKey], limit: 1 });
  const known = data[0];
  const isRight = known?.active && known.unit_amount === priceCents && tierOfProduct(known.product) === tier;
  if (isRight) return known.id;
  await ensureProduct(stripe, tier);
  const price = await stripe.prices.create(
    {
      product: productId(tier),
      currency: 'usd',
      unit_amount: priceCents,
      recurring: { interval: 'month' },
      lookup_key: lookupKey,
      transfer_lookup_key: true,
      metadata: { tier },
    },
    // Two first subscribers at once make one; one that was put away at Stripe is followed by another.
    { idempotencyKey: `price:${lookupKey}:${known?.id ?? ''}` },
  );
  return price.id;
}

/**
 * A coupon that takes a percentage off each charge of one plan, named for people as ours is. It applies to that
 * plan's product only: after an upgrade nothing is taken off, also of the upgrade's own invoice.
 */
export async function ensureCoupon(
  stripe: Stripe,
  { code, percent, tier }: { code: string; percent: number; tier: PaidTier },
): Promise<string> {
  // Codes may hold any character, Stripe's ids may not.
  const id = `sendwell_${tier}_${percent}_${createHash('sha256').update(code).digest('hex').slice(0, 24)}`;
  try {
    return (await stripe.coupons.retrieve(id)).id;
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  await unlessThere(
    stripe.coupons.create({
      id,
      percent_off: percent,
      duration: 'forever',
      name: code.slice(0, 40),
      applies_to: { products: [productId(tier)] },
    }),
  );
  return id;
}

async function ensureProduct(stripe: Stripe, tier: PaidTier): Promise<void> {
  try {
    await stripe.products.retrieve(productId(tier));
  } catch (error) {
    if (!isMissing(error)) throw error;
    await unlessThere(
      stripe.products.create({ id: productId(tier), name: PRODUCT_NAMES[tier], metadata: { tier } }),
    );
  }
}

function productId(tier: PaidTier): string {
  return `sendwell_${tier}`;
}

async function unlessThere(creation: Promise<unknown>): Promise<void> {
  try {
    await creation;
  } catch (error) {
    if (!isAlreadyThere(error)) throw error;
  }
}

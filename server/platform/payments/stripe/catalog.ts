import { createHash } from 'node:crypto';
import type Stripe from 'stripe';
import { PAID_TIERS, type PaidTier } from '../../../../contracts/plans/billing.ts';
import { isExisting, isMissing } from './errors.ts';
import { idOf } from './references.ts';

export type Plan = { tier: PaidTier; priceCents: number };

const PRODUCT_NAMES: Record<PaidTier, string> = { pro: 'Sendwell Pro', premium: 'Sendwell Premium' };

/** The tier of one of our products; undefined for a product of another shop on the same Stripe account. */
export function tierOfProduct(product: string | { id: string }): PaidTier | undefined {
  return PAID_TIERS.find((tier) => productId(tier) === idOf(product));
}

/**
 * The monthly price of a plan. Prices are immutable at Stripe, so the amount is part of the lookup key: after a change
 * of the configuration no price is found, and a new one is created.
 */
export async function findOrCreatePrice(stripe: Stripe, { tier, priceCents }: Plan): Promise<string> {
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
    // Two first subscribers at once create one price. A price that was archived at Stripe gets a successor.
    { idempotencyKey: `price:${lookupKey}:${known?.id ?? ''}` },
  );
  return price.id;
}

/**
 * A coupon that takes a percentage off each charge of one plan. It applies to that plan's product only, so that
 * nothing is taken off after an upgrade, nor from the invoice of the upgrade.
 */
export async function ensureCoupon(
  stripe: Stripe,
  { code, percent, tier }: { code: string; percent: number; tier: PaidTier },
): Promise<string> {
  // Our codes may contain any character, Stripe's ids may not.
  const id = `sendwell_${tier}_${percent}_${createHash('sha256').update(code).digest('hex').slice(0, 24)}`;
  try {
    return (await stripe.coupons.retrieve(id)).id;
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  await ignoreExisting(
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
    await ignoreExisting(
      stripe.products.create({ id: productId(tier), name: PRODUCT_NAMES[tier], metadata: { tier } }),
    );
  }
}

function productId(tier: PaidTier): string {
  return `sendwell_${tier}`;
}

async function ignoreExisting(creation: Promise<unknown>): Promise<void> {
  try {
    await creation;
  } catch (error) {
    if (!isExisting(error)) throw error;
  }
}

import { createHash } from 'node:crypto';
import type Stripe from 'stripe';
import { PAID_TIERS, type PaidTier } from '../../../../contracts/plans/billing.ts';
import { isExisting, isMissing } from './errors.ts';
import { idOf } from './references.ts';

export type Plan = { tier: PaidTier; priceCents: number };

const PRODUCT_NAMES: Record<PaidTier, string> = { pro: 'Sendwell Pro', premium: 'Sendwell Premium' };

/** Undefined for a product of another shop on the same Stripe account. */
export function tierOfProduct(product: string | { id: string }): PaidTier | undefined {
  return PAID_TIERS.find((tier) => productId(tier) === idOf(product));
}

/** Prices are immutable at Stripe, so the lookup key includes the amount. */
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
    // Concurrent calls create one price. An archived price gets a successor.
    { idempotencyKey: `price:${lookupKey}:${known?.id ?? ''}` },
  );
  return price.id;
}

/** Applies to the plan's product only, so that an upgrade is not discounted. */
export async function ensureCoupon(
  stripe: Stripe,
  { code, percent, tier }: { code: string; percent: number; tier: PaidTier },
): Promise<string> {
  // Our codes may contain characters that Stripe's ids may not.
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

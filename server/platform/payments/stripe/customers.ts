import type Stripe from 'stripe';
import { isMissing } from './errors.ts';

/**
 * The customer of a user. The key holds no e-mail address, so that a changed one does not clash with an
 * earlier call; name and address are written in a second request, which also keeps known customers up to date.
 */
export async function ensureCustomer(
  stripe: Stripe,
  {
    userId,
    customerId,
    ...person
  }: { userId: string; email: string; name: string; customerId: string | null },
): Promise<string> {
  if (customerId !== null && (await update(stripe, customerId, person))) return customerId;
  // One of a former account at Stripe, or of the demo, is replaced; it is part of the key for that reason.
  const { id } = await stripe.customers.create(
    { metadata: { userId } },
    { idempotencyKey: `customer:${userId}:${customerId ?? ''}` },
  );
  await update(stripe, id, person);
  return id;
}

/** False when there is no such customer. */
async function update(stripe: Stripe, id: string, person: { email: string; name: string }): Promise<boolean> {
  try {
    await stripe.customers.update(id, person);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

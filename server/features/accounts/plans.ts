import type { Trx } from '../../platform/db/open.ts';
import type { Tier } from '../../platform/db/schema.ts';
import { updateUser } from './queries.ts';

/** Which plan a user is on, and which subscription pays for it; call it while the transaction holds the user. */
export async function setPlan(
  trx: Trx,
  userId: string,
  plan: { tier: Tier; paymentSubscriptionId: string | null },
): Promise<void> {
  await updateUser(trx, userId, plan);
}

/** Under which name the payment provider knows a user; call it while the transaction holds the user. */
export async function setPaymentCustomer(trx: Trx, userId: string, customerId: string): Promise<void> {
  await updateUser(trx, userId, { paymentCustomerId: customerId });
}

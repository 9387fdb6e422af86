import type { Trx } from '../../platform/db/open.ts';
import type { Tier, UserRow } from '../../platform/db/schema.ts';
import { lockUser, updateUser } from './queries.ts';

/** Holds whose plan it is until the transaction ends; undefined for a deleted account. */
export function lockSubscriber(trx: Trx, userId: string): Promise<UserRow | undefined> {
  return lockUser(trx, userId);
}

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

import { confirmDemoPayment, createSubscription, type PaidTier } from '../../contracts/plans/billing.ts';
import type { Client } from '../calls/client.ts';

const GOOD_CARD = '4242 4242 4242 4242';
export const DECLINED_CARD = '4000 0000 0000 0002';
/** Is accepted at first and declined at the renewal. */
export const LATER_DECLINED_CARD = '4000 0000 0000 0341';

export function payDemo(client: Client, clientSecret: string, cardNumber = GOOD_CARD) {
  const body = { clientSecret, cardNumber, expiry: '12/39', cvc: '123' };
  return client.call(confirmDemoPayment, { body });
}

export async function subscribe(
  client: Client,
  wish: { tier: PaidTier; couponCode?: string },
  card = GOOD_CARD,
) {
  const start = await client.call(createSubscription, { body: wish });
  await payDemo(client, start.clientSecret, card);
  return start;
}

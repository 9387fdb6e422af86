import assert from 'node:assert/strict';
import test from 'node:test';
import { cancelSubscription, createSubscription } from '../../../contracts/plans/billing.ts';
import { createCoupon } from '../../../testing/payments/coupons.ts';
import { CARDS, passDays, subscribe } from '../../../testing/payments/subscriptions.ts';
import { startTestServer } from '../../../testing/test-context.ts';
import { computeMonthlyRevenueCents } from './revenue.ts';

test('monthly revenue sums running subscriptions in cents after discounts, without free, unpaid and ended ones', async (t) => {
  const server = await startTestServer(t);
  const revenue = () => computeMonthlyRevenueCents(server.context);
  const [frida, paula, prem, ada] = [
    await server.signIn('frida'),
    await server.signIn('paula'),
    await server.signIn('prem'),
    await server.signIn('ada'),
  ];
  assert.equal(await revenue(), 0, 'tiers assigned by an administrator are not paid for');
  await subscribe(frida, { tier: 'premium' });
  await frida.call(cancelSubscription);
  assert.equal(await revenue(), 2499, 'a cancelled subscription counts until its period ends');
  await createCoupon(server.context, { discountPercent: 50 });
  await subscribe(paula, { tier: 'pro', couponCode: 'HALF', card: CARDS.failsLater });
  assert.equal(await revenue(), 2499 + 500);
  await createCoupon(server.context, { code: 'FREE', freeMonths: 1, discountPercent: 0 });
  await subscribe(prem, { tier: 'pro', couponCode: 'FREE' });
  await ada.call(createSubscription, { body: { tier: 'premium' } });
  assert.equal(await revenue(), 2499 + 500, 'free months and attempts bring nothing');
  await passDays(server, 30);
  assert.equal(await revenue(), 500 + 999, 'one is over, one owes within grace, one pays for the first time');
  await passDays(server, 7);
  assert.equal(await revenue(), 999);
});

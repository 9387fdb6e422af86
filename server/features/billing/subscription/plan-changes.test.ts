import assert from 'node:assert/strict';
import test from 'node:test';
import {
  cancelSubscription,
  changeSubscription,
  createSubscription,
  getSubscription,
  listInvoices,
  resumeSubscription,
} from '../../../../contracts/plans/billing.ts';
import { DAY_MS } from '../../../../contracts/values/durations.ts';
import { createCoupon } from '../../../../testing/payments/coupons.ts';
import {
  breakPayments,
  CARDS,
  mailKinds,
  passDays,
  subscribe,
  tierOf,
} from '../../../../testing/payments/subscriptions.ts';
import { startTestServer } from '../../../../testing/test-context.ts';
import { AppError } from '../../../platform/lib/app-error.ts';

const TO_PRO = { body: { tier: 'pro' } };
const TO_PREMIUM = { body: { tier: 'premium' } };

test('an upgrade applies immediately and charges the known card for the rest of the period only', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  const { renewsAt } = await subscribe(frida, { tier: 'pro' });
  await passDays(server, 15);
  const start = await frida.call(createSubscription, TO_PREMIUM);
  assert.deepEqual([start.clientSecret, start.dueCents], ['', 0], 'nothing is left to confirm');
  assert.equal(await tierOf(frida), 'premium');
  const upgraded = await frida.call(getSubscription);
  assert.deepEqual([upgraded.tier, upgraded.nextChargeCents, upgraded.renewsAt], ['premium', 2499, renewsAt]);
  assert.deepEqual(
    (await frida.call(listInvoices)).map(({ amountCents, status }) => [amountCents, status]),
    [
      [750, 'paid'],
      [999, 'paid'],
    ],
  );
  assert.deepEqual(await mailKinds(server), ['payment-receipt', 'payment-receipt']);
});

test('of parallel upgrades one succeeds', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  await subscribe(frida, { tier: 'pro' });
  const results = await Promise.allSettled([1, 2, 3].map(() => frida.call(createSubscription, TO_PREMIUM)));
  assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1);
  for (const result of results)
    if (result.status === 'rejected') assert.equal(result.reason.code, 'already_subscribed');
  assert.equal((await frida.call(listInvoices)).length, 2);
});

test('an upgrade whose card is declined changes nothing', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  const before = await subscribe(frida, { tier: 'pro', card: CARDS.failsLater });
  await assert.rejects(frida.call(createSubscription, TO_PREMIUM), { code: 'payment_declined', status: 402 });
  assert.deepEqual(await frida.call(getSubscription), before);
  assert.equal((await frida.call(listInvoices)).length, 1);
});

test('a paid upgrade applies even if its response was lost', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  await subscribe(frida, { tier: 'pro' });
  const { payments } = server.context;
  const { upgrade } = payments;
  payments.upgrade = async (...wish) => {
    await upgrade(...wish);
    throw new AppError('payments_unavailable');
  };
  await assert.rejects(frida.call(createSubscription, TO_PREMIUM), { code: 'payments_unavailable' });
  assert.equal(await tierOf(frida), 'premium');
});

test('a change whose result cannot be fetched immediately is synced later', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  await subscribe(frida, { tier: 'pro' });
  const { payments } = server.context;
  const { upgrade } = payments;
  let restore = () => {};
  payments.upgrade = async (...wish) => {
    const answer = await upgrade(...wish);
    restore = breakPayments(server, 'findSubscription');
    return answer;
  };
  await frida.call(createSubscription, TO_PREMIUM);
  assert.equal(await tierOf(frida), 'pro');
  restore();
  await server.drainJobs();
  assert.equal(await tierOf(frida), 'premium');
});

test('a downgrade starts with the next period at its price; choosing the current plan cancels it', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  const before = await subscribe(frida, { tier: 'premium' });
  const lower = await frida.call(changeSubscription, TO_PRO);
  assert.deepEqual([lower.tier, lower.scheduledTier, lower.nextChargeCents], ['premium', 'pro', 999]);
  assert.deepEqual(await frida.call(changeSubscription, TO_PRO), lower, 'scheduling it twice has no effect');
  assert.deepEqual(await frida.call(changeSubscription, TO_PREMIUM), before);
  assert.deepEqual(await frida.call(changeSubscription, TO_PREMIUM), before);
  await frida.call(changeSubscription, TO_PRO);
  await passDays(server, 29);
  assert.equal(await tierOf(frida), 'premium', 'it is paid for');
  await passDays(server, 1);
  assert.equal(await tierOf(frida), 'pro');
  const [invoice] = await frida.call(listInvoices);
  assert.equal(invoice!.amountCents, 999);
  assert.equal((await frida.call(getSubscription)).scheduledTier, null);
  await frida.call(createSubscription, TO_PREMIUM);
  assert.equal(await tierOf(frida), 'premium', 'and up again');
});

test('a higher plan requires a payment, and changing a plan requires a subscription', async (t) => {
  const server = await startTestServer(t);
  const [frida, paula] = [await server.signIn('frida'), await server.signIn('paula')];
  await subscribe(frida, { tier: 'pro' });
  await assert.rejects(frida.call(changeSubscription, TO_PREMIUM), {
    message: '400: A higher plan begins with a payment.',
  });
  for (const [call, input] of [
    [changeSubscription, TO_PRO],
    [cancelSubscription, {}],
    [resumeSubscription, {}],
  ] as const)
    await assert.rejects(paula.call(call, input), { code: 'no_subscription', status: 404 });
});

test('canceling undoes a scheduled downgrade, and a scheduled downgrade undoes a cancellation', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  await subscribe(frida, { tier: 'premium' });
  await frida.call(changeSubscription, TO_PRO);
  const cancelled = await frida.call(cancelSubscription);
  assert.deepEqual([cancelled.scheduledTier, cancelled.cancelAtPeriodEnd], [null, true]);
  const lower = await frida.call(changeSubscription, TO_PRO);
  assert.deepEqual([lower.scheduledTier, lower.cancelAtPeriodEnd], ['pro', false]);
});

test('an upgrade resumes a cancelled plan and drops the coupon of the lower plan', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  await createCoupon(server.context);
  await subscribe(frida, { tier: 'pro', couponCode: 'HALF' });
  await frida.call(cancelSubscription);
  await frida.call(createSubscription, TO_PREMIUM);
  const upgraded = await frida.call(getSubscription);
  assert.equal(upgraded.discountPercent, 0);
  assert.deepEqual([upgraded.cancelAtPeriodEnd, upgraded.nextChargeCents], [false, 2499]);
});

test('a coupon for the higher plan does not discount the lower plan that follows', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  await createCoupon(server.context, { tier: 'premium', discountPercent: 100 });
  assert.equal((await subscribe(frida, { tier: 'premium', couponCode: 'HALF' })).nextChargeCents, 0);
  const lower = await frida.call(changeSubscription, TO_PRO);
  assert.deepEqual([lower.discountPercent, lower.nextChargeCents], [100, 999]);
  assert.equal((await frida.call(changeSubscription, TO_PREMIUM)).nextChargeCents, 0);
  await frida.call(changeSubscription, TO_PRO);
  await passDays(server, 30);
  assert.deepEqual(
    (await frida.call(listInvoices)).map(({ amountCents }) => amountCents),
    [999],
  );
});

test('a cancellation during renewal applies to the new period; an ended plan cannot be resumed', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  await subscribe(frida, { tier: 'pro' });
  await passDays(server, 29);
  server.clock.advance(2 * DAY_MS);
  const cancelled = await frida.call(cancelSubscription);
  assert.deepEqual([cancelled.cancelAtPeriodEnd, cancelled.renewsAt], [true, '2027-01-15T12:00:00.000Z']);
  assert.equal((await frida.call(listInvoices)).length, 2);
  const { payments } = server.context;
  const { setCancelAtPeriodEnd, end } = payments;
  payments.setCancelAtPeriodEnd = async (id, isCancelled) => {
    // The subscription ends between the sync and the change.
    await end(id);
    return setCancelAtPeriodEnd(id, isCancelled);
  };
  await assert.rejects(frida.call(resumeSubscription), { code: 'no_subscription' });
  assert.equal(await tierOf(frida), 'free');
});

test('while the provider is down changes are refused with one sentence and have no effect', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  const before = await subscribe(frida, { tier: 'premium' });
  for (const method of ['findSubscription', 'setCancelAtPeriodEnd', 'schedule'] as const) {
    const restore = breakPayments(server, method);
    const [call, input] = method === 'schedule' ? [changeSubscription, TO_PRO] : [cancelSubscription, {}];
    await assert.rejects(frida.call(call, input), {
      message: '503: The payment provider is not responding. Please try again.',
    });
    assert.deepEqual(await frida.call(getSubscription), before);
    restore();
  }
});

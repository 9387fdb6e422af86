import assert from 'node:assert/strict';
import { test } from 'node:test';
import type Stripe from 'stripe';
import { onlyInAll } from '../../../../testing/only-in-all.ts';
import type { ProviderStatus } from '../provider.ts';
import {
  amounts,
  ensureCustomer,
  look,
  PREMIUM,
  PRO,
  rejectsAs,
  subscribe,
} from '../suite/bench.fixtures.ts';
import { openStripeBench } from './bench.fixtures.ts';
import { openStripePayments } from './provider.ts';

test('a Stripe that fails, is silent, refuses the key or is not there is payments_unavailable', async (t) => {
  const bench = await openStripeBench(t, { timeoutMs: 100 });
  const { subscriptionId } = await subscribe(bench);
  const { clock, fake, payments } = bench;
  const ask = () => payments.findSubscription(subscriptionId);
  for (const state of ['failing', 'silent'] as const) {
    fake.state = state;
    await rejectsAs('payments_unavailable', ask());
    await rejectsAs('payments_unavailable', payments.upgrade(subscriptionId, PREMIUM));
  }
  fake.state = 'well';
  assert.equal((await ask())?.status, 'active');
  const stranger = openStripePayments({ ...fake.config, secretKey: 'sk_test_revoked' }, { clock });
  await rejectsAs('payments_unavailable', ensureCustomer({ ...bench, payments: stranger }));
  await fake.stop();
  await rejectsAs('payments_unavailable', ask());
});

test('a beginning whose answer is lost on the way begins one', onlyInAll, async (t) => {
  for (const kind of ['customers', 'products', 'prices', 'coupons', 'subscriptions']) {
    const bench = await openStripeBench(t);
    const { fake } = bench;
    fake.loseAnswerTo = ({ method, path }) => method === 'POST' && path === `/v1/${kind}`;
    const discount = { percent: 20, freeMonths: 0, code: 'TWENTY' };
    const { subscriptionId } = await subscribe(bench, { ...PRO, discount });
    assert.equal(fake.loseAnswerTo, undefined);
    assert.equal((await look(bench, subscriptionId)).status, 'active');
    for (const made of ['customer', 'product', 'price', 'coupon', 'subscription', 'charge'] as const)
      assert.equal(fake.account.list(made).length, 1, `${made} when the answer of ${kind} was lost`);
  }
});

test('a change whose answer is lost on the way is done once', onlyInAll, async (t) => {
  const bench = await openStripeBench(t);
  const { fake, payments } = bench;
  const { subscriptionId: id, customerId } = await subscribe(bench);
  const changes = [
    () => payments.upgrade(id, PREMIUM),
    () => payments.schedule(id, PRO),
    () => payments.schedule(id, null),
    () => payments.setCancelAtPeriodEnd(id, true),
    () => payments.end(id),
  ];
  for (const change of changes) {
    fake.loseAnswerTo = ({ method, path }) => method !== 'GET' && /subscription/.test(path);
    await change();
    assert.equal(fake.loseAnswerTo, undefined);
  }
  const { status, tier } = await look(bench, id);
  assert.deepEqual([status, tier], ['ended', 'premium']);
  assert.deepEqual(await amounts(bench, customerId), ['paid 1500', 'paid 999']);
});

test("each of Stripe's words for how a subscription stands has its meaning here", async (t) => {
  const bench = await openStripeBench(t);
  const { subscriptionId } = await subscribe(bench);
  const meanings: [Stripe.Subscription.Status, ProviderStatus][] = [
    ['active', 'active'],
    ['trialing', 'trialing'],
    ['past_due', 'past_due'],
    ['unpaid', 'past_due'],
    ['paused', 'incomplete'],
    ['incomplete', 'incomplete'],
    ['incomplete_expired', 'ended'],
    ['canceled', 'ended'],
  ];
  for (const [word, meaning] of meanings) {
    bench.fake.account.rewrite = (object) =>
      object.object === 'subscription' ? { ...object, status: word } : object;
    const { status, failedAt, endedAt } = await look(bench, subscriptionId);
    assert.deepEqual(
      [status, failedAt !== null, endedAt !== null],
      [meaning, meaning === 'past_due', meaning === 'ended'],
      word,
    );
  }
});

test("another shop's subscription on the same account is none of ours", async (t) => {
  const bench = await openStripeBench(t);
  const { subscriptionId, customerId } = await subscribe(bench);
  bench.fake.account.rewrite = (object) =>
    object.object === 'price' ? { ...object, product: 'prod_of_another_shop' } : object;
  assert.equal(await bench.payments.findSubscription(subscriptionId), undefined);
  assert.deepEqual(await bench.payments.listInvoices(customerId), []);
});

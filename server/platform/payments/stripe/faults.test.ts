import assert from 'node:assert/strict';
import { test } from 'node:test';
import type Stripe from 'stripe';
import { onlyInAll } from '../../../../testing/lib/only-in-all.ts';
import type { ProviderStatus } from '../provider.ts';
import { WAITING } from '../suite/attempts.suite.ts';
import {
  amounts,
  begin,
  ensureCustomer,
  GOOD_CARD,
  getSubscription,
  PREMIUM,
  PRO,
  rejectsAs,
  subscribe,
} from '../suite/bench.fixtures.ts';
import { openStripeBench } from './bench.fixtures.ts';
import { openStripePayments } from './provider.ts';

test('payments_unavailable if Stripe fails, is silent, refuses the key or is not there', async (t) => {
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

test('a start whose response is lost starts one subscription', onlyInAll, async (t) => {
  for (const kind of ['customers', 'products', 'prices', 'coupons', 'subscriptions']) {
    const bench = await openStripeBench(t);
    const { fake } = bench;
    fake.loseAnswerTo = ({ method, path }) => method === 'POST' && path === `/v1/${kind}`;
    const discount = { percent: 20, freeMonths: 0, code: 'TWENTY' };
    const { subscriptionId } = await subscribe(bench, { ...PRO, discount });
    assert.equal(fake.loseAnswerTo, undefined);
    assert.equal((await getSubscription(bench, subscriptionId)).status, 'active');
    for (const made of ['customer', 'product', 'price', 'coupon', 'subscription', 'charge'] as const)
      assert.equal(fake.account.list(made).length, 1, `${made} when the answer of ${kind} was lost`);
  }
});

test('a change whose response is lost is made once', onlyInAll, async (t) => {
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
  const { status, tier } = await getSubscription(bench, id);
  assert.deepEqual([status, tier], ['ended', 'premium']);
  assert.deepEqual(await amounts(bench, customerId), ['paid 1500', 'paid 999']);
});

test('each status of Stripe has its meaning here', async (t) => {
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
    const { status, failedAt, endedAt } = await getSubscription(bench, subscriptionId);
    assert.deepEqual(
      [status, failedAt !== null, endedAt !== null],
      [meaning, meaning === 'past_due', meaning === 'ended'],
      word,
    );
  }
});

test("another shop's subscription on the same account is not found", async (t) => {
  const bench = await openStripeBench(t);
  const { subscriptionId, customerId } = await subscribe(bench);
  bench.fake.account.rewrite = (object) =>
    object.object === 'price' ? { ...object, product: 'prod_of_another_shop' } : object;
  assert.equal(await bench.payments.findSubscription(subscriptionId), undefined);
  assert.deepEqual(await bench.payments.listInvoices(customerId), []);
});

for (const [what, wish] of WAITING) {
  test(`a customer who confirms ${what} between any two requests of abandoning wins, or is refused`, async (t) => {
    const outcomes = new Set<boolean>();
    let steps = Number.POSITIVE_INFINITY;
    for (let step = 0; step < steps; step += 1) {
      const bench = await openStripeBench(t);
      const { fake, payments } = bench;
      const begun = await begin(bench, wish);
      let asked = 0;
      let isConfirmed = false;
      fake.beforeRequest = () => {
        if (asked === step) isConfirmed = tryToConfirm(() => fake.confirm(begun.clientSecret, GOOD_CARD));
        asked += 1;
      };
      const isEnded = await payments.abandon(begun.subscriptionId);
      fake.beforeRequest = undefined;
      assert.equal(isEnded, !isConfirmed, `step ${step}`);
      assert.equal(
        (await getSubscription(bench, begun.subscriptionId)).status === 'ended',
        isEnded,
        `step ${step}`,
      );
      const isPaid = (await amounts(bench, begun.customerId)).some((invoice) => invoice.startsWith('paid'));
      assert.ok(!(isPaid && isEnded));
      outcomes.add(isConfirmed);
      if (isEnded) steps = asked;
    }
    assert.deepEqual(outcomes, new Set([true, false]));
  });

  test(`abandoning an attempt that waits for ${what} can be repeated after a lost response or a crash`, async (t) => {
    for (const lost of [/void$|setup_intents/, /subscriptions/]) {
      const bench = await openStripeBench(t);
      const { subscriptionId } = await begin(bench, wish);
      bench.fake.loseAnswerTo = ({ method, path }) => method !== 'GET' && lost.test(path);
      assert.equal(await bench.payments.abandon(subscriptionId), true);
      assert.equal(bench.fake.loseAnswerTo, undefined);
    }
    const bench = await openStripeBench(t);
    const { subscriptionId } = await begin(bench, wish);
    bench.fake.beforeRequest = ({ method }) => {
      if (method === 'DELETE') bench.fake.state = 'failing';
    };
    await rejectsAs('payments_unavailable', bench.payments.abandon(subscriptionId));
    bench.fake.beforeRequest = undefined;
    bench.fake.state = 'well';
    assert.equal((await getSubscription(bench, subscriptionId)).status, 'incomplete');
    assert.equal(await bench.payments.abandon(subscriptionId), true);
    assert.equal((await getSubscription(bench, subscriptionId)).status, 'ended');
  });
}

function tryToConfirm(confirm: () => void): boolean {
  try {
    confirm();
    return true;
  } catch {
    return false;
  }
}

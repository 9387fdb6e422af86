import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS } from '../../../../contracts/values/durations.ts';
import { addMonths } from '../calculations.ts';
import {
  amounts,
  begin,
  GOOD_CARD,
  getSubscription,
  LATER_DECLINED_CARD,
  type OpenBench,
  PRO,
  rejectsAs,
  subscribe,
} from './bench.fixtures.ts';

const MONTH_AND_A_BIT = 32 * DAY_MS;

export function testRenewals(openBench: OpenBench): void {
  test('a subscription renews each month', async (t) => {
    const bench = await openBench(t);
    const now = bench.clock.now();
    const { subscriptionId, customerId } = await subscribe(bench);
    await bench.pass(MONTH_AND_A_BIT);
    const { status, periodStartsAt, periodEndsAt } = await getSubscription(bench, subscriptionId);
    assert.equal(status, 'active');
    assert.deepEqual([periodStartsAt, periodEndsAt], [addMonths(now, 1), addMonths(now, 2)]);
    assert.deepEqual(await amounts(bench, customerId), ['paid 999', 'paid 999']);
    const [latest] = await bench.payments.listInvoices(customerId);
    assert.deepEqual([latest!.periodStartsAt, latest!.periodEndsAt], [addMonths(now, 1), addMonths(now, 2)]);
  });

  test('a subscription renews for several months without being read', async (t) => {
    const bench = await openBench(t);
    const { subscriptionId, customerId } = await subscribe(bench);
    await bench.pass(100 * DAY_MS);
    assert.equal((await getSubscription(bench, subscriptionId)).status, 'active');
    assert.equal((await amounts(bench, customerId)).length, 4);
  });

  test('a percentage discount applies to each charge', async (t) => {
    const bench = await openBench(t);
    const discount = { percent: 20, freeMonths: 0, code: 'TWENTY' };
    const begun = await subscribe(bench, { ...PRO, discount });
    assert.equal(begun.dueCents, 799);
    await bench.pass(MONTH_AND_A_BIT);
    const { discountPercent, priceCents } = await getSubscription(bench, begun.subscriptionId);
    assert.deepEqual({ discountPercent, priceCents }, { discountPercent: 20, priceCents: 999 });
    assert.deepEqual(await amounts(bench, begun.customerId), ['paid 799', 'paid 799']);
  });

  test('a card is set up if nothing is due, and never charged', async (t) => {
    const bench = await openBench(t);
    const wish = { ...PRO, discount: { percent: 100, freeMonths: 0, code: 'ALL' } };
    const begun = await begin(bench, wish);
    assert.deepEqual([begun.intent, begun.dueCents], ['setup', 0]);
    assert.equal((await getSubscription(bench, begun.subscriptionId)).status, 'incomplete');
    await bench.confirm(begun, GOOD_CARD, begun.customerId);
    assert.equal((await getSubscription(bench, begun.subscriptionId)).status, 'active');
    await bench.pass(MONTH_AND_A_BIT);
    assert.equal((await getSubscription(bench, begun.subscriptionId)).status, 'active');
    assert.deepEqual(await amounts(bench, begun.customerId), []);
  });

  test('a card is set up for free months and charged after them', async (t) => {
    const bench = await openBench(t);
    const freeUntil = addMonths(bench.clock.now(), 2);
    const wish = { ...PRO, discount: { percent: 0, freeMonths: 2, code: 'TWO' } };
    const begun = await begin(bench, wish);
    assert.deepEqual([begun.intent, begun.dueCents], ['setup', 0]);
    assert.equal((await getSubscription(bench, begun.subscriptionId)).status, 'incomplete');
    await bench.confirm(begun, GOOD_CARD, begun.customerId);
    const trial = await getSubscription(bench, begun.subscriptionId);
    assert.equal(trial.status, 'trialing');
    assert.deepEqual([trial.freeUntil, trial.periodEndsAt], [freeUntil, freeUntil]);
    assert.deepEqual(trial.card, { brand: 'visa', last4: '4242' });
    await bench.pass(32 * DAY_MS);
    assert.deepEqual(await amounts(bench, begun.customerId), []);
    await bench.pass(32 * DAY_MS);
    const { status, periodStartsAt, periodEndsAt } = await getSubscription(bench, begun.subscriptionId);
    assert.equal(status, 'active');
    assert.deepEqual([periodStartsAt, periodEndsAt], [freeUntil, addMonths(freeUntil, 1)]);
    assert.deepEqual(await amounts(bench, begun.customerId), ['paid 999']);
  });

  test('free months without a card entitle to nothing, and are never charged', async (t) => {
    const bench = await openBench(t);
    const wish = { ...PRO, discount: { percent: 0, freeMonths: 1, code: 'ONE' } };
    const begun = await begin(bench, wish);
    await bench.pass(10 * DAY_MS);
    assert.match((await getSubscription(bench, begun.subscriptionId)).status, /incomplete|ended/);
    await bench.pass(MONTH_AND_A_BIT);
    assert.equal((await getSubscription(bench, begun.subscriptionId)).status, 'ended');
    assert.deepEqual(await amounts(bench, begun.customerId), []);
  });

  test('an unpaid attempt ends', async (t) => {
    const bench = await openBench(t);
    const begun = await begin(bench);
    await bench.pass(2 * DAY_MS);
    assert.equal((await getSubscription(bench, begun.subscriptionId)).status, 'ended');
    await assert.rejects(bench.confirm(begun, GOOD_CARD, begun.customerId));
  });

  test('a failed renewal is past due until another card pays it', async (t) => {
    const bench = await openBench(t);
    const renewal = addMonths(bench.clock.now(), 1);
    const { subscriptionId, customerId } = await subscribe(bench, PRO, LATER_DECLINED_CARD);
    assert.deepEqual(await amounts(bench, customerId), ['paid 999']);
    await bench.pass(MONTH_AND_A_BIT);
    const failed = await getSubscription(bench, subscriptionId);
    assert.equal(failed.status, 'past_due');
    assert.ok(failed.failedAt !== null && failed.failedAt >= renewal);
    assert.ok(failed.failedAt < renewal + DAY_MS);
    assert.deepEqual(await amounts(bench, customerId), ['open 999', 'paid 999']);
    const payment = await bench.payments.findOpenPayment(subscriptionId);
    assert.deepEqual([payment?.intent, payment?.dueCents], ['payment', 999]);
    await bench.confirm(payment!, GOOD_CARD, customerId);
    const paid = await getSubscription(bench, subscriptionId);
    assert.deepEqual([paid.status, paid.failedAt, paid.card?.last4], ['active', null, '4242']);
    assert.deepEqual(await amounts(bench, customerId), ['paid 999', 'paid 999']);
    await bench.pass(MONTH_AND_A_BIT);
    assert.equal((await getSubscription(bench, subscriptionId)).status, 'active');
  });

  test('a subscription that is never paid ends after the retries', async (t) => {
    const bench = await openBench(t);
    const { subscriptionId } = await subscribe(bench, PRO, LATER_DECLINED_CARD);
    await bench.pass(MONTH_AND_A_BIT + 28 * DAY_MS);
    const { status, endedAt } = await getSubscription(bench, subscriptionId);
    assert.equal(status, 'ended');
    assert.ok(endedAt !== null && endedAt <= bench.clock.now());
    await rejectsAs('payment_not_found', bench.payments.setCancelAtPeriodEnd(subscriptionId, true));
  });
}

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS } from '../../../../contracts/values/durations.ts';
import { addMonths } from '../calculations.ts';
import {
  amounts,
  getSubscription,
  LATER_DECLINED_CARD,
  type OpenBench,
  PREMIUM,
  PRO,
  rejectsAs,
  subscribe,
} from './bench.fixtures.ts';

const MONTH_AND_A_BIT = 32 * DAY_MS;

export function testChanges(openBench: OpenBench): void {
  test('an upgrade takes effect immediately and charges the difference for the rest of the period', async (t) => {
    const bench = await openBench(t);
    const periodEndsAt = addMonths(bench.clock.now(), 1);
    const { subscriptionId: id, customerId } = await subscribe(bench);
    await bench.pass(15 * DAY_MS);
    assert.equal(await bench.payments.upgrade(id, PREMIUM), null);
    const upgraded = await getSubscription(bench, id);
    assert.deepEqual(
      [upgraded.tier, upgraded.priceCents, upgraded.status, upgraded.periodEndsAt],
      ['premium', 2499, 'active', periodEndsAt],
    );
    const [invoice] = await bench.payments.listInvoices(customerId);
    assert.ok(Math.abs(invoice!.amountCents - 750) < 10, `charged ${invoice!.amountCents}`);
    assert.deepEqual(
      [invoice!.status, invoice!.tier, invoice!.periodEndsAt],
      ['paid', 'premium', periodEndsAt],
    );
    assert.equal(await bench.payments.upgrade(id, PREMIUM), null);
    assert.equal((await amounts(bench, customerId)).length, 2);
    await bench.pass(MONTH_AND_A_BIT - 15 * DAY_MS);
    assert.equal((await amounts(bench, customerId))[0], 'paid 2499');
  });

  for (const { percent, paid } of [
    { percent: 50, paid: 500 },
    { percent: 100, paid: 0 },
  ]) {
    test(`an upgrade ends ${percent} percent off the lower plan: the higher one is paid in full`, async (t) => {
      const bench = await openBench(t);
      const discount = { percent, freeMonths: 0, code: 'OFF' };
      const { subscriptionId: id, customerId } = await subscribe(bench, { ...PRO, discount });
      await bench.payments.upgrade(id, PREMIUM);
      assert.equal((await getSubscription(bench, id)).discountPercent, 0);
      assert.ok((await amounts(bench, customerId)).includes(`paid ${2499 - paid}`));
      await bench.pass(MONTH_AND_A_BIT);
      assert.equal((await amounts(bench, customerId))[0], 'paid 2499');
      await bench.payments.schedule(id, PRO);
      await bench.pass(MONTH_AND_A_BIT);
      assert.equal((await amounts(bench, customerId))[0], 'paid 999', 'and the discount does not come back');
    });
  }

  test('a declined upgrade keeps the discount of the current plan', async (t) => {
    const bench = await openBench(t);
    const discount = { percent: 50, freeMonths: 0, code: 'OFF' };
    const { subscriptionId: id } = await subscribe(bench, { ...PRO, discount }, LATER_DECLINED_CARD);
    const before = await getSubscription(bench, id);
    assert.equal(before.discountPercent, 50);
    await rejectsAs('payment_declined', bench.payments.upgrade(id, PREMIUM));
    assert.deepEqual(await getSubscription(bench, id), before);
  });

  test('a declined upgrade changes nothing and leaves nothing to pay', async (t) => {
    const bench = await openBench(t);
    const { subscriptionId: id, customerId } = await subscribe(bench, PRO, LATER_DECLINED_CARD);
    const before = await getSubscription(bench, id);
    await bench.pass(DAY_MS);
    await rejectsAs('payment_declined', bench.payments.upgrade(id, PREMIUM));
    assert.deepEqual(await getSubscription(bench, id), before);
    assert.equal(await bench.payments.findOpenPayment(id), undefined);
    assert.ok(!(await amounts(bench, customerId)).some((invoice) => invoice.startsWith('open')));
    await bench.pass(2 * DAY_MS);
    assert.deepEqual(await getSubscription(bench, id), before);
  });

  test('an upgrade during free months ends them and charges a month', async (t) => {
    const bench = await openBench(t);
    const discount = { percent: 0, freeMonths: 3, code: 'THREE' };
    const { subscriptionId: id, customerId } = await subscribe(bench, { ...PRO, discount });
    await bench.pass(5 * DAY_MS);
    const now = bench.clock.now();
    assert.equal(await bench.payments.upgrade(id, PREMIUM), null);
    const upgraded = await getSubscription(bench, id);
    assert.deepEqual(
      [upgraded.tier, upgraded.status, upgraded.freeUntil, upgraded.periodEndsAt],
      ['premium', 'active', null, addMonths(now, 1)],
    );
    assert.deepEqual(await amounts(bench, customerId), ['paid 2499']);
  });

  test('a lower plan starts with the next period, without the discount of the higher one', async (t) => {
    const bench = await openBench(t);
    const discount = { percent: 10, freeMonths: 0, code: 'TEN' };
    const { subscriptionId: id, customerId } = await subscribe(bench, { ...PREMIUM, discount });
    await bench.payments.schedule(id, PRO);
    await bench.payments.schedule(id, PRO);
    const { tier, scheduled } = await getSubscription(bench, id);
    assert.deepEqual({ tier, scheduled }, { tier: 'premium', scheduled: PRO });
    await bench.pass(MONTH_AND_A_BIT);
    const lower = await getSubscription(bench, id);
    assert.deepEqual(
      [lower.tier, lower.priceCents, lower.scheduled, lower.status, lower.discountPercent],
      ['pro', 999, null, 'active', 0],
    );
    assert.deepEqual(await amounts(bench, customerId), ['paid 999', 'paid 2249']);
    await bench.pass(MONTH_AND_A_BIT);
    assert.equal((await getSubscription(bench, id)).tier, 'pro');
    assert.equal((await amounts(bench, customerId))[0], 'paid 999');
  });

  test('a scheduled lower plan can be revoked', async (t) => {
    const bench = await openBench(t);
    const { subscriptionId: id } = await subscribe(bench, PREMIUM);
    await bench.payments.schedule(id, PRO);
    await bench.payments.schedule(id, null);
    await bench.payments.schedule(id, null);
    assert.equal((await getSubscription(bench, id)).scheduled, null);
    await bench.pass(MONTH_AND_A_BIT);
    assert.equal((await getSubscription(bench, id)).tier, 'premium');
  });

  test('a cancelled subscription ends with the paid period; a resumed one continues', async (t) => {
    const bench = await openBench(t);
    const periodEndsAt = addMonths(bench.clock.now(), 1);
    const { subscriptionId: id, customerId } = await subscribe(bench);
    await bench.payments.setCancelAtPeriodEnd(id, true);
    assert.equal((await getSubscription(bench, id)).cancelAtPeriodEnd, true);
    await bench.payments.setCancelAtPeriodEnd(id, false);
    assert.equal((await getSubscription(bench, id)).cancelAtPeriodEnd, false);
    await bench.payments.setCancelAtPeriodEnd(id, true);
    await bench.payments.setCancelAtPeriodEnd(id, true);
    assert.equal((await getSubscription(bench, id)).status, 'active');
    await bench.pass(MONTH_AND_A_BIT);
    const ended = await getSubscription(bench, id);
    assert.deepEqual([ended.status, ended.endedAt], ['ended', periodEndsAt]);
    assert.deepEqual(await amounts(bench, customerId), ['paid 999']);
  });

  test('a cancellation revokes a scheduled plan, and the other way round', async (t) => {
    const bench = await openBench(t);
    const { subscriptionId: id } = await subscribe(bench, PREMIUM);
    await bench.payments.schedule(id, PRO);
    await bench.payments.setCancelAtPeriodEnd(id, true);
    const cancelled = await getSubscription(bench, id);
    assert.deepEqual([cancelled.scheduled, cancelled.cancelAtPeriodEnd], [null, true]);
    await bench.payments.schedule(id, PRO);
    const scheduled = await getSubscription(bench, id);
    assert.deepEqual([scheduled.scheduled, scheduled.cancelAtPeriodEnd], [PRO, false]);
  });

  test('a subscription that was ended immediately stays ended and cannot be changed', async (t) => {
    const bench = await openBench(t);
    const { payments, clock } = bench;
    const { subscriptionId: id, customerId } = await subscribe(bench);
    await bench.pass(DAY_MS);
    await payments.end(id);
    await payments.end(id);
    const { status, endedAt } = await getSubscription(bench, id);
    assert.deepEqual([status, endedAt], ['ended', clock.now()]);
    await rejectsAs('payment_not_found', payments.upgrade(id, PREMIUM));
    await rejectsAs('payment_not_found', payments.schedule(id, PRO));
    await rejectsAs('payment_not_found', payments.setCancelAtPeriodEnd(id, false));
    await bench.pass(MONTH_AND_A_BIT);
    assert.deepEqual(await amounts(bench, customerId), ['paid 999']);
  });
}

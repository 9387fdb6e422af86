import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS } from '../../../../contracts/values/durations.ts';
import { addMonths } from '../calculations.ts';
import {
  amounts,
  begin,
  DECLINED_CARD,
  ensureCustomer,
  GOOD_CARD,
  getSubscription,
  LATER_DECLINED_CARD,
  type OpenBench,
  PRO,
  rejectsAs,
  subscribe,
  type Wish,
} from './bench.fixtures.ts';

export const WAITING: [what: string, wish: Wish][] = [
  ['a payment', PRO],
  ['a card for free months', { ...PRO, discount: { percent: 0, freeMonths: 1, code: 'ONE' } }],
  ['a card, since nothing is due', { ...PRO, discount: { percent: 100, freeMonths: 0, code: 'ALL' } }],
];

export function testAttempts(openBench: OpenBench): void {
  test('two concurrent calls create one customer for a user', async (t) => {
    const bench = await openBench(t);
    const [first, second] = await Promise.all([ensureCustomer(bench), ensureCustomer(bench)]);
    assert.equal(first, second);
    assert.equal(await ensureCustomer(bench, first), first);
  });

  test('a customer that the provider does not know is replaced', async (t) => {
    const bench = await openBench(t);
    const customerId = await ensureCustomer(bench, 'cus_of_another_provider');
    assert.notEqual(customerId, 'cus_of_another_provider');
    assert.deepEqual(await bench.payments.listInvoices(customerId), []);
  });

  test('a new subscription entitles to nothing before it is paid', async (t) => {
    const bench = await openBench(t);
    const begun = await begin(bench);
    assert.equal(begun.intent, 'payment');
    assert.equal(begun.dueCents, 999);
    assert.ok(begun.clientSecret.length > 10);
    const { status, card, tier, priceCents } = await getSubscription(bench, begun.subscriptionId);
    assert.deepEqual({ status, card, tier, priceCents }, { status: 'incomplete', card: null, ...PRO });
  });

  test('a payment makes it active for a month, with a paid invoice', async (t) => {
    const bench = await openBench(t);
    const now = bench.clock.now();
    const { subscriptionId: id, customerId } = await subscribe(bench);
    assert.deepEqual(await getSubscription(bench, id), {
      id,
      customerId,
      ...PRO,
      status: 'active',
      discountPercent: 0,
      periodStartsAt: now,
      periodEndsAt: addMonths(now, 1),
      freeUntil: null,
      cancelAtPeriodEnd: false,
      scheduled: null,
      card: { brand: 'visa', last4: '4242' },
      failedAt: null,
      endedAt: null,
    });
    const [invoice, ...others] = await bench.payments.listInvoices(customerId);
    assert.deepEqual(others, []);
    const { id: invoiceId, number, url, ...rest } = invoice!;
    assert.ok(invoiceId && number && (url === null || URL.canParse(url)));
    assert.deepEqual(rest, {
      subscriptionId: id,
      tier: 'pro',
      status: 'paid',
      amountCents: 999,
      periodStartsAt: now,
      periodEndsAt: addMonths(now, 1),
      createdAt: now,
    });
  });

  test('starting twice with the same key starts one subscription, even concurrently', async (t) => {
    const bench = await openBench(t);
    const [first, second] = await Promise.all([begin(bench), begin(bench)]);
    await bench.pass(2000);
    const third = await begin(bench);
    assert.deepEqual([second, third], [first, first]);
    const other = await begin(bench, { ...PRO, key: 'second' });
    assert.notEqual(other.subscriptionId, first.subscriptionId);
  });

  test('starting with free months and the same key twice starts one subscription, also a little later', async (t) => {
    const bench = await openBench(t);
    const wish = { ...PRO, discount: { percent: 0, freeMonths: 2, code: 'TWO' } };
    const first = await begin(bench, wish);
    await bench.pass(2000);
    assert.deepEqual(await begin(bench, wish), first);
  });

  test('the payment of a started subscription can be found again, until it is paid', async (t) => {
    const bench = await openBench(t);
    const { clientSecret, intent, dueCents, subscriptionId, customerId } = await begin(bench);
    const again = await bench.payments.findOpenPayment(subscriptionId);
    assert.deepEqual(again, { clientSecret, intent, dueCents });
    await bench.confirm(again, GOOD_CARD, customerId);
    assert.equal(await bench.payments.findOpenPayment(subscriptionId), undefined);
  });

  test('a declined card leaves it incomplete, and another one pays', async (t) => {
    const bench = await openBench(t);
    const begun = await begin(bench);
    await assert.rejects(bench.confirm(begun, DECLINED_CARD, begun.customerId), {
      message: 'Your card was declined.',
    });
    assert.equal((await getSubscription(bench, begun.subscriptionId)).status, 'incomplete');
    await bench.confirm(begun, GOOD_CARD, begun.customerId);
    assert.equal((await getSubscription(bench, begun.subscriptionId)).status, 'active');
    assert.deepEqual(await amounts(bench, begun.customerId), ['paid 999']);
  });

  test('an attempt that is ended can no longer be paid', async (t) => {
    const bench = await openBench(t);
    const begun = await begin(bench);
    await bench.payments.end(begun.subscriptionId);
    await assert.rejects(bench.confirm(begun, GOOD_CARD, begun.customerId));
    assert.equal((await getSubscription(bench, begun.subscriptionId)).status, 'ended');
    assert.equal(await bench.payments.findOpenPayment(begun.subscriptionId), undefined);
    assert.ok(!(await amounts(bench, begun.customerId)).some((invoice) => /paid|open/.test(invoice)));
  });

  test('an attempt that is ended accepts no card for free months either', async (t) => {
    const bench = await openBench(t);
    const begun = await begin(bench, { ...PRO, discount: { percent: 0, freeMonths: 1, code: 'ONE' } });
    await bench.payments.end(begun.subscriptionId);
    await assert.rejects(bench.confirm(begun, GOOD_CARD, begun.customerId));
    assert.equal((await getSubscription(bench, begun.subscriptionId)).status, 'ended');
  });

  test('unknown ids are not found', async (t) => {
    const { payments } = await openBench(t);
    assert.equal(await payments.findSubscription('sub_unknown'), undefined);
    await rejectsAs('payment_not_found', payments.upgrade('sub_unknown', PRO));
    await rejectsAs('payment_not_found', payments.schedule('sub_unknown', PRO));
    await rejectsAs('payment_not_found', payments.setCancelAtPeriodEnd('sub_unknown', true));
    await rejectsAs('payment_not_found', payments.findOpenPayment('sub_unknown'));
    await rejectsAs('payment_not_found', payments.end('sub_unknown'));
    assert.equal(await payments.findPayer('ch_unknown'), undefined);
  });

  test('an event that is not signed is refused', async (t) => {
    const { payments } = await openBench(t);
    const body = Buffer.from('{"id":"evt_1","object":"event","type":"invoice.paid"}');
    for (const signature of [undefined, '', 'nonsense', 't=1,v1=00', `t=1,v1=${'ab'.repeat(32)}`]) {
      assert.throws(() => payments.readEvent(body, signature), { code: 'bad_webhook' });
    }
  });

  for (const [what, wish] of WAITING) {
    test(`an attempt that waits for ${what} is abandoned, and can no longer be confirmed`, async (t) => {
      const bench = await openBench(t);
      const { payments } = bench;
      const begun = await begin(bench, wish);
      const { subscriptionId: id, customerId } = begun;
      assert.equal(await payments.abandon(id), true);
      assert.equal(await payments.abandon(id), true, 'abandoning again does no harm');
      assert.equal((await getSubscription(bench, id)).status, 'ended');
      await assert.rejects(bench.confirm(begun, GOOD_CARD, customerId));
      assert.equal(await payments.findOpenPayment(id), undefined);
      assert.ok(!(await amounts(bench, customerId)).some((invoice) => /paid|open/.test(invoice)));
    });

    test(`an attempt that waited for ${what} and got it cannot be abandoned`, async (t) => {
      const bench = await openBench(t);
      const { subscriptionId: id } = await subscribe(bench, wish);
      const before = await getSubscription(bench, id);
      assert.equal(await bench.payments.abandon(id), false);
      assert.deepEqual(await getSubscription(bench, id), before);
    });

    test(`an attempt that gets ${what} while it is abandoned either runs or has taken nothing`, async (t) => {
      const bench = await openBench(t);
      for (let round = 0; round < 5; round += 1) {
        const begun = await begin(bench, { ...wish, key: `round ${round}` });
        const [isEnded, isConfirmed] = await Promise.all([
          bench.payments.abandon(begun.subscriptionId),
          bench.confirm(begun, GOOD_CARD, begun.customerId).then(
            () => true,
            () => false,
          ),
        ]);
        assert.equal(isEnded, !isConfirmed);
        assert.equal((await getSubscription(bench, begun.subscriptionId)).status === 'ended', isEnded);
      }
    });
  }

  test('a subscription that once ran is not an attempt, and an unknown one is not found', async (t) => {
    const bench = await openBench(t);
    await rejectsAs('payment_not_found', bench.payments.abandon('sub_unknown'));
    const { subscriptionId: id } = await subscribe(bench, PRO, LATER_DECLINED_CARD);
    await bench.pass(32 * DAY_MS);
    assert.equal((await getSubscription(bench, id)).status, 'past_due');
    assert.equal(await bench.payments.abandon(id), false);
    assert.equal((await getSubscription(bench, id)).status, 'past_due');
  });
}

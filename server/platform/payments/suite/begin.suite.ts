import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addMonths } from '../calculations.ts';
import {
  amounts,
  begin,
  DECLINED_CARD,
  ensureCustomer,
  GOOD_CARD,
  look,
  type OpenBench,
  PRO,
  rejectsAs,
  subscribe,
} from './bench.fixtures.ts';

/** From the customer to the first payment. */
export function testBeginning(openBench: OpenBench): void {
  test('gives a user one customer, also when asked twice at once', async (t) => {
    const bench = await openBench(t);
    const [first, second] = await Promise.all([ensureCustomer(bench), ensureCustomer(bench)]);
    assert.equal(first, second);
    assert.equal(await ensureCustomer(bench, first), first);
  });

  test('makes a new customer when the known one is unknown to it', async (t) => {
    const bench = await openBench(t);
    const customerId = await ensureCustomer(bench, 'cus_of_another_provider');
    assert.notEqual(customerId, 'cus_of_another_provider');
    assert.deepEqual(await bench.payments.listInvoices(customerId), []);
  });

  test('begins a subscription that entitles to nothing before it is paid', async (t) => {
    const bench = await openBench(t);
    const begun = await begin(bench);
    assert.equal(begun.intent, 'payment');
    assert.equal(begun.dueCents, 999);
    assert.ok(begun.clientSecret.length > 10);
    const { status, card, tier, priceCents } = await look(bench, begun.subscriptionId);
    assert.deepEqual({ status, card, tier, priceCents }, { status: 'incomplete', card: null, ...PRO });
  });

  test('a payment makes it active for a month, with a paid invoice', async (t) => {
    const bench = await openBench(t);
    const now = bench.clock.now();
    const { subscriptionId: id, customerId } = await subscribe(bench);
    assert.deepEqual(await look(bench, id), {
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

  test('the same beginning twice is one, one after the other and at once', async (t) => {
    const bench = await openBench(t);
    const [first, second] = await Promise.all([begin(bench), begin(bench)]);
    await bench.pass(2000);
    const third = await begin(bench);
    assert.deepEqual([second, third], [first, first]);
    const other = await begin(bench, { ...PRO, key: 'second' });
    assert.notEqual(other.subscriptionId, first.subscriptionId);
  });

  test('the same beginning with free months twice is one, also a little later', async (t) => {
    const bench = await openBench(t);
    const wish = { ...PRO, discount: { percent: 0, freeMonths: 2, code: 'TWO' } };
    const first = await begin(bench, wish);
    await bench.pass(2000);
    assert.deepEqual(await begin(bench, wish), first);
  });

  test('gives the payment of what has been begun again, and none once it is paid', async (t) => {
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
    assert.equal((await look(bench, begun.subscriptionId)).status, 'incomplete');
    await bench.confirm(begun, GOOD_CARD, begun.customerId);
    assert.equal((await look(bench, begun.subscriptionId)).status, 'active');
    assert.deepEqual(await amounts(bench, begun.customerId), ['paid 999']);
  });

  test('an attempt that is ended can no longer be paid', async (t) => {
    const bench = await openBench(t);
    const begun = await begin(bench);
    await bench.payments.end(begun.subscriptionId);
    await assert.rejects(bench.confirm(begun, GOOD_CARD, begun.customerId));
    assert.equal((await look(bench, begun.subscriptionId)).status, 'ended');
    assert.equal(await bench.payments.findOpenPayment(begun.subscriptionId), undefined);
    assert.ok(!(await amounts(bench, begun.customerId)).some((invoice) => /paid|open/.test(invoice)));
  });

  test('an attempt that is ended takes no card for free months either', async (t) => {
    const bench = await openBench(t);
    const begun = await begin(bench, { ...PRO, discount: { percent: 0, freeMonths: 1, code: 'ONE' } });
    await bench.payments.end(begun.subscriptionId);
    await assert.rejects(bench.confirm(begun, GOOD_CARD, begun.customerId));
    assert.equal((await look(bench, begun.subscriptionId)).status, 'ended');
  });

  test('knows no foreign ids', async (t) => {
    const { payments } = await openBench(t);
    assert.equal(await payments.findSubscription('sub_unknown'), undefined);
    await rejectsAs('payment_not_found', payments.upgrade('sub_unknown', PRO));
    await rejectsAs('payment_not_found', payments.schedule('sub_unknown', PRO));
    await rejectsAs('payment_not_found', payments.setCancelAtPeriodEnd('sub_unknown', true));
    await rejectsAs('payment_not_found', payments.findOpenPayment('sub_unknown'));
    await rejectsAs('payment_not_found', payments.end('sub_unknown'));
    assert.equal(await payments.findPayer('ch_unknown'), undefined);
  });

  test('believes no event that is not signed', async (t) => {
    const { payments } = await openBench(t);
    const body = Buffer.from('{"id":"evt_1","object":"event","type":"invoice.paid"}');
    for (const signature of [undefined, '', 'nonsense', 't=1,v1=00', `t=1,v1=${'ab'.repeat(32)}`]) {
      assert.throws(() => payments.readEvent(body, signature), { code: 'bad_webhook' });
    }
  });
}

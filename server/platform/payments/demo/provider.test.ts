import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS, HOUR_MS } from '../../../../contracts/values/durations.ts';
import { describeOnBothEngines } from '../../../../testing/databases/both-engines.ts';
import { ManualClock } from '../../../../testing/lib/manual-clock.ts';
import type { Db } from '../../db/open.ts';
import {
  amounts,
  begin,
  GOOD_CARD,
  getSubscription,
  PREMIUM,
  PRO,
  rejectsAs,
  subscribe,
} from '../suite/bench.fixtures.ts';
import { testPaymentProvider } from '../suite/provider.suite.ts';
import { confirmDemoPayment, openDemoPayments } from './provider.ts';

const EXPIRY = '12/39';

describeOnBothEngines('the demo provider', (engine) => {
  const openBench = async () => benchOn(await engine.open());
  testPaymentProvider('like every provider', openBench);

  test('only the customer of a payment can confirm it', async () => {
    const bench = await openBench();
    const begun = await begin(bench);
    await rejectsAs('payment_not_found', bench.confirm(begun, GOOD_CARD, 'demo_cus_somebody_else'));
    const unknown = { ...begun, clientSecret: 'demo_secret_unknown' };
    await rejectsAs('payment_not_found', bench.confirm(unknown, GOOD_CARD, begun.customerId));
    assert.equal((await getSubscription(bench, begun.subscriptionId)).status, 'incomplete');
  });

  test('confirming twice pays once, sequentially or concurrently', async () => {
    const bench = await openBench();
    const begun = await begin(bench);
    const confirm = () => bench.confirm(begun, GOOD_CARD, begun.customerId);
    await Promise.all(Array.from({ length: 10 }, confirm));
    await bench.pass(DAY_MS);
    await confirm();
    assert.deepEqual(await amounts(bench, begun.customerId), ['paid 999']);
  });

  test('concurrent payment and end leave it either active or ended', async () => {
    const bench = await openBench();
    for (let round = 0; round < 10; round += 1) {
      const begun = await begin(bench, { ...PRO, key: `round ${round}` });
      const paying = bench.confirm(begun, GOOD_CARD, begun.customerId).then(
        () => true,
        () => false,
      );
      await Promise.all([paying, bench.payments.end(begun.subscriptionId)]);
      const { status } = await getSubscription(bench, begun.subscriptionId);
      const invoices = await bench.payments.listInvoices(begun.customerId);
      const { status: invoice } = invoices.find(
        ({ subscriptionId }) => subscriptionId === begun.subscriptionId,
      )!;
      // The end may come before or after the payment; a payment that succeeded stays paid.
      assert.deepEqual([status, invoice], ['ended', (await paying) ? 'paid' : 'void']);
    }
  });

  test('a renewal is written once, however many requests read the subscription concurrently', async () => {
    const bench = await openBench();
    const { subscriptionId, customerId } = await subscribe(bench);
    await bench.pass(100 * DAY_MS);
    const looks = Array.from({ length: 20 }, () => getSubscription(bench, subscriptionId));
    const lists = Array.from({ length: 20 }, () => amounts(bench, customerId));
    const [first, ...others] = await Promise.all(looks);
    for (const other of others) assert.deepEqual(other, first);
    for (const list of await Promise.all(lists)) assert.deepEqual(list, Array(4).fill('paid 999'));
  });

  test('concurrent invoices have unique numbers', async () => {
    const bench = await openBench();
    const keys = Array.from({ length: 20 }, (_, index) => `key ${index}`);
    const [begun] = await Promise.all(keys.map((key) => begin(bench, { ...PRO, key })));
    const numbers = (await bench.payments.listInvoices(begun!.customerId)).map(({ number }) => number!);
    assert.equal(new Set(numbers).size, 20);
    for (const number of numbers) assert.match(number, /^DEMO-[0-9A-Z]{5}-[0-9A-Z]{5}$/);
  });

  test('an upgrade exactly at the end of a period comes after its renewal', async () => {
    const bench = await openBench();
    const { subscriptionId, customerId } = await subscribe(bench);
    const { periodEndsAt } = await getSubscription(bench, subscriptionId);
    await bench.pass(periodEndsAt - bench.clock.now());
    await bench.payments.upgrade(subscriptionId, PREMIUM);
    assert.deepEqual((await amounts(bench, customerId)).sort(), ['paid 1500', 'paid 999', 'paid 999']);
  });

  test('a card that the demo does not accept is declined with the reason', async () => {
    const bench = await openBench();
    const begun = await begin(bench);
    const refused: [number: string, expiry: string, reason: string][] = [
      ['4000000000000002', EXPIRY, 'Your card was declined.'],
      ['4242424242424241', EXPIRY, 'Your card number is not valid.'],
      ['5555555555554444', EXPIRY, 'Your card number is not supported by the demo.'],
      ['4242424242424242', '10/26', 'Your card has expired.'],
    ];
    for (const [number, expiry, message] of refused) {
      const payment = { ...begun, card: { number, expiry } };
      await assert.rejects(confirmDemoPayment(bench.books, payment), { code: 'payment_declined', message });
    }
    await confirmDemoPayment(bench.books, { ...begun, card: { number: GOOD_CARD, expiry: '11 / 26' } });
    assert.equal((await getSubscription(bench, begun.subscriptionId)).status, 'active');
  });

  test('an attempt can be paid for 23 hours', async () => {
    const bench = await openBench();
    const [first, second] = [await begin(bench), await begin(bench, { ...PRO, key: 'second' })];
    await bench.pass(23 * HOUR_MS - 1);
    await bench.confirm(first, GOOD_CARD, first.customerId);
    await bench.pass(1);
    await rejectsAs('payment_not_found', bench.confirm(second, GOOD_CARD, second.customerId));
    assert.deepEqual((await amounts(bench, first.customerId)).sort(), ['paid 999', 'void 999']);
  });
});

function benchOn(db: Db) {
  const clock = new ManualClock();
  const books = { db, clock };
  return {
    books,
    clock,
    payments: openDemoPayments(books),
    userId: 'frida',
    async confirm({ clientSecret }: { clientSecret: string }, number: string, customerId: string) {
      await confirmDemoPayment(books, { clientSecret, customerId, card: { number, expiry: EXPIRY } });
    },
    async pass(milliseconds: number) {
      clock.advance(milliseconds);
    },
  };
}

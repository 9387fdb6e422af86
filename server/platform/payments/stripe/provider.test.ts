import assert from 'node:assert/strict';
import { test } from 'node:test';
import Stripe from 'stripe';
import { addMonths } from '../calculations.ts';
import { amounts, begin, getSubscription, PREMIUM, PRO, subscribe } from '../suite/bench.fixtures.ts';
import { testPaymentProvider } from '../suite/provider.suite.ts';
import { openStripeBench } from './bench.fixtures.ts';

const WANTS_CONFIRMATION_LATER = '4000002760003184';

for (const givesCardToSubscription of [true, false]) {
  const whose = givesCardToSubscription ? "the subscription's" : "the customer's only";
  testPaymentProvider(`Stripe, where a card that is set up becomes ${whose}`, async (t) => {
    const { fake, ...bench } = await openStripeBench(t);
    fake.account.givesCardToSubscription = givesCardToSubscription;
    return bench;
  });
}

test('a subscription starts at Stripe with exactly the documented parameters', async (t) => {
  const bench = await openStripeBench(t);
  const discount = { percent: 20, freeMonths: 3, code: 'SPRING 20%' };
  const { customerId } = await begin(bench, { ...PRO, discount });
  const sent = bench.fake.requests.map(({ method, path }) => `${method} ${path}`);
  const [couponId] = bench.fake.account.list('coupon').map(({ id }) => id);
  assert.match(couponId!, /^sendwell_pro_20_[0-9a-f]{24}$/);
  assert.deepEqual(sent, [
    'POST /v1/customers',
    `POST /v1/customers/${customerId}`,
    'GET /v1/prices',
    'GET /v1/products/sendwell_pro',
    'POST /v1/products',
    'POST /v1/prices',
    `GET /v1/coupons/${couponId}`,
    'POST /v1/coupons',
    'POST /v1/subscriptions',
  ]);
  const coupon = bench.fake.requests.find(({ path, method }) => path === '/v1/coupons' && method === 'POST')!;
  assert.deepEqual(coupon.parameters, {
    id: couponId,
    percent_off: '20',
    duration: 'forever',
    name: 'SPRING 20%',
    applies_to: { products: ['sendwell_pro'] },
  });
  const price = bench.fake.requests.find(({ path, method }) => path === '/v1/prices' && method === 'POST')!;
  assert.deepEqual(price.parameters, {
    product: 'sendwell_pro',
    currency: 'usd',
    unit_amount: '999',
    recurring: { interval: 'month' },
    lookup_key: 'sendwell_pro_999',
    transfer_lookup_key: 'true',
    metadata: { tier: 'pro' },
  });
  const { parameters, idempotencyKey, version } = bench.fake.requests.at(-1)!;
  assert.equal(version, Stripe.API_VERSION);
  assert.equal(idempotencyKey, 'subscription:first');
  assert.deepEqual(parameters, {
    customer: customerId,
    items: [{ price: bench.fake.account.list('price')[0]!.id }],
    payment_behavior: 'default_incomplete',
    payment_settings: {
      save_default_payment_method: 'on_subscription',
      payment_method_types: ['card'],
    },
    metadata: { tier: 'pro', key: 'first' },
    discounts: [{ coupon: couponId }],
    trial_end: String(addMonths(bench.clock.now(), 3) / 1000),
    trial_settings: { end_behavior: { missing_payment_method: 'cancel' } },
    expand: ['latest_invoice.confirmation_secret', 'pending_setup_intent'],
  });
});

test('a price is created once, and again for another configured amount', async (t) => {
  const bench = await openStripeBench(t);
  const first = await subscribe(bench);
  const dearer = await begin(bench, { tier: 'pro', priceCents: 1299, key: 'second' });
  await begin(bench, { ...PRO, key: 'third' });
  const prices = bench.fake.account.list('price').map((price) => [price.lookup_key, price.unit_amount]);
  assert.deepEqual(prices, [
    ['sendwell_pro_1299', 1299],
    ['sendwell_pro_999', 999],
  ]);
  assert.equal(dearer.dueCents, 1299);
  assert.equal((await getSubscription(bench, first.subscriptionId)).priceCents, 999);
  assert.equal(bench.fake.account.list('product').length, 1);
});

test('a price that was archived by hand is created again', async (t) => {
  const bench = await openStripeBench(t);
  await begin(bench);
  const [price] = bench.fake.account.list('price');
  price!.active = false;
  const { dueCents } = await begin(bench, { ...PRO, key: 'second' });
  assert.equal(dueCents, 999);
});

test('concurrent first subscribers create one product, price and coupon', async (t) => {
  const bench = await openStripeBench(t);
  const discount = { percent: 20, freeMonths: 0, code: 'SPRING' };
  await Promise.all(['a', 'b', 'c'].map((key) => begin(bench, { ...PRO, discount, key })));
  const { account } = bench.fake;
  assert.deepEqual(
    [account.list('product').length, account.list('price').length, account.list('coupon').length],
    [1, 1, 1],
  );
});

test("an upgrade that needs the bank's confirmation takes effect once it is confirmed in the browser", async (t) => {
  const bench = await openStripeBench(t);
  const { subscriptionId: id, customerId } = await subscribe(bench, PRO, WANTS_CONFIRMATION_LATER);
  const payment = await bench.payments.upgrade(id, PREMIUM);
  assert.equal(payment?.intent, 'payment');
  assert.equal((await getSubscription(bench, id)).tier, 'pro');
  await bench.confirm(payment!, WANTS_CONFIRMATION_LATER, customerId);
  assert.equal((await getSubscription(bench, id)).tier, 'premium');
});

test('a refund and a dispute show in the invoices, and a dispute leads to its customer', async (t) => {
  const bench = await openStripeBench(t);
  const { customerId } = await subscribe(bench);
  const [invoice] = await bench.payments.listInvoices(customerId);
  bench.fake.dispute(invoice!.id);
  assert.deepEqual(await amounts(bench, customerId), ['refunded 999']);
  const dispute = bench.fake.drainEvents().at(-1)!;
  const { body, signature } = bench.fake.sign(dispute, bench.clock.now());
  const event = bench.payments.readEvent(Buffer.from(body), signature);
  assert.deepEqual(
    [event.type, event.subscriptionId, event.customerId],
    ['charge.dispute.created', null, null],
  );
  assert.equal(await bench.payments.findPayer(event.paymentId!), customerId);
});

test('an event names its subscription or its customer', async (t) => {
  const bench = await openStripeBench(t);
  const { subscriptionId, customerId } = await subscribe(bench);
  for (const told of bench.fake.drainEvents()) {
    const { body, signature } = bench.fake.sign(told, bench.clock.now());
    const event = bench.payments.readEvent(Buffer.from(body), signature);
    assert.equal(event.id, told.id);
    assert.equal(event.createdAt, told.created * 1000);
    assert.equal(event.customerId, customerId);
    const namesSubscription = /^(customer\.subscription|invoice)\./.test(told.type);
    assert.equal(event.subscriptionId, namesSubscription ? subscriptionId : null);
  }
  const foreign = { ...bench.fake.account.emit('product.created', { object: 'product' }), id: 'evt_foreign' };
  const { body, signature } = bench.fake.sign(foreign, bench.clock.now());
  const { subscriptionId: none, customerId: nobody } = bench.payments.readEvent(Buffer.from(body), signature);
  assert.deepEqual([none, nobody], [null, null]);
});

test('an event signed by the SDK is accepted for five minutes', async (t) => {
  const { payments, fake, clock } = await openStripeBench(t);
  const event = fake.account.emit('invoice.paid', { object: 'invoice' });
  const { body, signature } = fake.sign(event, clock.now());
  const timestamp = clock.now() / 1000;
  const bySdk = Stripe.webhooks.generateTestHeaderString({
    payload: body,
    secret: fake.webhookSecret,
    timestamp,
  });
  assert.equal(payments.readEvent(Buffer.from(body), signature).id, event.id);
  assert.equal(payments.readEvent(Buffer.from(body), bySdk).id, event.id);
  const refused: [string, string | undefined][] = [
    [body.replace('invoice.paid', 'invoice.void'), signature],
    [`${body} `, signature],
    [body, fake.sign(event, clock.now(), 'whsec_other').signature],
    [body, signature.replace('v1=', 'v0=')],
    [body, signature.replace(/^t=\d+/, `t=${timestamp + 1}`)],
    [body, undefined],
    ['', signature],
  ];
  for (const [text, header] of refused) {
    assert.throws(() => payments.readEvent(Buffer.from(text), header), { code: 'bad_webhook' });
  }
  clock.advance(300_000);
  assert.equal(payments.readEvent(Buffer.from(body), signature).id, event.id);
  clock.advance(1000);
  assert.throws(() => payments.readEvent(Buffer.from(body), signature), { code: 'bad_webhook' });
});

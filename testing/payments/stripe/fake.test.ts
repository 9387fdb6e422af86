import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import Stripe from 'stripe';
import { ManualClock } from '../../lib/manual-clock.ts';
import { StripeFake } from './fake.ts';

async function open(t: TestContext) {
  const clock = new ManualClock();
  const fake = await new StripeFake(clock).start();
  t.after(() => fake.stop());
  const { hostname: host, port } = new URL(fake.url);
  const stripe = new Stripe(fake.secretKey, { host, port, protocol: 'http', telemetry: false });
  return { fake, clock, stripe };
}

test("Stripe's fake refuses undocumented parameters and requires mandatory ones", async (t) => {
  const { stripe } = await open(t);
  const make = (parameters: object) =>
    stripe.subscriptions.create(parameters as Stripe.SubscriptionCreateParams);
  const behavior = { payment_behavior: 'default_incomplete' };
  const refusals: [object, object][] = [
    [
      { customer: 'cus_1', items: [{ price: 'p' }], coupon: 'X' },
      { code: 'parameter_unknown', param: 'coupon' },
    ],
    [{ items: [{ price: 'p' }] }, { code: 'parameter_missing', param: 'customer' }],
    [{ customer: 'cus_1' }, { code: 'parameter_missing', param: 'items' }],
    [{ customer: 'c', items: [{ price: 'p' }], payment_behavior: 'later' }, { param: 'payment_behavior' }],
    [{ customer: 'c', items: [{ price: 'p', quantity: 'x' }] }, { code: 'parameter_invalid_integer' }],
    [
      { customer: 'cus_1', items: [{ price: 'p' }], ...behavior },
      { code: 'resource_missing', param: 'customer' },
    ],
  ];
  for (const [parameters, refusal] of refusals) {
    await assert.rejects(make(parameters), { type: 'StripeInvalidRequestError', ...refusal });
  }
});

test("Stripe's fake supports idempotency keys, paging and expansion like Stripe", async (t) => {
  const { stripe } = await open(t);
  const options = { idempotencyKey: 'once' };
  const { id } = await stripe.customers.create({ name: 'Frida' }, options);
  assert.equal((await stripe.customers.create({ name: 'Frida' }, options)).id, id);
  await assert.rejects(stripe.customers.create({ name: 'Paula' }, options), {
    type: 'StripeIdempotencyError',
  });
  await stripe.products.create({ id: 'prod', name: 'Plan' });
  for (const unit_amount of [100, 200, 300]) {
    await stripe.prices.create({ product: 'prod', currency: 'usd', unit_amount });
  }
  const first = await stripe.prices.list({ limit: 2 });
  assert.deepEqual([first.data.map((price) => price.unit_amount), first.has_more], [[300, 200], true]);
  const second = await stripe.prices.list({ limit: 2, starting_after: first.data[1]!.id });
  assert.deepEqual([second.data.map((price) => price.unit_amount), second.has_more], [[100], false]);
  await assert.rejects(stripe.prices.list({ limit: 101 }), { type: 'StripeInvalidRequestError' });
  await assert.rejects(stripe.customers.retrieve(id, { expand: ['nothing'] }), /cannot be expanded/);
  await assert.rejects(stripe.customers.retrieve('cus_unknown'), {
    statusCode: 404,
    code: 'resource_missing',
  });
});

test("Stripe's fake returns references as IDs, and confirmation secrets only if expanded", async (t) => {
  const { stripe, fake } = await open(t);
  const customer = (await stripe.customers.create({})).id;
  await stripe.products.create({ id: 'prod', name: 'Plan' });
  const price = await stripe.prices.create({
    product: 'prod',
    currency: 'usd',
    unit_amount: 999,
    recurring: { interval: 'month' },
    metadata: { tier: 'pro' },
  });
  const { id, latest_invoice } = await stripe.subscriptions.create({
    customer,
    items: [{ price: price.id }],
    payment_behavior: 'default_incomplete',
  });
  assert.equal(typeof latest_invoice, 'string');
  const plain = await stripe.invoices.retrieve(latest_invoice as string).catch((error: Error) => error);
  assert.match(String(plain), /Unrecognized request URL/, 'unused endpoints are not implemented');
  const [invoice] = (await stripe.invoices.list({ subscription: id })).data;
  assert.ok(!('confirmation_secret' in invoice!));
  const [opened] = (await stripe.invoices.list({ subscription: id, expand: ['data.confirmation_secret'] }))
    .data;
  fake.confirm(opened!.confirmation_secret!.client_secret, '4242424242424242');
  assert.deepEqual(
    fake.drainEvents().map(({ type }) => type),
    [
      'payment_intent.created',
      'invoice.created',
      'invoice.finalized',
      'customer.subscription.created',
      'charge.succeeded',
      'payment_intent.succeeded',
      'invoice.paid',
      'invoice.payment_succeeded',
      'customer.subscription.updated',
    ],
  );
  await stripe.subscriptionSchedules.create({ from_subscription: id });
  await assert.rejects(stripe.subscriptions.update(id, { cancel_at_period_end: true }), /managed by the/);
  await stripe.subscriptions.cancel(id);
  await assert.rejects(stripe.subscriptions.cancel(id), { code: 'resource_missing' });
});

import assert from 'node:assert/strict';
import test from 'node:test';
import {
  confirmDemoPayment,
  createSubscription,
  getSubscription,
  listInvoices,
  payOpenInvoice,
} from '../../../contracts/plans/billing.ts';
import { inviteCrowd } from '../../../testing/calls/crowd.ts';
import {
  DECLINED_CARD,
  LATER_DECLINED_CARD,
  payDemo,
  subscribe,
} from '../../../testing/payments/demo-payments.ts';
import { renewSessions } from '../../../testing/renewed-sessions.ts';
import { startTestServer } from '../../../testing/test-context.ts';
import { DAY_MS } from '../../platform/lib/clock.ts';

const PRO = { body: { tier: 'pro' } };

test('§7 the payment is confirmed at the provider, and the plan holds when it answers', async (t) => {
  const { signIn } = await startTestServer(t);
  const frida = await signIn('frida');
  const start = await frida.call(createSubscription, PRO);
  assert.deepEqual(
    { ...start, clientSecret: start.clientSecret.slice(0, 12) },
    {
      clientSecret: 'demo_secret_',
      provider: 'demo',
      intent: 'payment',
      publishableKey: null,
      dueCents: 999,
    },
  );
  assert.equal((await frida.call(getSubscription)).tier, 'free');
  assert.deepEqual(await payDemo(frida, start.clientSecret), { status: 'succeeded' });
  const { tier, status, card } = await frida.call(getSubscription);
  assert.deepEqual(
    { tier, status, card },
    { tier: 'pro', status: 'active', card: { brand: 'visa', last4: '4242' } },
  );
  assert.deepEqual(await payDemo(frida, start.clientSecret), { status: 'succeeded' }, 'twice');
});

test('§8 a declined card: the provider’s message, no plan, and another card pays', async (t) => {
  const { signIn } = await startTestServer(t);
  const frida = await signIn('frida');
  const { clientSecret } = await frida.call(createSubscription, PRO);
  await assert.rejects(payDemo(frida, clientSecret, DECLINED_CARD), {
    status: 402,
    code: 'payment_declined',
    message: '402: Your card was declined.',
  });
  assert.equal((await frida.call(getSubscription)).tier, 'free');
  await payDemo(frida, clientSecret);
  assert.equal((await frida.call(getSubscription)).tier, 'pro');
});

test('nobody pays, or is told of, what belongs to somebody else', async (t) => {
  const server = await startTestServer(t);
  const [owner, other, newcomer] = (await inviteCrowd(server, 3)).map(({ client }) => client);
  const { clientSecret } = await owner!.call(createSubscription, PRO);
  await other!.call(createSubscription, PRO);
  for (const client of [other!, newcomer!])
    await assert.rejects(payDemo(client, clientSecret), { code: 'payment_not_found' });
  assert.equal((await owner!.call(getSubscription)).status, 'incomplete');
});

test('a card that fails at the renewal: the plan goes on within grace, another card pays what is open, once', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  await subscribe(frida, { tier: 'pro' }, LATER_DECLINED_CARD);
  server.clock.advance(31 * DAY_MS);
  await renewSessions(server);
  const failed = await frida.call(getSubscription);
  assert.deepEqual([failed.tier, failed.status, failed.card?.last4], ['pro', 'past_due', '0341']);
  assert.ok(failed.graceEndsAt);
  const open = await frida.call(payOpenInvoice);
  assert.deepEqual([open.intent, open.dueCents], ['payment', 999]);
  await Promise.all([payDemo(frida, open.clientSecret), payDemo(frida, open.clientSecret)]);
  const paid = await frida.call(getSubscription);
  assert.deepEqual([paid.status, paid.graceEndsAt, paid.card?.last4], ['active', null, '4242']);
  const invoices = await frida.call(listInvoices);
  assert.deepEqual(
    invoices.map(({ status, amountCents }) => `${status} ${amountCents}`),
    ['paid 999', 'paid 999'],
  );
  await assert.rejects(frida.call(payOpenInvoice), { code: 'nothing_to_pay' });
});

test('a number with blanks or dashes is a number; letters, a thirteenth month or no digits are not', async (t) => {
  const { signIn } = await startTestServer(t);
  const frida = await signIn('frida');
  const { clientSecret } = await frida.call(createSubscription, PRO);
  const good = { clientSecret, cardNumber: '4242-4242 4242-4242', expiry: '01 / 30', cvc: '1234' };
  const wrong = { cardNumber: '4242 4242 4242 424x', expiry: '13/30', cvc: '12', clientSecret: '' };
  for (const [field, value] of Object.entries(wrong)) {
    const body = { ...good, [field]: value };
    await assert.rejects(frida.call(confirmDemoPayment, { body }), { status: 400, code: 'invalid_input' });
  }
  await frida.call(confirmDemoPayment, { body: good });
});

test('where people pay at Stripe there is no demo', async (t) => {
  const { signIn } = await startTestServer(t, {
    STRIPE_SECRET_KEY: 'sk_test_1',
    STRIPE_PUBLISHABLE_KEY: 'pk_test_1',
    STRIPE_WEBHOOK_SECRET: 'whsec_1',
  });
  await assert.rejects(payDemo(await signIn('frida'), 'demo_secret_1'), { status: 404, code: 'not_found' });
});

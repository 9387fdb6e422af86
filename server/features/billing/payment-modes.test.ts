import assert from 'node:assert/strict';
import test from 'node:test';
import { setUserTier } from '../../../contracts/admin/users.ts';
import {
  cancelSubscription,
  changeSubscription,
  checkCoupon,
  confirmDemoPayment,
  createSubscription,
  getSubscription,
  listInvoices,
  payOpenInvoice,
  resumeSubscription,
} from '../../../contracts/plans/billing.ts';
import { getSite } from '../../../contracts/system.ts';
import { DAY_MS } from '../../../contracts/values/durations.ts';
import { inviteCrowd } from '../../../testing/calls/crowd.ts';
import { renewSessions } from '../../../testing/calls/renewed-sessions.ts';
import {
  DECLINED_CARD,
  LATER_DECLINED_CARD,
  payDemo,
  subscribe,
} from '../../../testing/payments/demo-payments.ts';
import { passDays, tierOf } from '../../../testing/payments/subscriptions.ts';
import { startServerProcess } from '../../../testing/processes/server-process.ts';
import { startTestServer } from '../../../testing/test-context.ts';
import { ConfigError, findConfigWarnings, readConfig } from '../../config.ts';
import { openPayments } from '../../platform/payments/open.ts';

const PUBLIC = { PUBLIC_URL: 'https://files.example.org' };
const KEYS = {
  STRIPE_SECRET_KEY: 'sk_test_1',
  STRIPE_PUBLISHABLE_KEY: 'pk_test_1',
  STRIPE_WEBHOOK_SECRET: 'whsec_1',
};

const MODES: [environment: Record<string, string>, payments: string, warns: boolean][] = [
  [{}, 'demo', false],
  [{ PUBLIC_URL: 'http://127.0.0.1:8080' }, 'demo', false],
  [{ PUBLIC_URL: 'http://[::1]:3000' }, 'demo', false],
  [{ PUBLIC_URL: 'http://sendwell.localhost' }, 'demo', false],
  [PUBLIC, 'off', false],
  [{ PUBLIC_URL: 'http://192.168.1.20:3000' }, 'off', false],
  [{ PUBLIC_URL: 'https://localhost.example.org' }, 'off', false],
  [{ ...PUBLIC, PAYMENTS: '' }, 'off', false],
  [{ ...PUBLIC, PAYMENTS: 'demo' }, 'demo', true],
  [{ PAYMENTS: 'off' }, 'off', false],
  [KEYS, 'stripe', false],
  [{ ...KEYS, ...PUBLIC }, 'stripe', false],
  [{ ...KEYS, PAYMENTS: 'stripe' }, 'stripe', false],
  [{ ...KEYS, ...PUBLIC, PAYMENTS: 'off' }, 'off', true],
];

for (const [environment, payments, warns] of MODES)
  test(`payments are ${payments} with ${JSON.stringify(environment)}`, () => {
    const config = readConfig(environment);
    assert.deepEqual([config.payments, config.stripe !== undefined], [payments, payments === 'stripe']);
    assert.equal(findConfigWarnings(config).length, warns ? 1 : 0);
  });

test('PAYMENTS=stripe without keys and unknown values are configuration errors', () => {
  assert.throws(() => readConfig({ PAYMENTS: 'stripe' }), ConfigError);
  assert.throws(() => readConfig({ PAYMENTS: 'paypal' }), /PAYMENTS must be off, demo or stripe/);
});

test('nobody can become Premium on a default installation at a public address', async (t) => {
  const server = await startTestServer(t, PUBLIC);
  const frida = await server.signIn('frida');
  const off = { code: 'payments_off', status: 409 };
  await assert.rejects(frida.call(createSubscription, { body: { tier: 'premium' } }), off);
  await assert.rejects(
    frida.call(createSubscription, { body: { tier: 'premium', couponCode: 'HALF' } }),
    off,
    'the coupon is not read',
  );
  await assert.rejects(frida.call(checkCoupon, { body: { tier: 'pro', code: 'HALF' } }), off);
  await assert.rejects(frida.call(changeSubscription, { body: { tier: 'pro' } }), off);
  await assert.rejects(frida.call(cancelSubscription), off);
  await assert.rejects(frida.call(resumeSubscription), off);
  await assert.rejects(frida.call(payOpenInvoice), off);
  await assert.rejects(payDemo(frida, 'demo_secret_anything'), off);
  assert.equal(await tierOf(frida), 'free');
  assert.equal((await server.context.db.selectFrom('subscriptions').selectAll().execute()).length, 0);
  const webhook = await server.anonymous().fetch('/api/payments/webhook', { method: 'POST', body: '{}' });
  assert.equal(webhook.status, 400);
});

test('with payments off an administrator assigns the plan, and the subscription has the provider “off”', async (t) => {
  const server = await startTestServer(t, { PAYMENTS: 'off' });
  const frida = await server.signIn('frida');
  const ada = await server.signIn('ada');
  await ada.call(setUserTier, { params: { id: server.userId('frida') }, body: { tier: 'pro' } });
  const { tier, status, provider } = await frida.call(getSubscription);
  assert.deepEqual([tier, status, provider], ['pro', 'none', 'off']);
  assert.deepEqual(await frida.call(listInvoices), []);
});

test('when payments are turned off, a demo subscriber keeps the plan until the period ends', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  await subscribe(frida, { tier: 'premium' });
  const { renewsAt } = await frida.call(getSubscription);
  Object.assign(server.context.config, { payments: 'off' });
  server.context.payments = await openPayments(server.context.config, server.context);
  await passDays(server, 20);
  const kept = await frida.call(getSubscription);
  assert.deepEqual(
    [kept.tier, kept.status, kept.provider, kept.renewsAt, kept.cancelAtPeriodEnd, kept.nextChargeCents],
    ['premium', 'active', 'off', renewsAt, true, null],
  );
  await assert.rejects(frida.call(cancelSubscription), { code: 'payments_off' });
  assert.equal((await frida.call(listInvoices)).length, 1, 'the paid invoice stays listed');
  await passDays(server, 12);
  assert.equal(await tierOf(frida), 'free');
  assert.equal((await frida.call(getSubscription)).status, 'none');
});

test('a plan assigned by an administrator with payments off outlives one bought before', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  const ada = await server.signIn('ada');
  await subscribe(frida, { tier: 'pro' });
  Object.assign(server.context.config, { payments: 'off' });
  server.context.payments = await openPayments(server.context.config, server.context);
  await ada.call(setUserTier, { params: { id: server.userId('frida') }, body: { tier: 'premium' } });
  assert.equal((await frida.call(getSubscription)).renewsAt, null, 'nothing ends it');
  await passDays(server, 40);
  assert.equal(await tierOf(frida), 'premium');
});

test('PAYMENTS=demo works at a public address, and the site settings say so', async (t) => {
  const server = await startTestServer(t, { ...PUBLIC, PAYMENTS: 'demo' });
  const { payments, isDemoPublic } = await server.anonymous().call(getSite);
  assert.deepEqual([payments, isDemoPublic], ['demo', true]);
  const frida = await server.signIn('frida');
  await subscribe(frida, { tier: 'pro' });
  assert.equal(await tierOf(frida), 'pro');
});

test('the log warns once at the start of a demo at a public address', async (t) => {
  const server = await startServerProcess(t, { ...PUBLIC, PAYMENTS: 'demo', LOG_LEVEL: 'warn' });
  const warnings = server.output.match(/PAYMENTS=demo at https:\/\/files\.example\.org: anybody can get/g);
  assert.equal(warnings?.length, 1, server.output);
});

test('Premium users see the address for priority support if the operator has set one', async (t) => {
  const without = await startTestServer(t);
  assert.equal((await (await without.signIn('prem')).call(getSubscription)).supportEmail, null);
  assert.equal((await without.anonymous().call(getSite)).hasPrioritySupport, false);
  const server = await startTestServer(t, { PRIORITY_SUPPORT_EMAIL: 'vip@example.org', PAYMENTS: 'off' });
  assert.equal((await server.anonymous().call(getSite)).hasPrioritySupport, true);
  assert.equal((await (await server.signIn('prem')).call(getSubscription)).supportEmail, 'vip@example.org');
  assert.equal((await (await server.signIn('paula')).call(getSubscription)).supportEmail, null);
});

const PRO = { body: { tier: 'pro' } };

test('a payment confirmed at the provider starts the plan', async (t) => {
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

test('a declined card reports the provider’s message, starts no plan, and another card can pay', async (t) => {
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

test('users can neither pay nor see the payments of others', async (t) => {
  const server = await startTestServer(t);
  const [owner, other, newcomer] = (await inviteCrowd(server, 3)).map(({ client }) => client);
  const { clientSecret } = await owner!.call(createSubscription, PRO);
  await other!.call(createSubscription, PRO);
  for (const client of [other!, newcomer!])
    await assert.rejects(payDemo(client, clientSecret), { code: 'payment_not_found' });
  assert.equal((await owner!.call(getSubscription)).status, 'incomplete');
});

test('after a failed renewal the plan continues within the grace period, and another card pays the open invoice once', async (t) => {
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

test('card numbers may contain blanks or dashes; letters, a thirteenth month and missing digits are refused', async (t) => {
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

test('the demo payment call does not exist when Stripe is configured', async (t) => {
  const { signIn } = await startTestServer(t, {
    STRIPE_SECRET_KEY: 'sk_test_1',
    STRIPE_PUBLISHABLE_KEY: 'pk_test_1',
    STRIPE_WEBHOOK_SECRET: 'whsec_1',
  });
  await assert.rejects(payDemo(await signIn('frida'), 'demo_secret_1'), { status: 404, code: 'not_found' });
});

import assert from 'node:assert/strict';
import test from 'node:test';
import type { ApiError } from '../../../client/api-error.ts';
import {
  cancelSubscription,
  createSubscription,
  getSubscription,
  listInvoices,
  payOpenInvoice,
  resumeSubscription,
} from '../../../contracts/plans/billing.ts';
import { verifyDownload, viewDownload } from '../../../contracts/transfers/downloads/downloads.ts';
import { getTransfer, updateTransfer } from '../../../contracts/transfers/transfers.ts';
import { DAY_MS } from '../../../contracts/values/durations.ts';
import { createReadyTransfer } from '../../../testing/factories.ts';
import { startSmtpServer } from '../../../testing/network/smtp-server.ts';
import { countUses, createCoupon } from '../../../testing/payments/coupons.ts';
import {
  CARDS,
  mailKinds,
  passDays,
  pay,
  subscribe,
  tierOf,
} from '../../../testing/payments/subscriptions.ts';
import { startTestServer } from '../../../testing/test-context.ts';
import { toIso } from '../../platform/lib/clock.ts';

const GRACE_DAYS = 7;

test('a confirmed payment starts the plan: tier, card, next charge, invoice, and a receipt by mail', async (t) => {
  const smtp = await startSmtpServer();
  t.after(() => smtp.stop());
  const server = await startTestServer(t, { SMTP_URL: smtp.url, MAIL_FROM: 'Sendwell <pay@example.org>' });
  const frida = await server.signIn('frida');
  const start = await frida.call(createSubscription, { body: { tier: 'pro' } });
  assert.deepEqual(
    { ...start, clientSecret: '' },
    {
      clientSecret: '',
      provider: 'demo',
      intent: 'payment',
      publishableKey: null,
      dueCents: 999,
    },
  );
  assert.equal(await tierOf(frida), 'free', 'nothing is paid yet');
  assert.equal((await frida.call(getSubscription)).status, 'incomplete');
  await pay(frida, start.clientSecret);
  assert.equal(await tierOf(frida), 'pro');
  assert.deepEqual(await frida.call(getSubscription), {
    tier: 'pro',
    status: 'active',
    renewsAt: '2026-12-15T12:00:00.000Z',
    cancelAtPeriodEnd: false,
    scheduledTier: null,
    nextChargeCents: 999,
    discountPercent: 0,
    freeUntil: null,
    graceEndsAt: null,
    card: { brand: 'visa', last4: '4242' },
    provider: 'demo',
    supportEmail: null,
  });
  const [invoice, ...others] = await frida.call(listInvoices);
  assert.deepEqual(others, []);
  assert.deepEqual([invoice!.status, invoice!.amountCents], ['paid', 999]);
  assert.equal(invoice!.createdAt, toIso(server.clock.now()));
  await server.drainJobs();
  assert.deepEqual(
    smtp.mails.map(({ subject, to }) => [subject, to?.[0]?.address]),
    [['Your receipt: Sendwell Pro, $9.99', 'frida@example.org']],
  );
  assert.match(smtp.mails[0]!.text!, /December 15, 2026/);
});

test('a declined card reports the reason, the user stays Free, and the same attempt accepts another card', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  const start = await frida.call(createSubscription, { body: { tier: 'pro' } });
  await assert.rejects(pay(frida, start.clientSecret, CARDS.isDeclined), (error: ApiError) => {
    assert.deepEqual([error.status, error.problem.detail], [402, 'Your card was declined.']);
    return true;
  });
  assert.equal(await tierOf(frida), 'free');
  assert.deepEqual(await mailKinds(server), []);
  assert.deepEqual(await frida.call(listInvoices), []);
  const again = await frida.call(createSubscription, { body: { tier: 'pro' } });
  assert.deepEqual(again, start, 'not a second attempt');
  await pay(frida, again.clientSecret);
  assert.equal(await tierOf(frida), 'pro');
});

test('a plan is billed monthly, each time with an invoice and a receipt', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  await subscribe(frida, { tier: 'premium' });
  await passDays(server, 31);
  await passDays(server, 31);
  const invoices = await frida.call(listInvoices);
  assert.deepEqual(
    invoices.map(({ status, amountCents, periodStartsAt }) => [status, amountCents, periodStartsAt]),
    [
      ['paid', 2499, '2027-01-15T12:00:00.000Z'],
      ['paid', 2499, '2026-12-15T12:00:00.000Z'],
      ['paid', 2499, '2026-11-15T12:00:00.000Z'],
    ],
  );
  assert.deepEqual(await mailKinds(server), Array(3).fill('payment-receipt'));
  assert.equal((await frida.call(getSubscription)).renewsAt, '2027-02-15T12:00:00.000Z');
});

test('a failed renewal is mailed immediately; the plan continues within the grace period until another card pays', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  await subscribe(frida, { tier: 'pro', card: CARDS.failsLater });
  await assert.rejects(frida.call(payOpenInvoice), { code: 'nothing_to_pay' });
  await passDays(server, 30);
  const failedAt = server.clock.now();
  const pastDue = await frida.call(getSubscription);
  assert.deepEqual(
    [pastDue.tier, pastDue.status, pastDue.graceEndsAt],
    ['pro', 'past_due', toIso(failedAt + GRACE_DAYS * DAY_MS)],
  );
  assert.equal((await frida.call(listInvoices))[0]!.status, 'open');
  await passDays(server, 6);
  assert.deepEqual(await mailKinds(server), ['payment-receipt', 'payment-failed'], 'mailed once');
  await assert.rejects(frida.call(createSubscription, { body: { tier: 'premium' } }), {
    message: '402: A payment is still open. Please pay it first.',
  });
  const open = await frida.call(payOpenInvoice);
  assert.deepEqual([open.intent, open.dueCents], ['payment', 999]);
  await pay(frida, open.clientSecret);
  const paid = await frida.call(getSubscription);
  assert.deepEqual([paid.status, paid.graceEndsAt, paid.card?.last4], ['active', null, '4242']);
  await passDays(server, 20);
  assert.equal(await tierOf(frida), 'pro');
  assert.deepEqual(await mailKinds(server), ['payment-receipt', 'payment-failed', 'payment-receipt']);
});

test('a payment that stays open ends the plan after the grace period, with a mail', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  await subscribe(frida, { tier: 'pro', card: CARDS.failsLater });
  await passDays(server, 30);
  await passDays(server, GRACE_DAYS - 1);
  assert.equal(await tierOf(frida), 'pro');
  await passDays(server, 1);
  assert.equal(await tierOf(frida), 'free');
  assert.equal((await frida.call(getSubscription)).status, 'ended');
  assert.equal((await frida.call(listInvoices))[0]!.status, 'void');
  assert.deepEqual(await mailKinds(server), ['payment-receipt', 'payment-failed', 'plan-ended']);
  await assert.rejects(frida.call(payOpenInvoice), { code: 'no_subscription' });
  await subscribe(frida, { tier: 'pro' });
  assert.equal(await tierOf(frida), 'pro', 'one may come back');
});

test('a cancelled plan continues to the end of its period, with a reminder three days before and no refund', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  await subscribe(frida, { tier: 'pro' });
  const cancelled = await frida.call(cancelSubscription);
  assert.deepEqual(
    [cancelled.tier, cancelled.status, cancelled.cancelAtPeriodEnd, cancelled.nextChargeCents],
    ['pro', 'active', true, null],
  );
  assert.deepEqual(await frida.call(cancelSubscription), cancelled, 'cancelling twice has no effect');
  await passDays(server, 26);
  assert.deepEqual(await mailKinds(server), ['payment-receipt']);
  await passDays(server, 2);
  await passDays(server, 1);
  assert.deepEqual(await mailKinds(server), ['payment-receipt', 'plan-ending-reminder'], 'reminded once');
  assert.equal(await tierOf(frida), 'pro');
  await passDays(server, 1);
  assert.equal(await tierOf(frida), 'free');
  assert.deepEqual((await mailKinds(server)).slice(2), ['plan-ended']);
  assert.equal((await frida.call(listInvoices)).length, 1);
  await assert.rejects(frida.call(resumeSubscription), { code: 'no_subscription', status: 404 });
  await assert.rejects(frida.call(cancelSubscription), { code: 'no_subscription' });
});

test('a cancellation undone before the end of the period renews as usual', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  const before = await subscribe(frida, { tier: 'pro' });
  await frida.call(cancelSubscription);
  assert.deepEqual(await frida.call(resumeSubscription), before);
  assert.deepEqual(await frida.call(resumeSubscription), before, 'resuming twice has no effect');
  await passDays(server, 31);
  assert.equal(await tierOf(frida), 'pro');
  assert.deepEqual(await mailKinds(server), ['payment-receipt', 'payment-receipt']);
});

test('free months charge nothing, and a mail announces the first charge three days before', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  const coupon = await createCoupon(server.context, { discountPercent: 25, freeMonths: 1 });
  const start = await frida.call(createSubscription, { body: { tier: 'pro', couponCode: 'half' } });
  assert.deepEqual([start.intent, start.dueCents], ['setup', 0]);
  assert.deepEqual(await countUses(server.context, coupon.id), { currentUses: 1, held: 1, redeemed: 0 });
  await pay(frida, start.clientSecret);
  assert.deepEqual(await countUses(server.context, coupon.id), { currentUses: 1, held: 0, redeemed: 1 });
  const free = await frida.call(getSubscription);
  assert.deepEqual(
    [free.tier, free.status, free.freeUntil, free.nextChargeCents, free.discountPercent],
    ['pro', 'trialing', '2026-12-15T12:00:00.000Z', 749, 25],
  );
  await passDays(server, 26);
  assert.deepEqual(await mailKinds(server), []);
  await passDays(server, 2);
  await passDays(server, 1);
  assert.deepEqual(await mailKinds(server), ['renewal-reminder']);
  assert.match((await server.mails())[0]!.subject, /ends on December 15, 2026/);
  await passDays(server, 1);
  assert.deepEqual(
    (await frida.call(listInvoices)).map(({ amountCents }) => amountCents),
    [749],
  );
  const paying = await frida.call(getSubscription);
  assert.deepEqual([paying.status, paying.freeUntil], ['active', null]);
  await passDays(server, 29);
  assert.deepEqual(
    await mailKinds(server),
    ['renewal-reminder', 'payment-receipt'],
    'of the first charge only',
  );
});

test('a transfer keeps its password, schedule, limit and dates after the plan has ended', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  await subscribe(frida, { tier: 'premium' });
  await frida.call(cancelSubscription);
  const now = server.clock.now();
  const { id, token } = await createReadyTransfer(server.context, {
    userId: server.userId('frida'),
    files: [{ path: 'a.txt', bytes: 'a' }],
    password: 'secret',
    maxDownloads: 3,
    autoDeleteAfterDownloads: true,
    scheduledAvailableAt: now + 40 * DAY_MS,
    expiresAt: now + 80 * DAY_MS,
  });
  await passDays(server, 1);
  const promised = await frida.call(getTransfer, { params: { id } });
  await passDays(server, 29);
  assert.equal(await tierOf(frida), 'free');
  assert.deepEqual(await frida.call(getTransfer, { params: { id } }), promised);
  const rex = server.anonymous();
  const params = { token };
  assert.equal((await rex.call(viewDownload, { params })).isPasswordProtected, true);
  await passDays(server, 11);
  await rex.call(verifyDownload, { params, body: { password: 'secret' } });
  assert.equal((await rex.call(viewDownload, { params })).unlocked, true);
  // New transfers follow the current plan.
  const plain = await createReadyTransfer(server.context, {
    userId: server.userId('frida'),
    files: [{ path: 'b.txt', bytes: 'b' }],
  });
  const change = { params: { id: plain.id }, body: { maxDownloads: 9 } };
  await assert.rejects(frida.call(updateTransfer, change), { code: 'tier_required' });
});

import assert from 'node:assert/strict';
import test from 'node:test';
import { createSubscription, getSubscription, listInvoices } from '../../../../contracts/plans/billing.ts';
import { DEFAULT_TIER_CONFIG } from '../../../../contracts/plans/tiers.ts';
import { removeAccount } from '../../../../testing/calls/left-of-account.ts';
import { countUses, createCoupon } from '../../../../testing/payments/coupons.ts';
import {
  breakPayments,
  listSubscriptions,
  passDays,
  pay,
  subscribe,
  tierOf,
} from '../../../../testing/payments/subscriptions.ts';
import { startTestServer, type TestServer } from '../../../../testing/test-context.ts';
import { AppError } from '../../../platform/lib/app-error.ts';
import type { PaymentProvider } from '../../../platform/payments/provider.ts';
import { TIER_CONFIG_KEY } from '../../tiers/tiers.ts';
import { syncSubscription } from '../sync/sync.ts';

const PRO = { body: { tier: 'pro' } };
const PREMIUM = { body: { tier: 'premium' } };

test('twenty parallel calls of one user start one subscription, and each response can pay it', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  const starts = await Promise.all(Array.from({ length: 20 }, () => frida.call(createSubscription, PRO)));
  assert.deepEqual(new Set(starts.map(({ clientSecret }) => clientSecret)).size, 1);
  assert.equal((await listSubscriptions(server, 'frida')).length, 1);
  await pay(frida, starts[0]!.clientSecret);
  await pay(frida, starts[1]!.clientSecret);
  assert.equal((await frida.call(listInvoices)).length, 1, 'paid once');
});

test('parallel calls for both plans leave one attempt that can be paid', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  const starts = await Promise.all(
    [PRO, PREMIUM, PRO, PREMIUM].map((wish) => frida.call(createSubscription, wish)),
  );
  const open = (await listSubscriptions(server, 'frida')).filter(({ status }) => status !== 'ended');
  assert.equal(open.length, 1);
  const results = await Promise.allSettled(
    [...new Set(starts.map(({ clientSecret }) => clientSecret))].map((secret) => pay(frida, secret)),
  );
  assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1);
  assert.equal(await tierOf(frida), open[0]!.tier);
});

test('choosing another plan ends the previous attempt, which can no longer be paid', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  const first = await frida.call(createSubscription, PRO);
  const second = await frida.call(createSubscription, PREMIUM);
  await assert.rejects(pay(frida, first.clientSecret), { code: 'payment_not_found' });
  await pay(frida, second.clientSecret);
  assert.equal(await tierOf(frida), 'premium');
  const rows = await listSubscriptions(server, 'frida');
  assert.deepEqual(rows.map(({ tier, status }) => `${tier} ${status}`).sort(), [
    'premium active',
    'pro ended',
  ]);
});

test('a changed price applies to new attempts; existing subscriptions keep theirs', async (t) => {
  const server = await startTestServer(t);
  const [frida, ada] = [await server.signIn('frida'), await server.signIn('ada')];
  await subscribe(ada, { tier: 'pro' });
  assert.equal((await frida.call(createSubscription, PRO)).dueCents, 999);
  await setProPrice(server, 19.99);
  assert.equal((await frida.call(createSubscription, PRO)).dueCents, 1999);
  await passDays(server, 30);
  assert.deepEqual(
    (await ada.call(listInvoices)).map(({ amountCents }) => amountCents),
    [999, 999],
  );
});

test('a coupon use moves with its user from attempt to attempt, even the last use', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  const coupon = await createCoupon(server.context, { maxUses: 1 });
  const withCoupon = { body: { tier: 'pro', couponCode: 'HALF' } };
  assert.equal((await frida.call(createSubscription, withCoupon)).dueCents, 500);
  await setProPrice(server, 20);
  const second = await frida.call(createSubscription, withCoupon);
  assert.equal(second.dueCents, 1000);
  assert.deepEqual(await countUses(server.context, coupon.id), { currentUses: 1, held: 1, redeemed: 0 });
  assert.equal((await frida.call(createSubscription, PRO)).dueCents, 2000);
  assert.deepEqual(await countUses(server.context, coupon.id), { currentUses: 0, held: 0, redeemed: 0 });
  assert.equal((await subscribe(frida, { tier: 'pro', couponCode: 'HALF' })).discountPercent, 50);
  assert.deepEqual(await countUses(server.context, coupon.id), { currentUses: 1, held: 0, redeemed: 1 });
});

test('an unpaid attempt ends within a day and releases its coupon', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  const coupon = await createCoupon(server.context, { maxUses: 1 });
  await frida.call(createSubscription, { body: { tier: 'pro', couponCode: 'HALF' } });
  await passDays(server, 1);
  assert.deepEqual(await countUses(server.context, coupon.id), { currentUses: 0, held: 0, redeemed: 0 });
  assert.equal((await frida.call(getSubscription)).status, 'none');
  assert.deepEqual(await frida.call(listInvoices), [], 'an attempt that was never paid has no invoice');
  assert.deepEqual(await server.mails(), []);
});

test('a provider that is down at any step leaves no half-started attempt and no reserved coupon', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  const coupon = await createCoupon(server.context, { maxUses: 1 });
  const wish = { body: { tier: 'pro', couponCode: 'HALF' } };
  for (const step of ['ensureCustomer', 'startSubscription'] as const) {
    const restore = breakPayments(server, step);
    await assert.rejects(frida.call(createSubscription, wish), { code: 'payments_unavailable', status: 503 });
    assert.deepEqual(
      await countUses(server.context, coupon.id),
      { currentUses: 0, held: 0, redeemed: 0 },
      step,
    );
    assert.deepEqual(await listSubscriptions(server, 'frida'), []);
    restore();
  }
  const start = await frida.call(createSubscription, wish);
  await setProPrice(server, 20);
  for (const step of ['findSubscription', 'abandon'] as const) {
    const restore = breakPayments(server, step);
    await assert.rejects(frida.call(createSubscription, wish), { code: 'payments_unavailable' });
    assert.deepEqual(
      await countUses(server.context, coupon.id),
      { currentUses: 1, held: 1, redeemed: 0 },
      step,
    );
    restore();
  }
  await pay(frida, start.clientSecret);
  assert.equal(await tierOf(frida), 'pro');
  assert.deepEqual(await countUses(server.context, coupon.id), { currentUses: 1, held: 0, redeemed: 1 });
});

test('an attempt whose response was lost does not discount the next attempt', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  await createCoupon(server.context);
  const lost = await loseAnswer(server, () =>
    frida.call(createSubscription, { body: { tier: 'pro', couponCode: 'HALF' } }),
  );
  // Its event arrives although the call failed.
  await sync(server, lost);
  assert.equal((await listSubscriptions(server, 'frida'))[0]!.discountPercent, 50);
  assert.equal((await frida.call(createSubscription, PRO)).dueCents, 999);
});

test('an event that arrives before the call finishes finds its user, and the call finds the row', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  const coupon = await createCoupon(server.context);
  const { payments } = server.context;
  const start = payments.startSubscription;
  payments.startSubscription = async (wish) => {
    const started = await start(wish);
    await sync(server, started.subscriptionId);
    return started;
  };
  assert.equal((await subscribe(frida, { tier: 'pro', couponCode: 'HALF' })).status, 'active');
  const [row, ...others] = await listSubscriptions(server, 'frida');
  assert.deepEqual([row!.couponId, others], [coupon.id, []]);
  assert.deepEqual(await countUses(server.context, coupon.id), { currentUses: 1, held: 0, redeemed: 1 });
});

test('the current plan, a lower plan, and a coupon for a change are refused', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  await subscribe(frida, { tier: 'pro' });
  await assert.rejects(frida.call(createSubscription, PRO), {
    code: 'already_subscribed',
    message: '409: You are already on the Pro plan.',
  });
  await createCoupon(server.context, { tier: 'premium' });
  const body = { tier: 'premium', couponCode: 'HALF' };
  await assert.rejects(frida.call(createSubscription, { body }), { code: 'coupon_not_for_changes' });
  await frida.call(createSubscription, PREMIUM);
  await assert.rejects(frida.call(createSubscription, PRO), {
    message: '409: You are already on the Premium plan.',
  });
});

test('an account deleted while its subscription is being started is not charged', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  const { payments } = server.context;
  const start = payments.startSubscription;
  let id = '';
  payments.startSubscription = async (wish) => {
    const started = await start(wish);
    id = started.subscriptionId;
    await removeAccount(frida);
    return started;
  };
  await assert.rejects(frida.call(createSubscription, PRO), { code: 'not_signed_in' });
  await server.drainJobs();
  assert.equal((await payments.findSubscription(id))!.status, 'ended');
});

test('a user can start at most thirty attempts an hour', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  for (let tries = 0; tries < 30; tries += 1) await frida.call(createSubscription, PRO);
  await assert.rejects(frida.call(createSubscription, PRO), { status: 429 });
});

async function setProPrice({ context }: TestServer, price: number): Promise<void> {
  const value = JSON.stringify({ ...DEFAULT_TIER_CONFIG, pro: { ...DEFAULT_TIER_CONFIG.pro, price } });
  await context.db
    .insertInto('settings')
    .values({ id: 'plans', key: TIER_CONFIG_KEY, value, updatedAt: 1 })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
    .execute();
}

function sync({ context }: TestServer, id: string) {
  return syncSubscription(context, id);
}

/** Lets the provider start the subscription but loses its response. Returns the subscription's ID. */
async function loseAnswer({ context }: TestServer, call: () => Promise<unknown>): Promise<string> {
  const { payments } = context;
  const start: PaymentProvider['startSubscription'] = payments.startSubscription;
  let id = '';
  payments.startSubscription = async (wish) => {
    id = (await start(wish)).subscriptionId;
    throw new AppError('payments_unavailable');
  };
  await assert.rejects(call(), { code: 'payments_unavailable' });
  payments.startSubscription = start;
  return id;
}

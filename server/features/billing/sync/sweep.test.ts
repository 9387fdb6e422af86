import assert from 'node:assert/strict';
import test from 'node:test';
import {
  cancelSubscription,
  createSubscription,
  getSubscription,
} from '../../../../contracts/plans/billing.ts';
import { HOUR_MS, MINUTE_MS } from '../../../../contracts/values/durations.ts';
import { onlyInAll } from '../../../../testing/lib/only-in-all.ts';
import { countUses, createCoupon } from '../../../../testing/payments/coupons.ts';
import {
  breakPayments,
  CARDS,
  jumpDays,
  listSubscriptions,
  mailKinds,
  passDays,
  payAtProvider,
  subscribe,
  tierOf,
} from '../../../../testing/payments/subscriptions.ts';
import { startTestServer, type TestServer } from '../../../../testing/test-context.ts';
import type { SubscriptionRow } from '../../../platform/db/schema.ts';
import { AppError } from '../../../platform/lib/app-error.ts';

async function sweep({ clock, drainJobs }: TestServer): Promise<void> {
  // The first run only enqueues the subscriptions.
  await drainJobs();
  clock.advance(11 * MINUTE_MS);
  await drainJobs();
}

/** Changes the provider of all subscriptions, as if the operator had switched providers since. */
async function setProvider({ context }: TestServer, provider: SubscriptionRow['provider']): Promise<void> {
  await context.db.updateTable('subscriptions').set({ provider }).execute();
}

async function statusOf(server: TestServer): Promise<string> {
  return (await listSubscriptions(server, 'frida')).at(-1)!.status;
}

test('after a switch of providers a plan lasts to the end of its period, then ends with a mail', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  await subscribe(frida, { tier: 'premium' });
  await setProvider(server, 'stripe');
  await passDays(server, 29);
  assert.deepEqual([await tierOf(frida), (await frida.call(getSubscription)).status], ['premium', 'none']);
  await passDays(server, 1);
  await sweep(server);
  assert.deepEqual([await tierOf(frida), await statusOf(server)], ['free', 'ended']);
  assert.deepEqual(await mailKinds(server), ['payment-receipt', 'plan-ended']);
  await passDays(server, 2);
  assert.equal((await mailKinds(server)).length, 2, 'mailed once');
});

test('after a switch of providers an unpaid plan ends with its grace period and an attempt within a day', async (t) => {
  const server = await startTestServer(t);
  const [frida, ada] = [await server.signIn('frida'), await server.signIn('ada')];
  const coupon = await createCoupon(server.context, { maxUses: 1 });
  await subscribe(frida, { tier: 'pro', card: CARDS.failsLater });
  await passDays(server, 30);
  await ada.call(createSubscription, { body: { tier: 'pro', couponCode: 'HALF' } });
  await setProvider(server, 'stripe');
  await sweep(server);
  assert.deepEqual([await tierOf(frida), await statusOf(server)], ['pro', 'past_due']);
  await passDays(server, 1);
  await sweep(server);
  assert.deepEqual(await countUses(server.context, coupon.id), { currentUses: 0, held: 0, redeemed: 0 });
  await passDays(server, 6);
  await sweep(server);
  assert.deepEqual([await tierOf(frida), await statusOf(server)], ['free', 'ended']);
});

test('the end of a former provider’s plan does not end the plan that is paid for now', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  await subscribe(frida, { tier: 'premium' });
  await setProvider(server, 'stripe');
  await passDays(server, 10);
  await subscribe(frida, { tier: 'pro' });
  assert.equal(await tierOf(frida), 'pro');
  await passDays(server, 20);
  await sweep(server);
  assert.equal(await tierOf(frida), 'pro');
  assert.ok(!(await mailKinds(server)).includes('plan-ended'));
});

test('a plan that ended while its provider was not configured returns with the keys and is not bought twice', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  await subscribe(frida, { tier: 'pro' });
  await setProvider(server, 'stripe');
  await passDays(server, 30);
  await sweep(server);
  assert.equal(await tierOf(frida), 'free');
  await setProvider(server, 'demo');
  await assert.rejects(frida.call(createSubscription, { body: { tier: 'pro' } }), {
    code: 'already_subscribed',
  });
  assert.equal(await tierOf(frida), 'pro');
  await server.context.payments.end((await listSubscriptions(server, 'frida'))[0]!.providerSubscriptionId);
  await setProvider(server, 'stripe');
  await passDays(server, 31);
  await sweep(server);
  await setProvider(server, 'demo');
  await passDays(server, 1);
  await sweep(server);
  const [row] = await listSubscriptions(server, 'frida');
  assert.deepEqual([row!.status, row!.endedAt !== null], ['ended', true], 'the provider has said so');
});

test('a clock that jumps ahead ends no plan of a former provider', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  await subscribe(frida, { tier: 'pro' });
  await setProvider(server, 'stripe');
  await sweep(server);
  await jumpDays(server, 3650);
  assert.equal(await tierOf(frida), 'pro');
});

test('a subscription whose poll fails neither delays others nor blocks a coupon', async (t) => {
  const server = await startTestServer(t);
  const { payments } = server.context;
  const clients = await Promise.all((['frida', 'ada', 'paula'] as const).map((name) => server.signIn(name)));
  await server.drainJobs();
  for (const client of clients) await client.call(createSubscription, { body: { tier: 'pro' } });
  const rows = await server.context.db.selectFrom('subscriptions').selectAll().orderBy('id').execute();
  for (const { providerSubscriptionId } of rows) await payAtProvider(server, providerSubscriptionId);
  const { findSubscription } = payments;
  payments.findSubscription = async (id) => {
    if (id === rows[0]!.providerSubscriptionId) throw new AppError('payments_unavailable');
    return findSubscription(id);
  };
  await sweep(server);
  const now = await server.context.db.selectFrom('subscriptions').selectAll().orderBy('id').execute();
  assert.deepEqual(
    now.map(({ status }) => status),
    ['incomplete', 'active', 'active'],
  );
});

test('a coupon use left by a crash is released even if the provider is down for days', async (t) => {
  const server = await startTestServer(t);
  const { context, clock } = server;
  const coupon = await createCoupon(context, { maxUses: 1, currentUses: 1 });
  const frida = await server.signIn('frida');
  await subscribe(frida, { tier: 'pro' });
  await context.db
    .insertInto('couponRedemptions')
    .values({
      ...{ id: 'left', couponId: coupon.id, userId: server.userId('ada'), state: 'held' },
      ...{ providerSubscriptionId: 'attempt', createdAt: clock.now() },
    })
    .execute();
  breakPayments(server, 'findSubscription', 'listInvoices', 'end', 'abandon');
  await passDays(server, 40);
  await sweep(server);
  assert.deepEqual(await countUses(context, coupon.id), { currentUses: 0, held: 0, redeemed: 0 });
});

test('changes without an event are found within a day by one poll a day', onlyInAll, async (t) => {
  const server = await startTestServer(t);
  const { payments } = server.context;
  const frida = await server.signIn('frida');
  await subscribe(frida, { tier: 'pro' });
  await server.drainJobs();
  const [{ providerSubscriptionId: id } = { providerSubscriptionId: '' }] = await listSubscriptions(
    server,
    'frida',
  );
  let polls = 0;
  const { findSubscription } = payments;
  payments.findSubscription = async (each) => {
    polls += 1;
    return findSubscription(each);
  };
  for (let hour = 0; hour < 3 * 24; hour += 1) {
    server.clock.advance(HOUR_MS);
    await server.drainJobs();
  }
  assert.ok(polls >= 2 && polls <= 3, `polled ${polls} times in three days`);
  await payments.end(id);
  assert.equal(await tierOf(frida), 'pro');
  await passDays(server, 1);
  assert.equal(await tierOf(frida), 'free');
  assert.deepEqual(await mailKinds(server), ['payment-receipt', 'plan-ended']);
});

test('a refund whose event is lost ends the plan within a day', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  await subscribe(frida, { tier: 'pro' });
  await server.drainJobs();
  const { payments } = server.context;
  const { listInvoices } = payments;
  payments.listInvoices = async (customerId) =>
    (await listInvoices(customerId)).map((invoice) => ({ ...invoice, status: 'refunded' as const }));
  await passDays(server, 1);
  assert.equal(await tierOf(frida), 'free');
});

test('no reminder announces a charge that a former provider cannot make', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  await createCoupon(server.context, { freeMonths: 1 });
  await subscribe(frida, { tier: 'pro', couponCode: 'HALF' });
  await setProvider(server, 'stripe');
  await passDays(server, 28);
  assert.deepEqual(await mailKinds(server), []);
  await setProvider(server, 'demo');
  await frida.call(cancelSubscription);
  await setProvider(server, 'stripe');
  await passDays(server, 1);
  assert.deepEqual(
    await mailKinds(server),
    ['plan-ending-reminder'],
    'the end of the plan is still announced',
  );
});

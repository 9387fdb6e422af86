import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import type { ApiError } from '../../../../client/api-error.ts';
import { createSubscription, getSubscription, listInvoices } from '../../../../contracts/plans/billing.ts';
import { DAY_MS, HOUR_MS } from '../../../../contracts/values/durations.ts';
import { countUses, createCoupon } from '../../../../testing/payments/coupons.ts';
import { StripeFake } from '../../../../testing/payments/stripe/fake.ts';
import {
  beginPro,
  listSubscriptions,
  mailKinds,
  payAtProvider,
  tierOf,
} from '../../../../testing/payments/subscriptions.ts';
import { startTestServer, type TestServer } from '../../../../testing/test-context.ts';

const PREMIUM = { body: { tier: 'premium' } };
const WITH_COUPON = { body: { tier: 'pro', couponCode: 'HALF' } };

async function startAtStripe(t: TestContext): Promise<{ server: TestServer; fake: StripeFake }> {
  // The server provides the clock but needs the fake's address to start.
  let now = () => 0;
  const fake = await new StripeFake({ now: () => now() }).start();
  t.after(() => fake.stop());
  const server = await startTestServer(t, fake.env);
  now = () => server.clock.now();
  return { server, fake };
}

function isConfirmed(fake: StripeFake, clientSecret: string): boolean {
  try {
    fake.confirm(clientSecret, '4242424242424242');
    return true;
  } catch {
    return false;
  }
}

/** Pays the attempt, as from another tab, just before it is abandoned. */
function payBeforeAbandoning(server: TestServer): void {
  const { payments } = server.context;
  const { abandon } = payments;
  payments.abandon = async (id) => {
    payments.abandon = abandon;
    await payAtProvider(server, id);
    return abandon(id);
  };
}

test('an attempt paid while it is being replaced becomes the plan, and nothing else is charged', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  await beginPro(server, frida);
  payBeforeAbandoning(server);
  await assert.rejects(frida.call(createSubscription, PREMIUM), {
    code: 'already_subscribed',
    message: '409: You are already on the Pro plan.',
  });
  assert.deepEqual([await tierOf(frida), (await frida.call(getSubscription)).status], ['pro', 'active']);
  const invoices = await frida.call(listInvoices);
  assert.deepEqual(
    invoices.map(({ status, amountCents }) => [status, amountCents]),
    [['paid', 999]],
  );
  assert.deepEqual(await mailKinds(server), ['payment-receipt']);
  assert.equal((await listSubscriptions(server, 'frida')).length, 1);
  await frida.call(createSubscription, PREMIUM);
  assert.equal(await tierOf(frida), 'premium', 'and the next call is an upgrade');
});

test('when an attempt is paid while being replaced, only its coupon is redeemed', async (t) => {
  for (const [wish, isDearer] of [
    [WITH_COUPON, true],
    [{ body: { tier: 'pro' } }, false],
    [{ body: { tier: 'premium', couponCode: 'OTHER' } }, false],
  ] as const) {
    const server = await startTestServer(t);
    const frida = await server.signIn('frida');
    const coupon = await createCoupon(server.context, { maxUses: 1 });
    const other = await createCoupon(server.context, { code: 'OTHER', tier: 'premium' });
    await frida.call(createSubscription, WITH_COUPON);
    // The same request starts a new attempt if the price has changed.
    if (isDearer) await server.context.db.updateTable('demoSubscriptions').set({ priceCents: 100 }).execute();
    payBeforeAbandoning(server);
    await assert.rejects(frida.call(createSubscription, wish), { code: 'already_subscribed' });
    assert.deepEqual(await countUses(server.context, coupon.id), { currentUses: 1, held: 0, redeemed: 1 });
    assert.deepEqual(await countUses(server.context, other.id), { currentUses: 0, held: 0, redeemed: 0 });
  }
});

test('an attempt at Stripe that is paid during its replacement becomes the plan or is upgraded, whenever it is paid', async (t) => {
  const plans = new Set<string>();
  for (let step = 0, isLast = false; !isLast; step += 1) {
    const { server, fake } = await startAtStripe(t);
    const frida = await server.signIn('frida');
    const { clientSecret } = await frida.call(createSubscription, { body: { tier: 'pro' } });
    let requests = 0;
    let isPaid = false;
    fake.beforeRequest = () => {
      if (requests === step) isPaid = isConfirmed(fake, clientSecret);
      requests += 1;
    };
    const outcome = await frida.call(createSubscription, PREMIUM).then(
      () => 'begun',
      (error: ApiError) => error.code,
    );
    fake.beforeRequest = undefined;
    await frida.call(getSubscription);
    const tier = await tierOf(frida);
    const charged = fake.account.list('charge').length;
    isLast = !isPaid;
    // Paid before the first sync: the request is an upgrade, which is charged too.
    if (isPaid && outcome === 'begun') assert.deepEqual([tier, charged], ['premium', 2], `step ${step}`);
    else if (isPaid)
      assert.deepEqual([outcome, tier, charged], ['already_subscribed', 'pro', 1], `step ${step}`);
    else assert.deepEqual([outcome, tier, charged], ['begun', 'free', 0], `step ${step}`);
    plans.add(tier!);
  }
  assert.deepEqual(plans, new Set(['premium', 'pro', 'free']));
});

test('an attempt being paid cannot be replaced until its outcome is known', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  await beginPro(server, frida);
  const { payments } = server.context;
  // The provider neither cancels the attempt nor reports it as paid yet.
  payments.abandon = async () => false;
  await assert.rejects(frida.call(createSubscription, PREMIUM), { code: 'conflict', status: 409 });
  assert.equal((await listSubscriptions(server, 'frida')).length, 1);
});

test('an attempt that is paid during the sweep becomes the plan', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  const id = await beginPro(server, frida);
  await server.drainJobs();
  // The provider keeps attempts longer than the server.
  const { payments } = server.context;
  await server.context.db
    .updateTable('demoSubscriptions')
    .set({ createdAt: server.clock.now() + DAY_MS })
    .execute();
  await server.context.db
    .updateTable('subscriptions')
    .set({ createdAt: server.clock.now() - DAY_MS })
    .execute();
  payBeforeAbandoning(server);
  server.clock.advance(HOUR_MS);
  await server.drainJobs();
  assert.equal((await payments.findSubscription(id))!.status, 'active');
  assert.equal(await tierOf(frida), 'pro');
});

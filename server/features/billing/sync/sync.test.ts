import assert from 'node:assert/strict';
import test from 'node:test';
import { getSubscription, listInvoices } from '../../../../contracts/plans/billing.ts';
import { DAY_MS, MINUTE_MS } from '../../../../contracts/values/durations.ts';
import {
  beginPro,
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
import { startTestServer } from '../../../../testing/test-context.ts';
import { syncSubscription } from './sync.ts';

test('an older response of the provider never overwrites a newer one', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  const id = await beginPro(server, frida);
  const { payments } = server.context;
  const { findSubscription } = payments;
  const delayed = Promise.withResolvers<void>();
  const requested = Promise.withResolvers<void>();
  payments.findSubscription = async (subscriptionId) => {
    const answer = await findSubscription(subscriptionId);
    payments.findSubscription = findSubscription;
    requested.resolve();
    await delayed.promise;
    return answer;
  };
  // The first sync fetches 'incomplete' and is delayed. Meanwhile the payment succeeds and a second sync runs.
  const slow = syncSubscription(server.context, id);
  await requested.promise;
  await payAtProvider(server, id);
  await syncSubscription(server.context, id);
  assert.equal(await tierOf(frida), 'pro');
  delayed.resolve();
  assert.equal((await slow)!.status, 'active');
  assert.equal(await tierOf(frida), 'pro');
});

test('concurrent syncs end in the provider’s state, with one invoice and one receipt', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  const id = await beginPro(server, frida);
  await payAtProvider(server, id);
  await Promise.allSettled(Array.from({ length: 12 }, () => syncSubscription(server.context, id)));
  await syncSubscription(server.context, id);
  assert.equal(await tierOf(frida), 'pro');
  assert.equal((await frida.call(listInvoices)).length, 1);
  assert.deepEqual(await mailKinds(server), ['payment-receipt']);
});

test('a payment is visible without an event, and not every request polls the provider', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  const id = await beginPro(server, frida);
  assert.equal((await frida.call(getSubscription)).status, 'incomplete');
  await payAtProvider(server, id);
  assert.equal(
    (await frida.call(getSubscription)).status,
    'incomplete',
    'polled within the last two seconds',
  );
  server.clock.advance(2_000);
  const restore = breakPayments(server, 'findSubscription');
  assert.equal(
    (await frida.call(getSubscription)).status,
    'incomplete',
    'the call succeeds even if the provider does not',
  );
  restore();
  server.clock.advance(2_000);
  const paid = await frida.call(getSubscription);
  assert.deepEqual([paid.status, paid.tier], ['active', 'pro']);
});

test('subscriptions that are due are synced even if an event is lost', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  const pass = async () => {
    server.clock.advance(10 * MINUTE_MS);
    await server.drainJobs();
  };
  await server.drainJobs();
  const id = await beginPro(server, frida);
  await payAtProvider(server, id);
  await pass();
  assert.equal(await tierOf(frida), 'pro');
  // The bank requested confirmation of the upgrade, and the user has confirmed it.
  await server.context.db.updateTable('invoices').set({ status: 'open' }).execute();
  await server.context.payments.upgrade(id, { tier: 'premium', priceCents: 2499 });
  await pass();
  assert.equal(await tierOf(frida), 'premium');
});

test('a plan set by an administrator stays until a subscription starts, changes or ends', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  await subscribe(frida, { tier: 'pro' });
  const [{ providerSubscriptionId: id } = { providerSubscriptionId: '' }] = await listSubscriptions(
    server,
    'frida',
  );
  await server.context.db
    .updateTable('users')
    .set({ tier: 'premium' })
    .where('id', '=', server.userId('frida'))
    .execute();
  await syncSubscription(server.context, id);
  await passDays(server, 31);
  assert.equal(await tierOf(frida), 'premium');
  await server.context.payments.end(id);
  await syncSubscription(server.context, id);
  assert.equal(await tierOf(frida), 'free');
  const paula = await server.signIn('paula');
  assert.deepEqual([await tierOf(paula), (await paula.call(getSubscription)).status], ['pro', 'none']);
});

test('a subscription unknown to the provider ends when its period is over', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  await subscribe(frida, { tier: 'pro' });
  server.context.payments.findSubscription = async () => undefined;
  const [row] = await listSubscriptions(server, 'frida');
  await syncSubscription(server.context, row!.providerSubscriptionId);
  assert.equal(await tierOf(frida), 'pro');
  await passDays(server, 30);
  assert.equal(await tierOf(frida), 'free');
});

test('a clock that jumps ahead ends no past-due subscription at the provider', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  await subscribe(frida, { tier: 'pro', card: CARDS.failsLater });
  await passDays(server, 30);
  const { payments, db } = server.context;
  const ended: string[] = [];
  payments.end = async (id) => void ended.push(id);
  // The provider has its own clock: the payment is still open and will be retried.
  const owed = (await payments.findSubscription(
    (
      await listSubscriptions(server, 'frida')
    )[0]!.providerSubscriptionId,
  ))!;
  payments.findSubscription = async () => owed;
  await jumpDays(server, 3650);
  assert.deepEqual([ended, await tierOf(frida)], [[], 'free']);
  server.clock.jump(-3650 * DAY_MS);
  await db.updateTable('jobs').set({ runAt: 0 }).execute();
  await server.drainJobs();
  assert.equal(await tierOf(frida), 'pro', 'the plan returns when the clock is corrected');
  await passDays(server, 7);
  await passDays(server, 1 / 24);
  assert.deepEqual([new Set(ended).size, await tierOf(frida)], [1, 'free']);
});

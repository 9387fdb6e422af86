import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { createSubscription } from '../../../../contracts/plans/billing.ts';
import { MINUTE_MS } from '../../../../contracts/values/durations.ts';
import { seedRandom } from '../../../../testing/lib/seeded-random.ts';
import {
  DELETION,
  type PaymentWorld,
  STORIES,
  subscriptionOf,
} from '../../../../testing/payments/payment-stories.ts';
import { StripeFake } from '../../../../testing/payments/stripe/fake.ts';
import { passDays, tierOf } from '../../../../testing/payments/subscriptions.ts';
import { startTestServer } from '../../../../testing/test-context.ts';
import { MANNERS, type Manner, WebhookDelivery } from '../../../../testing/webhooks/webhook-delivery.ts';

async function openWorld(t: TestContext, manner: Manner = 'shuffled and duplicated') {
  // The server provides the clock but needs the fake's address to start.
  let now = () => 0;
  const fake = await new StripeFake({ now: () => now() }).start();
  t.after(() => fake.stop());
  const server = await startTestServer(t, fake.env);
  now = () => server.clock.now();
  const world: PaymentWorld = { server, fake, frida: await server.signIn('frida') };
  await server.drainJobs();
  return { ...world, world, delivery: new WebhookDelivery(world, manner, seedRandom(t)) };
}

/** Postpones the regular sweep, which would hide the effect of missing events. */
async function postponeSweep({ context, clock }: PaymentWorld['server']): Promise<void> {
  await context.db
    .updateTable('jobs')
    .set({ runAt: clock.now() + 5 * MINUTE_MS })
    .where('name', '=', 'sweep-subscriptions')
    .execute();
}

for (const { name, steps, isSwept = false } of STORIES) {
  for (const manner of MANNERS) {
    test(`the tier is right for ${name} with events ${manner}`, async (t) => {
      const { world, server, frida, delivery } = await openWorld(t, manner);
      for (const [index, { act, tier }] of steps.entries()) {
        await act(world);
        if (!isSwept) await postponeSweep(server);
        const wasDelivered = await delivery.deliver();
        if (wasDelivered) assert.equal(await tierOf(frida), tier, `after step ${index + 1}`);
      }
      await delivery.deliverRest();
      const expected = steps.at(-1)!.tier;
      assert.equal(await tierOf(frida), expected);
      const mails = (await server.mails()).length;
      await delivery.replay();
      assert.equal(await tierOf(frida), expected, 'after all events once more');
      assert.equal((await server.mails()).length, mails);
    });
  }
}

for (const manner of MANNERS) {
  test(`a deleted account is not charged afterwards, with events ${manner}`, async (t) => {
    const { world, server, fake, delivery } = await openWorld(t, manner);
    for (const { act } of DELETION) {
      await act(world);
      await postponeSweep(server);
      await delivery.deliver();
    }
    await delivery.deliverRest();
    assert.equal(subscriptionOf(fake).status, 'canceled');
    await passDays(server, 62);
    await delivery.deliver();
    await delivery.deliverRest();
    await delivery.replay();
    assert.equal(fake.account.list('charge').length, 1);
  });
}

test('each event is handled once, even if delivered ten times in parallel', async (t) => {
  const { world, server, fake, frida } = await openWorld(t);
  for (const { act } of STORIES[0]!.steps) await act(world);
  await postponeSweep(server);
  const event = fake.drainEvents().find(({ type }) => type === 'invoice.paid')!;
  const { body, signature } = fake.sign(event, server.clock.now());
  const send = () =>
    fetch(`${server.url}/api/payments/webhook`, {
      method: 'POST',
      headers: { 'stripe-signature': signature },
      body,
    });
  const answers = await Promise.all(Array.from({ length: 10 }, send));
  assert.deepEqual(
    answers.map(({ status }) => status),
    Array(10).fill(200),
  );
  const stored = await server.context.db.selectFrom('paymentEvents').select('id').execute();
  assert.deepEqual(
    stored.map(({ id }) => id),
    [event.id],
  );
  await server.drainJobs();
  assert.equal(await tierOf(frida), 'pro');
  assert.equal((await send()).status, 200);
  const jobs = await server.context.db.selectFrom('jobs').select('name').execute();
  assert.ok(!jobs.some(({ name }) => name.startsWith('sync-')), 'the same event again asks for nothing');
});

test('an event that arrives while Stripe is down is not lost', async (t) => {
  const { world, server, fake, frida, delivery } = await openWorld(t);
  for (const { act } of STORIES[0]!.steps) await act(world);
  fake.state = 'failing';
  await postponeSweep(server);
  await delivery.deliver();
  assert.equal(await tierOf(frida), 'free');
  fake.state = 'well';
  server.clock.advance(4 * MINUTE_MS);
  await server.drainJobs();
  assert.equal(await tierOf(frida), 'pro');
});

test('without any event, the sweep finds a payment', async (t) => {
  const { world, server, fake, frida } = await openWorld(t);
  for (const { act } of STORIES[0]!.steps) await act(world);
  fake.drainEvents();
  server.clock.advance(11 * MINUTE_MS);
  await server.drainJobs();
  assert.equal(await tierOf(frida), 'pro');
});

test('while Stripe is down a plan cannot be started, and the response says to try again', async (t) => {
  const { fake, frida } = await openWorld(t);
  fake.state = 'failing';
  await assert.rejects(frida.call(createSubscription, { body: { tier: 'pro' } }), {
    status: 503,
    code: 'payments_unavailable',
  });
  fake.state = 'well';
  const start = await frida.call(createSubscription, { body: { tier: 'pro' } });
  assert.deepEqual(
    [start.provider, start.publishableKey, start.intent, start.dueCents],
    ['stripe', fake.publishableKey, 'payment', 999],
  );
});

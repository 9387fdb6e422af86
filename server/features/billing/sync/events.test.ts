import assert from 'node:assert/strict';
import test from 'node:test';
import { getSubscription, listInvoices, paymentWebhook } from '../../../../contracts/plans/billing.ts';
import {
  acceptEvents,
  beginPro,
  breakPayments,
  listSubscriptions,
  mailKinds,
  passDays,
  payAtProvider,
  subscribe,
  tierOf,
} from '../../../../testing/payments/subscriptions.ts';
import { startTestServer, type TestServer } from '../../../../testing/test-context.ts';
import { AppError } from '../../../platform/lib/app-error.ts';

test('an event sent ten times is handled once, and one without a known subscription is acknowledged', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  const id = await beginPro(server, frida);
  await payAtProvider(server, id);
  const countSyncs = async () => (await listSubscriptions(server, 'frida'))[0]!.looks;
  const before = await countSyncs();
  const post = acceptEvents(server);
  const event = { id: 'evt_1', subscriptionId: id };
  assert.deepEqual(await Promise.all(Array.from({ length: 10 }, () => post(event))), Array(10).fill(200));
  await server.drainJobs();
  assert.equal(await tierOf(frida), 'pro');
  assert.equal(await countSyncs(), before + 1);
  await post(event);
  await server.drainJobs();
  assert.equal(await countSyncs(), before + 1);
  for (const foreign of [
    { id: 'evt_2', subscriptionId: 'sub_unknown' },
    { id: 'evt_3', customerId: 'cus_unknown' },
    { id: 'evt_4', paymentId: 'ch_unknown' },
    { id: 'evt_5' },
  ])
    assert.equal(await post(foreign), 200);
  await server.drainJobs();
  assert.deepEqual(
    await server.context.db
      .selectFrom('jobs')
      .select('lastError')
      .where('failedAt', 'is not', null)
      .execute(),
    [],
  );
});

test('an event is acknowledged while the provider is down and handled when it is back', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  const id = await beginPro(server, frida);
  await payAtProvider(server, id);
  const restore = breakPayments(server, 'findSubscription');
  assert.equal(await acceptEvents(server)({ id: 'evt_1', subscriptionId: id }), 200);
  await server.drainJobs();
  assert.equal(await tierOf(frida), 'free');
  restore();
  server.clock.advance(60_000);
  await server.drainJobs();
  assert.equal(await tierOf(frida), 'pro');
});

test('events arrive as bytes of up to 1 MiB, and unsigned ones are refused', async (t) => {
  const server = await startTestServer(t);
  const seen: [length: number, signature: string | undefined][] = [];
  const { payments } = server.context;
  payments.readEvent = (body, signature) => {
    seen.push([body.length, signature]);
    throw new AppError('bad_webhook');
  };
  const post = (init: RequestInit) =>
    server.anonymous().fetch(paymentWebhook.path, { method: 'POST', ...init });
  const json = { 'content-type': 'application/json', 'stripe-signature': 't=1,v1=x' };
  const refused = await post({ headers: json, body: '{ "id" : 1 }' });
  assert.deepEqual(
    [refused.status, await refused.text()],
    [400, 'This event is not signed by the payment provider.'],
  );
  assert.equal((await post({ headers: json, body: 'x'.repeat(1024 * 1024) })).status, 400);
  assert.equal((await post({ headers: json, body: 'x'.repeat(1024 * 1024 + 1) })).status, 413);
  assert.equal((await post({})).status, 400);
  assert.deepEqual(seen, [
    [12, 't=1,v1=x'],
    [1024 * 1024, 't=1,v1=x'],
    [0, undefined],
  ]);
});

test('a refund ends the plan, even if its event arrives a period later', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  const post = acceptEvents(server);
  for (const [number, daysUntilEvent] of [0, 31].entries()) {
    await subscribe(frida, { tier: 'pro' });
    const paid = (await frida.call(listInvoices)).find(({ status }) => status === 'paid');
    await refund(server, paid!.number!);
    await passDays(server, daysUntilEvent);
    const customerId = await customerOf(server);
    // The event of a refund names the customer; that of a dispute names only the payment.
    server.context.payments.findPayer = async (id) => (id === 'ch_1' ? customerId : undefined);
    await post(number === 0 ? { id: 'evt_1', customerId } : { id: 'evt_2', paymentId: 'ch_1' });
    await server.drainJobs();
    assert.equal(await tierOf(frida), 'free');
    assert.equal((await frida.call(getSubscription)).status, 'ended');
    const invoices = await frida.call(listInvoices);
    assert.equal(invoices.find(({ id }) => id === paid!.id)!.status, 'refunded');
    const ends = (await mailKinds(server)).filter((kind) => kind === 'plan-ended');
    assert.equal(ends.length, number + 1);
  }
});

async function customerOf({ context, userId }: TestServer): Promise<string> {
  const user = await context.db
    .selectFrom('users')
    .select('paymentCustomerId')
    .where('id', '=', userId('frida'))
    .executeTakeFirstOrThrow();
  return user.paymentCustomerId!;
}

async function refund({ context }: TestServer, number: string): Promise<void> {
  await context.db
    .updateTable('demoInvoices')
    .set({ status: 'refunded' })
    .where('number', '=', number)
    .execute();
}

import assert from 'node:assert/strict';
import test from 'node:test';
import { createSubscription } from '../../../contracts/plans/billing.ts';
import { existsUser, passMinutes, removeAccount } from '../../../testing/calls/left-of-account.ts';
import {
  breakPayments,
  listSubscriptions,
  mailKinds,
  subscribe,
} from '../../../testing/payments/subscriptions.ts';
import { startTestServer } from '../../../testing/test-context.ts';
import { DAY_MS } from '../../platform/lib/clock.ts';
import { syncSubscription } from '../billing/sync.ts';

test('who deletes the account pays no more: the subscription is ended at the provider, and so is what was begun', async (t) => {
  const server = await startTestServer(t);
  const { payments } = server.context;
  for (const name of ['frida', 'paula'] as const) {
    const client = await server.signIn(name);
    if (name === 'frida') await subscribe(client, { tier: 'pro' });
    else await client.call(createSubscription, { body: { tier: 'premium' } });
    const [row] = await listSubscriptions(server, name);
    await removeAccount(client);
    await passMinutes(server, 2);
    assert.equal((await payments.findSubscription(row!.providerSubscriptionId))!.status, 'ended');
    assert.equal(await existsUser(server, name), false);
    assert.deepEqual(await listSubscriptions(server, name), []);
  }
  assert.deepEqual(await mailKinds(server), ['account-deleted', 'account-deleted']);
});

test('a provider that is down for weeks does not let a deleted account go on paying', async (t) => {
  const server = await startTestServer(t);
  const client = await server.signIn('frida');
  await subscribe(client, { tier: 'pro' });
  const [row] = await listSubscriptions(server, 'frida');
  const mend = breakPayments(server, 'end');
  await removeAccount(client);
  await passMinutes(server, 2);
  assert.equal(await existsUser(server, 'frida'), false);
  for (let day = 0; day < 21; day += 1) {
    server.clock.advance(DAY_MS);
    await server.drainJobs();
  }
  mend();
  server.clock.advance(DAY_MS);
  await server.drainJobs();
  const { status } = (await server.context.payments.findSubscription(row!.providerSubscriptionId))!;
  assert.equal(status, 'ended');
});

test('an event after the deletion gives nobody a plan and mails nobody; what it tells of is ended', async (t) => {
  const server = await startTestServer(t);
  const { payments, db } = server.context;
  const client = await server.signIn('frida');
  await subscribe(client, { tier: 'pro' });
  const [row] = await listSubscriptions(server, 'frida');
  await removeAccount(client);
  // The job that ends it has not run yet; the account's row is still there.
  await syncSubscription(server.context, row!.providerSubscriptionId);
  assert.equal((await payments.findSubscription(row!.providerSubscriptionId))!.status, 'ended');
  await db.deleteFrom('users').where('id', '=', server.userId('frida')).execute();
  assert.equal(await syncSubscription(server.context, row!.providerSubscriptionId), undefined);
  assert.deepEqual(await mailKinds(server), ['account-deleted']);
});

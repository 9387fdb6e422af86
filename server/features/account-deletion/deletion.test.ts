import assert from 'node:assert/strict';
import test from 'node:test';
import { createSubscription } from '../../../contracts/plans/billing.ts';
import { DAY_MS, HOUR_MS } from '../../../contracts/values/durations.ts';
import {
  countBlobs,
  countRows,
  existsUser,
  passMinutes,
  removeAccount,
} from '../../../testing/calls/left-of-account.ts';
import { createReadyTransfer } from '../../../testing/factories.ts';
import { onceUnlessAll } from '../../../testing/lib/only-in-all.ts';
import {
  breakPayments,
  listSubscriptions,
  mailKinds,
  subscribe,
} from '../../../testing/payments/subscriptions.ts';
import { startTestServer } from '../../../testing/test-context.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { syncSubscription } from '../billing/sync/sync.ts';
import { createDraft } from '../transfers/lifecycle/drafts.ts';

test('a draft created by a call in flight during the deletion is removed too', async (t) => {
  const server = await startTestServer(t);
  await removeAccount(await server.signIn('frida'));
  const origin = { userId: server.userId('frida'), clock: server.clock };
  await transaction(server.context.db, (trx) => createDraft(trx, origin));
  await passMinutes(server, 2);
  assert.equal(await existsUser(server, 'frida'), false);
});

test('transfers of a deleted account are removed in batches, unfinished ones first', async (t) => {
  const server = await startTestServer(t);
  const { db } = server.context;
  const userId = server.userId('frida');
  const row = (index: number) => ({
    id: `${index}`.padStart(26, 'x'),
    token: `${index}`.padStart(26, 'y'),
    userId,
    status: index < 230 ? ('ready' as const) : ('draft' as const),
    recipientEmails: '[]',
    createdAt: index,
  });
  await db
    .insertInto('transfers')
    .values(Array.from({ length: 250 }, (_, index) => row(index)))
    .execute();
  await removeAccount(await server.signIn('frida'));
  const living = await db
    .selectFrom('transfers')
    .select('status')
    .where('status', '!=', 'deleting')
    .execute();
  assert.deepEqual([living.length, new Set(living.map(({ status }) => status))], [150, new Set(['ready'])]);
  await passMinutes(server, 2);
  assert.deepEqual(await countRows(server, 'frida'), {});
  assert.equal(await existsUser(server, 'frida'), false);
});

test(
  'the account’s row stays until its bytes are removed, even if the storage is down for days',
  onceUnlessAll,
  async (t) => {
    const server = await startTestServer(t);
    const { context } = server;
    await createReadyTransfer(context, {
      userId: server.userId('frida'),
      files: [{ path: 'a', bytes: 'a' }],
    });
    const removeBlob = context.blobs.remove;
    context.blobs.remove = () => Promise.reject(new Error('the storage is down'));
    await removeAccount(await server.signIn('frida'));
    for (let hour = 0; hour < 60; hour += 1) {
      await server.drainJobs();
      server.clock.advance(HOUR_MS);
    }
    assert.equal(await existsUser(server, 'frida'), true);
    context.blobs.remove = removeBlob;
    server.clock.advance(HOUR_MS);
    await passMinutes(server, 15);
    assert.equal(await existsUser(server, 'frida'), false);
    assert.equal(await countBlobs(server), 0);
  },
);

test('deleting an account ends its subscription and unpaid attempts at the provider', async (t) => {
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

test('a subscription of a deleted account ends even if the provider is down for weeks', async (t) => {
  const server = await startTestServer(t);
  const client = await server.signIn('frida');
  await subscribe(client, { tier: 'pro' });
  const [row] = await listSubscriptions(server, 'frida');
  const restore = breakPayments(server, 'end');
  await removeAccount(client);
  await passMinutes(server, 2);
  assert.equal(await existsUser(server, 'frida'), false);
  for (let day = 0; day < 21; day += 1) {
    server.clock.advance(DAY_MS);
    await server.drainJobs();
  }
  restore();
  server.clock.advance(DAY_MS);
  await server.drainJobs();
  const { status } = (await server.context.payments.findSubscription(row!.providerSubscriptionId))!;
  assert.equal(status, 'ended');
});

test('a payment event after the deletion changes no plan, sends no mail and ends the subscription', async (t) => {
  const server = await startTestServer(t);
  const { payments, db } = server.context;
  const client = await server.signIn('frida');
  await subscribe(client, { tier: 'pro' });
  const [row] = await listSubscriptions(server, 'frida');
  await removeAccount(client);
  // The job that ends the subscription has not run yet, and the account's row still exists.
  await syncSubscription(server.context, row!.providerSubscriptionId);
  assert.equal((await payments.findSubscription(row!.providerSubscriptionId))!.status, 'ended');
  await db.deleteFrom('users').where('id', '=', server.userId('frida')).execute();
  assert.equal(await syncSubscription(server.context, row!.providerSubscriptionId), undefined);
  assert.deepEqual(await mailKinds(server), ['account-deleted']);
});

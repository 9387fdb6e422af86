import assert from 'node:assert/strict';
import test from 'node:test';
import {
  createWebhook,
  deleteWebhook,
  getWebhookSecret,
  listWebhooks,
  rotateWebhookSecret,
  testWebhook,
  updateWebhook,
} from '../../../contracts/accounts/webhooks.ts';
import type { Endpoint } from '../../../contracts/endpoint.ts';
import { DAY_MS, HOUR_MS } from '../../../contracts/values/durations.ts';
import { startTestServer } from '../../../testing/test-context.ts';
import { startReceiver, verify } from '../../../testing/webhooks/webhook-receiver.ts';
import { deliveriesOf, subscribe, WITH_LOOPBACK } from '../../../testing/webhooks/webhooks.ts';

test('only the owner can create, list, change and delete a webhook', async (t) => {
  const server = await startTestServer(t, WITH_LOOPBACK);
  const { url } = await startReceiver(t);
  const client = await server.signIn('prem');
  const body = { url, events: ['transfer.ready', 'transfer.ready'], description: ' Archive ' };
  const { secret, ...created } = await client.call(createWebhook, { body });
  assert.match(secret!, /^whsec_[A-Za-z0-9+/]{43}=$/);
  assert.partialDeepStrictEqual(created, {
    url,
    events: ['transfer.ready'],
    description: 'Archive',
    isActive: true,
    disabledReason: null,
    failingSince: null,
    oldSecretUntil: null,
  });
  assert.deepEqual(await client.call(listWebhooks), [created]);
  const params = { id: created.id };
  assert.deepEqual(await client.call(getWebhookSecret, { params }), { secret });

  const changes = { events: ['transfer.viewed', 'transfer.ready'], description: null, isActive: false };
  const changed = await client.call(updateWebhook, { params, body: changes });
  assert.deepEqual(changed, { ...created, ...changes, events: ['transfer.ready', 'transfer.viewed'] });
  assert.deepEqual(await client.call(updateWebhook, { params, body: {} }), changed, 'nothing is no change');

  const other = await server.signIn('ada');
  assert.deepEqual(await other.call(listWebhooks), []);
  const calls: Endpoint[] = [
    updateWebhook,
    deleteWebhook,
    getWebhookSecret,
    rotateWebhookSecret,
    testWebhook,
  ];
  for (const endpoint of calls)
    await assert.rejects(other.call(endpoint, { params, ...(endpoint.method === 'PATCH' && { body: {} }) }), {
      code: 'webhook_not_found',
    });
  await client.call(deleteWebhook, { params });
  assert.deepEqual(await client.call(listWebhooks), []);
  await assert.rejects(client.call(deleteWebhook, { params }), { code: 'webhook_not_found' });
});

test('webhooks require Premium, and parallel requests create at most ten', async (t) => {
  const server = await startTestServer(t, WITH_LOOPBACK);
  const { url } = await startReceiver(t);
  for (const name of ['frida', 'paula'] as const) {
    const refused = { status: 402, message: /Webhooks is part of the Premium plan/ };
    const client = await server.signIn(name);
    await assert.rejects(client.call(listWebhooks), refused);
    await assert.rejects(subscribe(client, url), refused);
  }
  const client = await server.signIn('prem');
  const attempts = await Promise.allSettled(Array.from({ length: 14 }, () => subscribe(client, url)));
  const refused = attempts.flatMap((each) => (each.status === 'rejected' ? [each.reason.code] : []));
  assert.deepEqual(refused, Array(4).fill('too_many_webhooks'));
  assert.equal((await client.call(listWebhooks)).length, 10);
});

test('after rotation the old secret also signs for a day, and both are encrypted in the database', async (t) => {
  const server = await startTestServer(t, WITH_LOOPBACK);
  const receiver = await startReceiver(t);
  const client = await server.signIn('prem');
  const { id, secret: first } = await subscribe(client, receiver.url);
  const params = { id };
  const { secret: second, oldSecretUntil } = await client.call(rotateWebhookSecret, { params });
  assert.notEqual(first, second);
  assert.equal(Date.parse(oldSecretUntil ?? ''), server.clock.now() + DAY_MS);
  const stored = JSON.stringify(await server.context.db.selectFrom('webhooks').selectAll().execute());
  for (const secret of [first, second])
    assert.doesNotMatch(stored, new RegExp(secret.slice(6, 20).replace(/\W/g, '.')));

  const sendTest = async () => {
    await client.call(testWebhook, { params });
    await server.drainJobs();
    return receiver.received.at(-1)!;
  };
  server.clock.advance(23 * HOUR_MS);
  const signedByBoth = await sendTest();
  for (const secret of [first, second]) assert.equal(verify(signedByBoth, secret, server.clock).type, 'test');
  server.clock.advance(HOUR_MS);
  const signedByOne = await sendTest();
  assert.equal(verify(signedByOne, second, server.clock).type, 'test');
  assert.throws(() => verify(signedByOne, first, server.clock), { name: 'WebhookVerificationError' });
});

test('after a downgrade no new or queued events are sent, and an upgrade does not send them later', async (t) => {
  const server = await startTestServer(t, WITH_LOOPBACK);
  const receiver = await startReceiver(t);
  const client = await server.signIn('prem');
  const { id } = await subscribe(client, receiver.url);
  const setTier = (tier: 'pro' | 'premium') =>
    server.context.db.updateTable('users').set({ tier }).where('id', '=', server.userId('prem')).execute();
  await client.call(testWebhook, { params: { id } });
  await setTier('pro');
  await server.drainJobs();
  await assert.rejects(client.call(testWebhook, { params: { id } }), { status: 402 });
  await setTier('premium');
  await server.drainJobs();
  assert.deepEqual(receiver.received, []);
  const [delivery] = await deliveriesOf(client, id);
  assert.partialDeepStrictEqual(delivery, {
    state: 'failed',
    attempts: 0,
    error: 'Not sent: webhooks are not part of your plan at present.',
  });
});

test('a disabled webhook gets no events, not even queued ones', async (t) => {
  const server = await startTestServer(t, WITH_LOOPBACK);
  const receiver = await startReceiver(t);
  const client = await server.signIn('prem');
  const { id } = await subscribe(client, receiver.url);
  const params = { id };
  await client.call(testWebhook, { params });
  await client.call(updateWebhook, { params, body: { isActive: false } });
  await assert.rejects(client.call(testWebhook, { params }), { status: 409, code: 'webhook_off' });
  await server.drainJobs();
  assert.deepEqual(receiver.received, []);
  assert.equal((await deliveriesOf(client, id))[0]!.error, 'Not sent: the webhook was turned off.');
});

test('URLs without https and of private networks are refused at their field', async (t) => {
  const server = await startTestServer(t);
  const client = await server.signIn('prem');
  const cases: [url: string, sentence: RegExp][] = [
    ['http://example.com/hook', /must begin with https/],
    ['https://localhost/hook', /private network/],
    ['https://127.0.0.1:8443/', /private network/],
    ['https://[::ffff:10.0.0.1]/', /private network/],
    ['https://169.254.169.254/latest/meta-data', /private network/],
    ['https://0x7f000001/', /private network/],
    ['https://user:secret@93.184.216.34/', /user name or password/],
    ['https://93.184.216.34:25/', /port/],
    ['ftp://93.184.216.34/', /begins with https/],
  ];
  for (const [url, sentence] of cases)
    await assert.rejects(
      subscribe(client, url),
      (error: { status: number; problem: { errors?: object } }) => {
        assert.equal(error.status, 400, url);
        assert.match((error.problem.errors as { url: string }).url, sentence, url);
        return true;
      },
    );
  assert.deepEqual(await client.call(listWebhooks), []);
  const { id } = await subscribe(client, 'https://93.184.216.34/');
  const change = client.call(updateWebhook, { params: { id }, body: { url: 'https://10.1.2.3/' } });
  await assert.rejects(change, { status: 400 });
  assert.equal((await client.call(listWebhooks))[0]!.url, 'https://93.184.216.34/');
});

test('WEBHOOK_HOSTS is checked when a webhook is saved and when an event is sent', async (t) => {
  const server = await startTestServer(t, { ...WITH_LOOPBACK, WEBHOOK_HOSTS: '127.0.0.1, *.example.org' });
  const receiver = await startReceiver(t);
  const client = await server.signIn('prem');
  const elsewhere = receiver.url.replace('127.0.0.1', 'localhost');
  await assert.rejects(subscribe(client, elsewhere), { code: 'invalid_input' });
  const { id } = await subscribe(client, receiver.url);
  await assert.rejects(client.call(updateWebhook, { params: { id }, body: { url: elsewhere } }), {
    message: /operator of this server/,
  });
  server.context.config.webhookHosts = ['*.example.org'];
  await client.call(testWebhook, { params: { id } });
  await server.drainJobs();
  const [delivery] = await deliveriesOf(client, id);
  assert.match(delivery?.error ?? '', /operator of this server/);
  assert.deepEqual(receiver.received, []);
});

import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import {
  deleteWebhook,
  getWebhookDelivery,
  listWebhookDeliveries,
  listWebhooks,
  replayWebhookDelivery,
  testWebhook,
  updateWebhook,
} from '../../../../contracts/accounts/webhooks.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../../contracts/values/durations.ts';
import { removeAccount } from '../../../../testing/calls/left-of-account.ts';
import { renewSessions } from '../../../../testing/calls/renewed-sessions.ts';
import { until } from '../../../../testing/lib/until.ts';
import { startTestServer } from '../../../../testing/test-context.ts';
import { startReceiver, verify } from '../../../../testing/webhooks/webhook-receiver.ts';
import { deliveriesOf, subscribe, WITH_LOOPBACK } from '../../../../testing/webhooks/webhooks.ts';
import { createWorker } from '../../../worker.ts';

async function open(t: TestContext) {
  const server = await startTestServer(t, WITH_LOOPBACK);
  const receiver = await startReceiver(t);
  const client = await server.signIn('prem');
  const { id, secret } = await subscribe(client, receiver.url);
  const params = { id };
  return {
    server,
    receiver,
    client,
    id,
    params,
    secret,
    sendTest: () => client.call(testWebhook, { params }),
    newest: async () => (await deliveriesOf(client, id)).at(-1)!,
    async pass(milliseconds: number) {
      server.clock.advance(milliseconds);
      await server.drainJobs();
    },
  };
}

test('an event is posted once with a Standard Webhooks signature and logged with request and response', async (t) => {
  const { server, receiver, client, params, secret, sendTest, id } = await open(t);
  receiver.answer((response) => response.writeHead(200, { 'x-receiver': 'one' }).end('thank you'));
  const sent = await sendTest();
  assert.partialDeepStrictEqual(sent, { type: 'test', state: 'waiting', attempts: 0, status: null });
  await server.drainJobs();
  await server.drainJobs();
  assert.equal(receiver.received.length, 1);
  const [received] = receiver.received;
  assert.deepEqual(verify(received!, secret, server.clock), {
    type: 'test',
    timestamp: sent.createdAt,
    data: { webhookId: id, message: 'This is a test event from Sendwell.' },
  });
  assert.partialDeepStrictEqual(received!.headers, {
    'content-type': 'application/json',
    'user-agent': 'Sendwell-Webhooks/1.0',
    'webhook-id': sent.id,
  });
  const detail = await client.call(getWebhookDelivery, { params: { ...params, deliveryId: sent.id } });
  assert.partialDeepStrictEqual(detail, {
    state: 'delivered',
    attempts: 1,
    status: 200,
    error: null,
    nextTryAt: null,
  });
  assert.deepEqual([detail.request.url, detail.request.body], [receiver.url, received!.body]);
  assert.equal(
    detail.request.headers.find(({ name }) => name === 'webhook-signature')?.value,
    received!.headers['webhook-signature'],
  );
  assert.equal(detail.response?.body, 'thank you');
  assert.ok(detail.response?.headers.some(({ name, value }) => name === 'x-receiver' && value === 'one'));
});

test('a failed delivery is retried with the same ID for a day, after 5 s, 30 s, 2 min and so on', async (t) => {
  const { server, receiver, sendTest, newest, pass } = await open(t);
  receiver.answer(503);
  await sendTest();
  const start = server.clock.now();
  const delays: number[] = [];
  await server.drainJobs();
  for (let delivery = await newest(); delivery.state === 'waiting'; delivery = await newest()) {
    const delay = Date.parse(delivery.nextTryAt!) - server.clock.now();
    delays.push(delay);
    await pass(delay - 1);
    assert.equal((await newest()).attempts, delivery.attempts, 'the retry is not early');
    await pass(1);
  }
  const nominal = [5, 30, 120, 600, 1_800, 3_600, 7_200, 14_400, 21_600, 36_000].map(
    (each) => each * SECOND_MS,
  );
  assert.equal(delays.length, nominal.length);
  for (const [index, delay] of delays.entries())
    assert.ok(delay <= nominal[index]! && delay >= nominal[index]! * 0.9, `${delay} of ${nominal[index]}`);
  assert.ok(server.clock.now() - start <= DAY_MS);
  assert.partialDeepStrictEqual(await newest(), {
    state: 'failed',
    attempts: 11,
    status: 503,
    nextTryAt: null,
  });
  assert.equal((await newest()).error, 'The receiver responded with 503.');
  const ids = new Set(receiver.received.map(({ headers }) => headers['webhook-id']));
  assert.deepEqual([receiver.received.length, ids.size], [11, 1]);
  const bodies = new Set(receiver.received.map(({ body }) => body));
  const timestamps = new Set(receiver.received.map(({ headers }) => headers['webhook-timestamp']));
  assert.deepEqual([bodies.size, timestamps.size], [1, 11], 'the same words, signed anew');
});

test('a receiver that recovers gets the queued events and no longer counts as failing', async (t) => {
  const { server, receiver, client, sendTest, newest, pass } = await open(t);
  receiver.answer(500);
  await sendTest();
  await server.drainJobs();
  assert.notEqual((await client.call(listWebhooks))[0]!.failingSince, null);
  receiver.answer(204);
  await pass(5 * SECOND_MS);
  assert.equal((await newest()).state, 'delivered');
  assert.equal((await client.call(listWebhooks))[0]!.failingSince, null);
});

test('a redirect is a failure with an explanation', async (t) => {
  const { server, receiver, sendTest, newest } = await open(t);
  receiver.answer((response) => response.writeHead(301, { location: receiver.url }).end());
  await sendTest();
  await server.drainJobs();
  assert.partialDeepStrictEqual(await newest(), { state: 'waiting', status: 301 });
  assert.match((await newest()).error!, /Redirects are not followed/);
  assert.equal(receiver.received.length, 1);
});

test('410 Gone disables the webhook, fails its queued deliveries and mails its owner', async (t) => {
  const { server, receiver, client, id, params, sendTest } = await open(t);
  for (let index = 0; index < 3; index += 1) await sendTest();
  receiver.answer(410);
  await server.drainJobs();
  assert.equal(receiver.received.length, 1);
  assert.deepEqual(
    (await deliveriesOf(client, id)).map(({ state }) => state),
    ['failed', 'failed', 'failed'],
  );
  assert.partialDeepStrictEqual(await client.call(listWebhooks), [
    { isActive: false, disabledReason: 'gone' },
  ]);
  const mails = (await server.mails()).filter(({ kind }) => kind === 'webhook-disabled');
  assert.deepEqual(
    mails.map(({ recipient, subject }) => [recipient, /turned off/.test(subject)]),
    [['prem@example.org', true]],
  );
  receiver.answer(204);
  const on = await client.call(updateWebhook, { params, body: { isActive: true } });
  assert.deepEqual([on.isActive, on.disabledReason, on.failingSince], [true, null, null]);
  await sendTest();
  await server.drainJobs();
  assert.equal(receiver.received.length, 2);
});

test('three days of failures disable a webhook, and one success resets the count', async (t) => {
  const { server, receiver, client, sendTest, pass } = await open(t);
  const failFor = async (hours: number) => {
    receiver.answer(500);
    for (let hour = 0; hour < hours; hour += 12) {
      await sendTest();
      await pass(12 * HOUR_MS);
    }
  };
  await failFor(60);
  receiver.answer(204);
  await pass(12 * HOUR_MS);
  await failFor(60);
  assert.partialDeepStrictEqual(await client.call(listWebhooks), [{ isActive: true, disabledReason: null }]);
  await pass(12 * HOUR_MS);
  await pass(12 * HOUR_MS);
  assert.partialDeepStrictEqual(await client.call(listWebhooks), [
    { isActive: false, disabledReason: 'failing' },
  ]);
  const before = receiver.received.length;
  await pass(DAY_MS);
  assert.equal(receiver.received.length, before);
  assert.equal((await server.mails()).filter(({ kind }) => kind === 'webhook-disabled').length, 1);
});

test('failed and delivered events can be replayed with the same ID and body', async (t) => {
  const { server, receiver, client, params, sendTest, newest, pass } = await open(t);
  receiver.answer(500);
  const { id: deliveryId } = await sendTest();
  await server.drainJobs();
  for (let attempts = 0; attempts < 10; attempts += 1) await pass(10 * HOUR_MS);
  assert.equal((await newest()).state, 'failed');
  await renewSessions(server);
  await client.call(updateWebhook, { params, body: { isActive: true } });
  receiver.answer(204);
  const replay = () => client.call(replayWebhookDelivery, { params: { ...params, deliveryId } });
  assert.partialDeepStrictEqual(await replay(), { id: deliveryId, state: 'waiting', attempts: 0 });
  await server.drainJobs();
  assert.partialDeepStrictEqual(await newest(), { state: 'delivered', attempts: 1 });
  await replay();
  await server.drainJobs();
  const last = receiver.received.slice(-2);
  assert.deepEqual(
    last.map(({ headers }) => headers['webhook-id']),
    [deliveryId, deliveryId],
  );
  assert.equal(last[0]!.body, last[1]!.body);
  const unknown = client.call(replayWebhookDelivery, { params: { ...params, deliveryId: '0'.repeat(26) } });
  await assert.rejects(unknown, { code: 'delivery_not_found' });
  await client.call(updateWebhook, { params, body: { isActive: false } });
  await assert.rejects(replay(), { code: 'webhook_off' });
});

test('a hanging receiver delays no other webhook, job or shutdown', async (t) => {
  const { server, receiver: hanging, client, sendTest, newest } = await open(t);
  hanging.answer(() => {});
  const quick = await startReceiver(t);
  const { id } = await subscribe(client, quick.url);
  const worker = createWorker(server.context);
  t.after(() => worker.stop());
  for (let index = 0; index < 6; index += 1) await sendTest();
  worker.start();
  await until(async () => hanging.received.length === 1);
  await client.call(testWebhook, { params: { id } });
  await until(async () => quick.received.length === 1);
  assert.equal(hanging.received.length, 1, 'one at a time');
  await worker.stop();
  assert.partialDeepStrictEqual(await newest(), { state: 'waiting', attempts: 0, status: null });
});

test('after a crash before the outcome is recorded, the event is sent again with the same ID', async (t) => {
  const { server, receiver, sendTest, newest } = await open(t);
  const { db } = server.context;
  const { id } = await sendTest();
  await server.drainJobs();
  // The state after a crash: the attempt is counted, no outcome is recorded, and the job still has its row.
  const nextTryAt = server.clock.now() + 5 * SECOND_MS;
  await db
    .updateTable('webhookDeliveries')
    .set({ state: 'waiting', attempts: 1, nextTryAt, status: null })
    .execute();
  const { webhookId } = await db
    .selectFrom('webhookDeliveries')
    .select('webhookId')
    .executeTakeFirstOrThrow();
  await db
    .insertInto('jobs')
    .values({
      id: '0'.repeat(26),
      name: 'webhooks.deliver',
      uniqueKey: `webhooks.deliver:${webhookId}`,
      payload: JSON.stringify({ webhookId }),
      runAt: 0,
      attempts: 1,
      leaseId: 'dead',
      leasedUntil: server.clock.now() + MINUTE_MS,
      createdAt: server.clock.now(),
    })
    .execute();
  server.clock.advance(MINUTE_MS + 1);
  await server.drainJobs();
  assert.deepEqual(
    receiver.received.map(({ headers }) => headers['webhook-id']),
    [id, id],
  );
  assert.partialDeepStrictEqual(await newest(), { state: 'delivered', attempts: 2 });
});

test('the log is paged, filtered by state and deleted after 30 days', async (t) => {
  const { server, receiver, client, params, sendTest, pass } = await open(t);
  for (let index = 0; index < 5; index += 1) {
    receiver.answer(index === 2 ? 400 : 204);
    await sendTest();
    await pass(SECOND_MS);
  }
  const seen: string[] = [];
  let path: string | undefined = `/api/webhooks/${params.id}/deliveries?limit=2`;
  while (path !== undefined) {
    const answer: Response = await client.fetch(path);
    seen.push(...((await answer.json()) as { id: string }[]).map(({ id }) => id));
    path = /<([^>]+)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1];
  }
  const all = await client.call(listWebhookDeliveries, { params });
  assert.deepEqual(
    seen,
    all.map(({ id }) => id),
  );
  assert.equal(new Set(seen).size, 5);
  const waiting = await client.call(listWebhookDeliveries, { params, query: { state: 'waiting' } });
  assert.deepEqual(
    waiting.map(({ status }) => status),
    [400],
  );
  await assert.rejects(client.call(listWebhookDeliveries, { params, query: { cursor: 'x' } }), {
    status: 400,
  });
  const count = async () => {
    const rows = await server.context.db.selectFrom('webhookDeliveries').select('id').execute();
    return rows.length;
  };
  await pass(MINUTE_MS);
  server.clock.jump(30 * DAY_MS);
  await pass(HOUR_MS);
  assert.equal(await count(), 5, 'a clock that jumped is not trusted');
  server.clock.jump(-30 * DAY_MS);
  for (const _ of [1, 2]) await pass(HOUR_MS);
  await pass(30 * DAY_MS);
  assert.equal(await count(), 0);
});

test('deleting a webhook or account deletes its log and queued deliveries', async (t) => {
  const { server, receiver, client, params, sendTest } = await open(t);
  const left = async () => {
    const rows = await server.context.db.selectFrom('webhookDeliveries').select('id').execute();
    return rows.length + (await server.context.db.selectFrom('webhooks').select('id').execute()).length;
  };
  await sendTest();
  await client.call(deleteWebhook, { params });
  assert.equal(await left(), 0);
  await server.drainJobs();
  const { id } = await subscribe(client, receiver.url);
  await client.call(testWebhook, { params: { id } });
  await removeAccount(client);
  assert.equal(await left(), 0);
  await server.drainJobs();
  assert.deepEqual(receiver.received, []);
});

import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { updateProfile } from '../../../../contracts/accounts/settings.ts';
import { WEBHOOK_FORMATS } from '../../../../contracts/accounts/webhook-formats.ts';
import {
  createWebhook,
  getWebhookDelivery,
  getWebhookSecret,
  listWebhooks,
  rotateWebhookSecret,
  testWebhook,
  updateWebhook,
} from '../../../../contracts/accounts/webhooks.ts';
import { startTestServer } from '../../../../testing/test-context.ts';
import { sendTransfer } from '../../../../testing/uploads/send-transfer.ts';
import { MESSAGE_SCHEMAS } from '../../../../testing/webhooks/message-schemas.ts';
import {
  type MessageFormat,
  SECRET_PART,
  subscribeTo,
  TOKEN,
} from '../../../../testing/webhooks/message-webhooks.ts';
import { startReceiver } from '../../../../testing/webhooks/webhook-receiver.ts';
import { deliveriesOf, WITH_LOOPBACK } from '../../../../testing/webhooks/webhooks.ts';

const FORMATS = WEBHOOK_FORMATS.filter((format): format is MessageFormat => format !== 'sendwell');

async function open(t: TestContext) {
  const server = await startTestServer(t, WITH_LOOPBACK);
  const receiver = await startReceiver(t);
  const client = await server.signIn('prem');
  return { server, receiver, client };
}

test('a transfer is announced to every service; neither database, list nor log show their secrets', async (t) => {
  const { server, receiver, client } = await open(t);
  const ajv = new Ajv2020({ allErrors: true });
  addFormats.default(ajv);
  await client.call(updateProfile, { body: { language: 'fr' } });
  const webhooks: Awaited<ReturnType<typeof subscribeTo>>[] = [];
  for (const format of FORMATS) webhooks.push(await subscribeTo(client, format, receiver.url));
  // A service may repeat the secret.
  receiver.answer((response, { path, headers }) => {
    const repeated = `${path} ${headers.authorization ?? headers['x-gotify-key'] ?? ''}`;
    response.writeHead(200, { 'x-repeated': repeated }).end(`ok ${repeated}`);
  });
  await sendTransfer(client, [{ fileName: 'a.txt', bytes: Buffer.from('a') }], { title: 'Rushes' });
  await server.drainJobs();
  assert.equal(receiver.received.length, FORMATS.length);
  for (const [index, format] of FORMATS.entries()) {
    const { id, secret, url } = webhooks[index]!;
    assert.equal(secret, null);
    const [delivery] = await deliveriesOf(client, id);
    assert.deepEqual(
      [delivery!.state, delivery!.status, delivery!.type],
      ['delivered', 200, 'transfer.ready'],
    );
    const detail = await client.call(getWebhookDelivery, { params: { id, deliveryId: delivery!.id } });
    assert.equal(detail.request.url, url);
    const seen = JSON.stringify([detail, await client.call(listWebhooks)]);
    for (const part of [SECRET_PART, TOKEN]) assert.ok(!seen.includes(part), `${format} shows its secret`);
    const received = receiver.received.find(({ body }) =>
      ajv.validate(MESSAGE_SCHEMAS[format], JSON.parse(body)),
    );
    assert.match(received?.body ?? '', /“?Rushes/, `${format} got what it documents`);
    assert.doesNotMatch(received!.body, /have arrived/, 'the owner reads French');
    assert.equal(received!.headers['webhook-signature'], undefined);
  }
  const sent = (name: string) => receiver.received.flatMap(({ headers }) => headers[name] ?? []);
  assert.deepEqual(sent('authorization'), [`Bearer ${TOKEN}`]);
  assert.deepEqual(sent('x-gotify-key'), [TOKEN]);
  const { db } = server.context;
  const tables = ['webhooks', 'webhookDeliveries', 'accountEvents', 'mails'] as const;
  for (const table of tables) {
    const rows = JSON.stringify(await db.selectFrom(table).selectAll().execute());
    for (const part of [SECRET_PART, TOKEN]) assert.ok(!rows.includes(part), `${table} contains a secret`);
  }
});

test('Discord’s pause is kept, and the delivery succeeds afterwards', async (t) => {
  const { server, receiver, client } = await open(t);
  const { id } = await subscribeTo(client, 'discord', receiver.url);
  receiver.answer((response) =>
    response.writeHead(429, { 'retry-after': '90' }).end('{"message":"limited","retry_after":89.5}'),
  );
  await client.call(testWebhook, { params: { id } });
  await server.drainJobs();
  const [waiting] = await deliveriesOf(client, id);
  assert.equal(Date.parse(waiting!.nextTryAt!) - server.clock.now(), 90_000);
  assert.match(waiting!.error!, /Discord accepts no more messages/);
  receiver.answer(204);
  server.clock.advance(90_000);
  await server.drainJobs();
  assert.equal((await deliveriesOf(client, id))[0]!.state, 'delivered');
});

test('a Gotify token can be replaced, and the address stays', async (t) => {
  const { server, receiver, client } = await open(t);
  const { id, url } = await subscribeTo(client, 'gotify', receiver.url);
  receiver.answer((response) => response.writeHead(401).end('{"errorCode":401}'));
  const params = { id };
  await client.call(testWebhook, { params });
  await server.drainJobs();
  assert.match((await deliveriesOf(client, id))[0]!.error!, /Gotify does not accept the token/);
  receiver.answer(200);
  const changed = await client.call(updateWebhook, { params, body: { accessToken: 'Anew' } });
  assert.deepEqual([changed.url, changed.hasAccessToken, changed.failingSince], [url, true, null]);
  await assert.rejects(client.call(updateWebhook, { params, body: { accessToken: null } }), {
    code: 'invalid_input',
    message: /token of the app/,
  });
  await client.call(testWebhook, { params });
  await server.drainJobs();
  assert.equal(receiver.received.at(-1)!.headers['x-gotify-key'], 'Anew');
  assert.equal(receiver.received.at(-1)!.path, '/notify/message');
});

test('address and token can change at the same time', async (t) => {
  const { server, receiver, client } = await open(t);
  const { id } = await subscribeTo(client, 'gotify', receiver.url);
  const params = { id };
  // Looking up a name takes longer than the other call.
  const url = `${receiver.url.replace('127.0.0.1', 'localhost')}/moved`;
  await Promise.all([
    client.call(updateWebhook, { params, body: { url } }),
    client.call(updateWebhook, { params, body: { accessToken: 'Anew' } }),
  ]);
  receiver.answer(200);
  await client.call(testWebhook, { params });
  await server.drainJobs();
  const last = receiver.received.at(-1)!;
  assert.deepEqual([last.path, last.headers['x-gotify-key']], ['/hook/moved/message', 'Anew']);
});

test('only the format Sendwell has a secret to sign with', async (t) => {
  const { receiver, client } = await open(t);
  const { id } = await subscribeTo(client, 'slack', receiver.url);
  for (const endpoint of [getWebhookSecret, rotateWebhookSecret])
    await assert.rejects(client.call(endpoint, { params: { id } }), { code: 'webhook_unsigned' });
});

test('addresses of other services and missing tokens are refused at their field', async (t) => {
  const server = await startTestServer(t);
  const client = await server.signIn('prem');
  const cases: [MessageFormat, string, field: string, RegExp][] = [
    ['slack', 'https://example.org/services/a/b/c', 'url', /hooks\.slack\.com/],
    ['slack', 'https://hooks.slack.com/services/a', 'url', /hooks\.slack\.com/],
    ['teams', 'https://x.webhook.office.com/webhookb2/abc', 'url', /retired/],
    ['teams', 'https://prod-1.westus.logic.azure.com/workflows/0a/triggers/manual', 'url', /question mark/],
    ['discord', 'https://discord.com/channels/1/2', 'url', /discord\.com\/api\/webhooks/],
    ['discord', 'https://discord.com.example.org/api/webhooks/1/a', 'url', /discord\.com\/api\/webhooks/],
    ['ntfy', 'https://ntfy.sh/', 'url', /topic/],
    ['gotify', 'https://93.184.216.34/', 'accessToken', /token of the app/],
    ['ntfy', 'https://127.0.0.1/topic', 'url', /private network/],
  ];
  for (const [format, url, field, sentence] of cases)
    await assert.rejects(
      client.call(createWebhook, { body: { format, url, events: ['transfer.ready'] } }),
      (error: { status: number; problem: { errors?: Record<string, string> } }) => {
        assert.equal(error.status, 400, url);
        assert.match(error.problem.errors?.[field] ?? '', sentence, url);
        return true;
      },
    );
  const body = {
    format: 'slack' as const,
    url: 'https://93.184.216.34/services/T0/B0/x',
    events: ['transfer.ready' as const],
  };
  await assert.rejects(client.call(createWebhook, { body: { ...body, accessToken: 'x' } }), { status: 400 });
  const { id } = await client.call(createWebhook, { body });
  await assert.rejects(
    client.call(updateWebhook, { params: { id }, body: { url: 'https://example.org/services/a/b/c' } }),
    { status: 400, message: /hooks\.slack\.com/ },
  );
});

import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { logout } from '../../../contracts/accounts/accounts.ts';
import {
  deletePushSubscription,
  listPushSubscriptions,
  PUSH_EVENTS,
  type PushEvent,
  savePushSubscription,
} from '../../../contracts/accounts/push.ts';
import { updateProfile } from '../../../contracts/accounts/settings.ts';
import { fileDownloadPath, transferPath } from '../../../contracts/values/addresses/links.ts';
import { MINUTE_MS } from '../../../contracts/values/durations.ts';
import { createReadyTransfer } from '../../../testing/factories.ts';
import { until } from '../../../testing/lib/until.ts';
import { createPushBrowser, startPushService } from '../../../testing/push/push-service.ts';
import { startTestServer } from '../../../testing/test-context.ts';
import { sendTransfer } from '../../../testing/uploads/send-transfer.ts';
import { WITH_LOOPBACK } from '../../../testing/webhooks/webhooks.ts';
import { getVapidKeys } from './vapid-keys.ts';

async function open(t: TestContext) {
  const server = await startTestServer(t, WITH_LOOPBACK);
  const service = await startPushService(t);
  const client = await server.signIn('frida');
  const browser = createPushBrowser(service.url, 'one');
  const subscribe = (events: readonly PushEvent[] = PUSH_EVENTS, { endpoint, keys } = browser) =>
    client.call(savePushSubscription, { body: { endpoint, keys, events: [...events] } });
  return { server, service, client, browser, subscribe };
}

const FILES = [{ fileName: 'a.txt', bytes: Buffer.from('a') }];

test('a browser is notified in the owner’s language, encrypted and signed, and opens the transfer', async (t) => {
  const { server, service, client, browser, subscribe } = await open(t);
  await client.call(updateProfile, { body: { language: 'de' } });
  const { id: subscriptionId, endpointHash } = await subscribe();
  const { publicKey, subscriptions } = await client.call(listPushSubscriptions);
  assert.deepEqual(
    subscriptions.map((each) => [each.id, each.endpointHash]),
    [[subscriptionId, endpointHash]],
  );
  const { id } = await sendTransfer(client, FILES, { title: 'Rushes' });
  await server.drainJobs();
  assert.equal(service.pushes.length, 1);
  const [push] = service.pushes;
  assert.partialDeepStrictEqual(push!.headers, {
    'content-encoding': 'aes128gcm',
    ttl: '86400',
    urgency: 'normal',
  });
  assert.match(String(push!.headers.topic), /^[\w-]{32}$/);
  assert.match(String(push!.headers.authorization), new RegExp(`^vapid t=[\\w.-]+, k=${publicKey}$`));
  assert.doesNotMatch(push!.body.toString('latin1'), /Rushes/);
  const notice = browser.read(push!);
  assert.equal(notice.path, transferPath(id));
  assert.match(notice.body, /„Rushes“/);
  assert.notEqual(notice.title, 'Transfer ready');
});

test('first downloads and every download are separate choices', async (t) => {
  const { server, service, client, browser, subscribe } = await open(t);
  const other = createPushBrowser(service.url, 'two');
  await subscribe(['first-download']);
  await subscribe(['download'], other);
  const { id } = await createReadyTransfer(server.context, {
    userId: server.userId('frida'),
    files: [{ path: 'a.txt', bytes: 'hello' }],
  });
  const { token, files } = await server.context.db
    .selectFrom('transfers')
    .innerJoin('files', 'files.transferId', 'transfers.id')
    .select(['transfers.token', 'files.id as files'])
    .where('transfers.id', '=', id)
    .executeTakeFirstOrThrow();
  for (let times = 1; times <= 2; times += 1) {
    await (await server.anonymous().fetch(fileDownloadPath(token, files))).arrayBuffer();
    await until(async () => {
      await server.drainJobs();
      return service.pushes.filter(({ path }) => path === '/send/two').length === times;
    });
  }
  const forFirst = service.pushes.filter(({ path }) => path === '/send/one');
  assert.equal(forFirst.length, 1);
  assert.equal(browser.read(forFirst[0]!).path, transferPath(id));
  assert.ok(client);
});

for (const [status, cause] of [
  [503, 'is busy'],
  [403, 'rejects the signature, as it does if the server’s clock is wrong'],
] as const)
  test(`a push service that ${cause} gets the notification again`, async (t) => {
    const { server, service, client, subscribe } = await open(t);
    await subscribe(['ready']);
    service.status = status;
    await sendTransfer(client, FILES);
    await server.drainJobs();
    assert.equal(service.pushes.length, 1);
    service.status = 201;
    server.clock.advance(MINUTE_MS);
    await server.drainJobs();
    assert.equal(service.pushes.length, 2);
  });

test('a subscription that the push service no longer knows ends', async (t) => {
  const { server, service, client, subscribe } = await open(t);
  await subscribe(['ready']);
  service.status = 410;
  await sendTransfer(client, FILES);
  await server.drainJobs();
  assert.deepEqual((await client.call(listPushSubscriptions)).subscriptions, []);
});

test('the same browser is saved once, ends with its session, and belongs to its owner', async (t) => {
  const { server, service, client, subscribe } = await open(t);
  const first = await subscribe(['ready']);
  assert.deepEqual((await subscribe(['expired', 'ready'])).events, ['ready', 'expired']);
  assert.equal((await client.call(listPushSubscriptions)).subscriptions.length, 1);
  const other = await server.signIn('paula');
  await other.call(deletePushSubscription, { params: { id: first.id } });
  assert.equal((await client.call(listPushSubscriptions)).subscriptions.length, 1);
  assert.deepEqual((await other.call(listPushSubscriptions)).subscriptions, []);
  const rows = JSON.stringify(await server.context.db.selectFrom('pushSubscriptions').selectAll().execute());
  assert.ok(!rows.includes('/send/one'), 'the address is sealed');
  await client.call(logout);
  const count = await server.context.db.selectFrom('pushSubscriptions').select('id').execute();
  assert.deepEqual(count, []);
  assert.deepEqual(service.pushes, []);
});

test('at most twenty browsers per account, also by parallel requests', async (t) => {
  const { client, service, subscribe } = await open(t);
  const attempts = await Promise.allSettled(
    Array.from({ length: 24 }, (_, index) =>
      subscribe(['ready'], createPushBrowser(service.url, `b${index}`)),
    ),
  );
  const refused = attempts.flatMap((each) => (each.status === 'rejected' ? [each.reason.code] : []));
  assert.deepEqual(refused, Array(4).fill('too_many_push_subscriptions'));
  assert.equal((await client.call(listPushSubscriptions)).subscriptions.length, 20);
});

test('addresses in private networks, plain http and keys that are none are refused', async (t) => {
  const server = await startTestServer(t);
  const client = await server.signIn('frida');
  const { keys } = createPushBrowser('https://push.example.net', 'x');
  const save = (endpoint: string, given = keys) =>
    client.call(savePushSubscription, { body: { endpoint, keys: given, events: ['ready'] } });
  for (const endpoint of ['https://127.0.0.1/x', 'https://10.0.0.1:8443/x', 'http://93.184.216.34/x'])
    await assert.rejects(save(endpoint), { code: 'invalid_input' }, endpoint);
  for (const broken of [
    { ...keys, p256dh: 'AAAA' },
    { ...keys, auth: 'AAAA' },
  ])
    await assert.rejects(save('https://93.184.216.34/x', broken), { code: 'invalid_input' });
  await save('https://93.184.216.34/x');
});

test('all processes use one key pair, also if several generate one at once', async (t) => {
  const { context } = await startTestServer(t);
  const pairs = await Promise.all(Array.from({ length: 6 }, () => getVapidKeys(context)));
  assert.equal(new Set(pairs.map(({ publicKey }) => publicKey)).size, 1);
  const stored = JSON.stringify(await context.db.selectFrom('settings').selectAll().execute());
  assert.ok(!stored.includes(String(pairs[0]!.privateKey.d)));
  const replaced = await getVapidKeys({ ...context, secret: 'another secret' });
  assert.notEqual(replaced.publicKey, pairs[0]!.publicKey);
});

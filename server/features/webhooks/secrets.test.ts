import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { createWebhook, getWebhookSecret } from '../../../contracts/accounts/webhooks.ts';
import { startTestServer } from '../../../testing/test-context.ts';
import { startReceiver } from '../../../testing/webhooks/webhook-receiver.ts';
import { WITH_LOOPBACK } from '../../../testing/webhooks/webhooks.ts';
import { resealSecrets } from './secrets.ts';

const NEW = 'a new secret of 32 characters or more';
const NEVER = new AbortController().signal;

/** Creates a webhook on a server whose SESSION_SECRET then changes. */
async function rotate(t: TestContext) {
  const server = await startTestServer(t, WITH_LOOPBACK);
  const { url } = await startReceiver(t);
  const client = await server.signIn('prem');
  const { id, secret } = await client.call(createWebhook, { body: { url, events: ['transfer.ready'] } });
  const { context } = server;
  const old = context.secret;
  context.secret = NEW;
  return { context, client, id, secret, old };
}

test('a webhook’s secret can be read only with the previous SESSION_SECRET', async (t) => {
  const { context, client, id, secret, old } = await rotate(t);
  await assert.rejects(client.call(getWebhookSecret, { params: { id } }), { code: 'conflict' });
  context.previousSecret = old;
  assert.deepEqual(await client.call(getWebhookSecret, { params: { id } }), { secret });
});

test('the job reseals secrets, so that the previous SESSION_SECRET can be removed', async (t) => {
  const { context, client, id, secret, old } = await rotate(t);
  assert.equal(await resealSecrets(context, NEVER), 0, 'nothing without the previous secret');
  context.previousSecret = old;
  assert.equal(await resealSecrets(context, NEVER), 1);
  assert.equal(await resealSecrets(context, NEVER), 0, 'the second run finds nothing');
  context.previousSecret = undefined;
  assert.deepEqual(await client.call(getWebhookSecret, { params: { id } }), { secret });
});

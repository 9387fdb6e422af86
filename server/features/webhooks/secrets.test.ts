import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { createWebhook, getWebhookSecret } from '../../../contracts/accounts/webhooks.ts';
import { HOUR_MS } from '../../../contracts/values/durations.ts';
import { renewSessions } from '../../../testing/calls/renewed-sessions.ts';
import { startTestServer } from '../../../testing/test-context.ts';
import { startReceiver } from '../../../testing/webhooks/webhook-receiver.ts';
import { WITH_LOOPBACK } from '../../../testing/webhooks/webhooks.ts';

const NEW = 'a new secret of 32 characters or more';

/** Creates a webhook on a server whose SESSION_SECRET then changes. */
async function rotate(t: TestContext) {
  const server = await startTestServer(t, WITH_LOOPBACK);
  const { url } = await startReceiver(t);
  const client = await server.signIn('prem');
  const { id, secret } = await client.call(createWebhook, { body: { url, events: ['transfer.ready'] } });
  const { context } = server;
  const old = context.secret;
  context.secret = NEW;
  return { server, context, client, id, secret, old };
}

test('a webhook’s secret can be read only with the previous SESSION_SECRET', async (t) => {
  const { context, client, id, secret, old } = await rotate(t);
  await assert.rejects(client.call(getWebhookSecret, { params: { id } }), { code: 'conflict' });
  context.previousSecret = old;
  assert.deepEqual(await client.call(getWebhookSecret, { params: { id } }), { secret });
});

test('the job reseals secrets, so that the previous SESSION_SECRET can be removed', async (t) => {
  const { server, context, client, id, secret, old } = await rotate(t);
  const sealed = () => context.db.selectFrom('webhooks').select('secret').executeTakeFirstOrThrow();
  const before = await sealed();
  const run = async () => {
    server.clock.advance(HOUR_MS);
    await renewSessions(server);
    await server.drainJobs();
  };
  await run();
  assert.deepEqual(await sealed(), before, 'nothing without the previous secret');
  context.previousSecret = old;
  await run();
  const after = await sealed();
  assert.notDeepEqual(after, before);
  await run();
  assert.deepEqual(await sealed(), after, 'the second run finds nothing');
  context.previousSecret = undefined;
  assert.deepEqual(await client.call(getWebhookSecret, { params: { id } }), { secret });
});

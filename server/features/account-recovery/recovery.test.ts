import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { getCurrentUser, login } from '../../../contracts/accounts/accounts.ts';
import { createApiKey, listApiKeys, updateApiKey } from '../../../contracts/accounts/api-keys.ts';
import { confirmPasswordReset, requestPasswordReset } from '../../../contracts/accounts/password-reset.ts';
import { secureAccount, undoEmailChange, updateProfile } from '../../../contracts/accounts/settings.ts';
import {
  createWebhook,
  listWebhooks,
  testWebhook,
  updateWebhook,
} from '../../../contracts/accounts/webhooks.ts';
import { DAY_MS, MINUTE_MS } from '../../../contracts/values/durations.ts';
import type { Client } from '../../../testing/calls/client.ts';
import { mailedToken, mailsTo } from '../../../testing/calls/mailed-tokens.ts';
import { CAST, PASSWORD } from '../../../testing/cast.ts';
import { startTestServer, type TestServer } from '../../../testing/test-context.ts';
import { startReceiver } from '../../../testing/webhooks/webhook-receiver.ts';
import { WITH_LOOPBACK } from '../../../testing/webhooks/webhooks.ts';
import { createKey, updateKey } from '../api-keys/keys.ts';
import { updateWebhook as changeWebhook } from '../webhooks/webhooks.ts';

const OWNER: string = CAST.prem.email;
const THIEF = 'thief@example.net';
const NEW_PASSWORD = 'a brand new one';

/** A premium account with an API key and a webhook. A thief knows its password and is signed in to it. */
async function startWithThief(t: TestContext) {
  const receiver = await startReceiver(t);
  const server = await startTestServer(t, WITH_LOOPBACK);
  const thief = await server.signIn('prem');
  const key = await thief.call(createApiKey, { body: { name: 'Backup' } });
  const webhook = await thief.call(createWebhook, {
    body: { url: receiver.url, events: ['transfer.ready'] },
  });
  const byKey = () =>
    server
      .anonymous()
      .fetch('/api/user', { headers: { accept: 'application/json', authorization: `Bearer ${key.key}` } });
  assert.equal((await byKey()).status, 200);
  return { server, receiver, thief, key, webhook, byKey };
}

type Story = Awaited<ReturnType<typeof startWithThief>>;

const signIn = async (server: TestServer, password: string, username: string = OWNER) => {
  const client = server.anonymous();
  await client.call(login, { body: { username, password } });
  return client;
};
const confirmReset = (server: TestServer, token: string) =>
  server.anonymous().call(confirmPasswordReset, { body: { token, password: NEW_PASSWORD } });
const resetTokenOf = (server: TestServer, email = OWNER) => mailedToken(server, 'password-reset', email);
const secure = (server: TestServer, token: string) =>
  server.anonymous().call(secureAccount, { body: { token } });

async function requestAndConfirm(server: TestServer): Promise<void> {
  await server.anonymous().call(requestPasswordReset, { body: { email: OWNER } });
  await server.drainJobs();
  await confirmReset(server, await resetTokenOf(server));
}

/** Asserts that the thief's session is ended and that the owner finds key and webhook disabled with the reason. */
async function assertEvicted(
  { server, thief, key, webhook, byKey, receiver }: Story,
  owner: Client,
  reason: string,
): Promise<void> {
  await assert.rejects(thief.call(getCurrentUser), { status: 401 });
  const refused = await byKey();
  const { code } = (await refused.json()) as { code: string };
  assert.deepEqual([refused.status, code], [401, 'api_key_inactive']);
  const [listedKey] = await owner.call(listApiKeys);
  assert.deepEqual([listedKey!.id, listedKey!.isActive, listedKey!.disabledReason], [key.id, false, reason]);
  assert.equal(Date.parse(listedKey!.disabledAt!), server.clock.now());
  const [listedWebhook] = await owner.call(listWebhooks);
  assert.deepEqual(
    [listedWebhook!.id, listedWebhook!.isActive, listedWebhook!.disabledReason],
    [webhook.id, false, reason],
  );
  await server.drainJobs();
  server.clock.advance(2 * DAY_MS);
  await server.drainJobs();
  assert.equal(receiver.received.length, 0, 'queued deliveries are not sent');
}

async function assertEnabledAgain({ byKey, key, webhook }: Story, owner: Client): Promise<void> {
  const enabledKey = await owner.call(updateApiKey, { params: { id: key.id }, body: { isActive: true } });
  assert.deepEqual([enabledKey.disabledReason, enabledKey.disabledAt], [null, null]);
  assert.equal((await byKey()).status, 200);
  const enabled = await owner.call(updateWebhook, { params: { id: webhook.id }, body: { isActive: true } });
  assert.deepEqual([enabled.isActive, enabled.disabledReason, enabled.disabledAt], [true, null, null]);
}

test('a password reset ends all sessions and disables keys and webhooks', async (t) => {
  const story = await startWithThief(t);
  const { server, thief, webhook } = story;
  await thief.call(testWebhook, { params: { id: webhook.id } });
  await requestAndConfirmBeforeDelivery(story);
  const owner = await signIn(server, NEW_PASSWORD);
  await assertEvicted(story, owner, 'password-reset');
  await assertEnabledAgain(story, await signIn(server, NEW_PASSWORD));
});

/** Postpones the delivery in the queue: it must not run before the reset, which a job mails, is confirmed. */
async function requestAndConfirmBeforeDelivery({ server, webhook }: Story): Promise<void> {
  const { db, clock } = server.context;
  const ofWebhook = db.updateTable('webhookDeliveries').where('webhookId', '=', webhook.id);
  await ofWebhook.set({ nextTryAt: clock.now() + DAY_MS }).execute();
  await requestAndConfirm(server);
}

test('undoing an email change ends the thief’s session and voids the password', async (t) => {
  const story = await startWithThief(t);
  const { server, thief } = story;
  await thief.call(updateProfile, { body: { email: THIEF, currentPassword: PASSWORD } });
  const token = await mailedToken(server, 'email-changed', OWNER);
  await server.anonymous().call(undoEmailChange, { body: { token } });
  await assert.rejects(signIn(server, PASSWORD), { status: 401 });
  await assert.rejects(signIn(server, PASSWORD, THIEF), { status: 401 });
  assert.deepEqual(await mailsTo(server, 'password-reset', THIEF), []);
  await confirmReset(server, await resetTokenOf(server));
  // The reset that follows keeps the earlier reason of what is already disabled.
  await assertEvicted(story, await signIn(server, NEW_PASSWORD), 'email-undone');
});

for (const kind of ['password-changed', 'api-key-created', 'webhook-created'] as const) {
  test(`“This wasn’t me” in the mail about ${kind} secures the account once`, async (t) => {
    const story = await startWithThief(t);
    const { server, thief } = story;
    const newPassword = 'the thief’s own';
    await thief.call(updateProfile, { body: { newPassword, currentPassword: PASSWORD } });
    const token = await mailedToken(server, kind, OWNER);
    await secure(server, token);
    await assert.rejects(signIn(server, newPassword), { status: 401 });
    await assert.rejects(secure(server, token), { status: 410, code: 'link_void' });
    await confirmReset(server, await resetTokenOf(server));
    await assertEvicted(story, await signIn(server, NEW_PASSWORD), 'reported');
  });
}

test('an older “This wasn’t me” link restores the address that its mail was sent to', async (t) => {
  const { server, thief } = await startWithThief(t);
  await thief.call(updateProfile, {
    body: { email: THIEF, newPassword: 'the thief’s own', currentPassword: PASSWORD },
  });
  await secure(server, await mailedToken(server, 'api-key-created', OWNER));
  assert.deepEqual(await mailsTo(server, 'password-reset', THIEF), []);
  await confirmReset(server, await resetTokenOf(server));
  const owner = await signIn(server, NEW_PASSWORD);
  assert.equal((await owner.call(getCurrentUser)).email, OWNER);
});

test('links mailed to the thief’s address are void after the undo', async (t) => {
  const { server, thief } = await startWithThief(t);
  await thief.call(updateProfile, { body: { email: THIEF, currentPassword: PASSWORD } });
  await server.context.db.updateTable('users').set({ emailVerified: 1 }).where('email', '=', THIEF).execute();
  await thief.call(createApiKey, { body: { name: 'Another' } });
  const thiefs = await mailedToken(server, 'api-key-created', THIEF);
  const token = await mailedToken(server, 'email-changed', OWNER);
  await server.anonymous().call(undoEmailChange, { body: { token } });
  await assert.rejects(secure(server, thiefs), { status: 410, code: 'link_void' });
});

test('a thief who changes the address and changes it back gets no link that undoes it', async (t) => {
  const { server, thief } = await startWithThief(t);
  const moveTo = async (email: string) => {
    await thief.call(updateProfile, { body: { email, currentPassword: PASSWORD } });
    await server.context.db
      .updateTable('users')
      .set({ emailVerified: 1 })
      .where('email', '=', email)
      .execute();
    server.clock.advance(MINUTE_MS);
  };
  await moveTo(THIEF);
  await moveTo(OWNER);
  const thiefs = await mailedToken(server, 'email-changed', THIEF);
  await requestAndConfirm(server);
  const undo = server.anonymous().call(undoEmailChange, { body: { token: thiefs } });
  await assert.rejects(undo, { status: 410, code: 'link_void' });
});

test('a reset through the thief’s mailbox does not void the owner’s undo link', async (t) => {
  const { server, thief } = await startWithThief(t);
  await thief.call(updateProfile, { body: { email: THIEF, currentPassword: PASSWORD } });
  await server.anonymous().call(requestPasswordReset, { body: { email: THIEF } });
  await server.drainJobs();
  await confirmReset(server, await resetTokenOf(server, THIEF));
  const token = await mailedToken(server, 'email-changed', OWNER);
  await server.anonymous().call(undoEmailChange, { body: { token } });
  await assert.rejects(signIn(server, NEW_PASSWORD, 'prem'), { status: 401 });
});

test('a link in a security mail works for seven days, and only exactly as it was mailed', async (t) => {
  const { server } = await startWithThief(t);
  const token = await mailedToken(server, 'webhook-created', OWNER);
  for (const wrong of ['', '0'.repeat(26), `${token} `, token.toUpperCase(), '\0', 'ü'])
    await assert.rejects(secure(server, wrong), { status: 410, code: 'link_void' });
  const rows = JSON.stringify(await server.context.db.selectFrom('accountAlerts').selectAll().execute());
  assert.ok(!rows.includes(token), 'only its hash is stored');
  server.clock.advance(7 * DAY_MS);
  await assert.rejects(secure(server, token), { status: 410, code: 'link_void' });
});

test('of parallel uses of one security link one succeeds', async (t) => {
  const { server } = await startWithThief(t);
  const token = await mailedToken(server, 'api-key-created', OWNER);
  const answers = await Promise.allSettled(Array.from({ length: 5 }, () => secure(server, token)));
  assert.equal(answers.filter(({ status }) => status === 'fulfilled').length, 1);
  assert.equal((await mailsTo(server, 'password-reset', OWNER)).length, 1);
});

test('the thief’s calls in flight cannot enable or create keys and webhooks', async (t) => {
  const { server, thief, key, webhook } = await startWithThief(t);
  const { context } = server;
  const session = await context.db
    .selectFrom('sessions')
    .selectAll()
    .where('userId', '=', server.userId('prem'))
    .executeTakeFirstOrThrow();
  const user = await context.db
    .selectFrom('users')
    .selectAll()
    .where('id', '=', server.userId('prem'))
    .executeTakeFirstOrThrow();
  await requestAndConfirm(server);
  // The identity of a call that was authenticated before the recovery.
  const caller = { user, sessionId: session.id };
  const byKey = { user, sessionId: null, apiKey: { id: key.id, scopes: ['write' as const] } };
  const isSignedOut = { code: 'not_signed_in' } as const;
  await assert.rejects(updateKey(context, caller, { id: key.id, isActive: true }), isSignedOut);
  await assert.rejects(createKey(context, caller, { name: 'New', scopes: ['read'] }), isSignedOut);
  await assert.rejects(changeWebhook(context, caller, { id: webhook.id, isActive: true }), isSignedOut);
  await assert.rejects(changeWebhook(context, byKey, { id: webhook.id, isActive: true }), {
    code: 'api_key_inactive',
  });
  await assert.rejects(thief.call(getCurrentUser), { status: 401 });
});

test('creating keys repeatedly sends at most twenty mails a day', async (t) => {
  const server = await startTestServer(t);
  const prem = await server.signIn('prem');
  for (let round = 0; round < 22; round += 1) {
    const { id } = await prem.call(createApiKey, { body: { name: `Key ${round}` } });
    await server.context.db.deleteFrom('apiKeys').where('id', '=', id).execute();
  }
  assert.equal((await mailsTo(server, 'api-key-created', OWNER)).length, 20);
});

import assert from 'node:assert/strict';
import test from 'node:test';
import { getCurrentUser, login } from '../../../../../contracts/accounts/accounts.ts';
import { createApiKey, listApiKeys } from '../../../../../contracts/accounts/api-keys.ts';
import {
  endSession,
  listSessions,
  SESSION_BULK_CALLS_PER_MINUTE,
  SESSION_CALLS_PER_MINUTE,
  signOutEverywhere,
} from '../../../../../contracts/accounts/settings.ts';
import { finishSignIn } from '../../../../../contracts/accounts/sign-in/sign-in.ts';
import { createWebhook } from '../../../../../contracts/accounts/webhooks.ts';
import { MAX_FILES_PER_CALL, MAX_FILES_PER_TRANSFER } from '../../../../../contracts/plans/limits.ts';
import { listUploads } from '../../../../../contracts/transfers/uploads/uploads.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../../../contracts/values/durations.ts';
import { addAuthenticatorApp } from '../../../../../testing/calls/authenticator-app.ts';
import { PASSWORD } from '../../../../../testing/cast.ts';
import { startTestServer, type TestServer } from '../../../../../testing/test-context.ts';
import { openVisit } from '../../../../../testing/visitors/visitor-uploads.ts';
import { startReceiver } from '../../../../../testing/webhooks/webhook-receiver.ts';
import { WITH_LOOPBACK } from '../../../../../testing/webhooks/webhooks.ts';

test('sessions are listed current first, then by latest use, without secrets', async (t) => {
  const server = await startTestServer(t);
  const clients = [];
  for (let index = 0; index < 3; index += 1) {
    clients.push(await server.signIn('frida'));
    server.clock.advance(HOUR_MS);
  }
  await server.signIn('paula');
  const [oldest, , newest] = clients;
  const listed = await newest!.call(listSessions);
  assert.deepEqual(
    listed.map(({ isCurrent, lastSeenAt }) => [isCurrent, Date.parse(lastSeenAt)]),
    [
      [true, server.clock.now()],
      [false, server.clock.now() - 2 * HOUR_MS],
      [false, server.clock.now() - 3 * HOUR_MS],
    ],
  );
  const [mine] = await oldest!.call(listSessions);
  assert.equal(mine!.id, listed[2]!.id);
  const text = await (await newest!.fetch('/api/user/sessions')).text();
  assert.ok(!/hash|userId|expiresAt/i.test(text));
  assert.ok(!text.includes(newest!.jar.list()[0]!.value));
});

test('an expired session is not listed', async (t) => {
  const server = await startTestServer(t);
  await server.signIn('frida');
  server.clock.advance(30 * DAY_MS);
  const frida = await server.signIn('frida');
  assert.equal((await frida.call(listSessions)).length, 1);
});

test('the cookie lasts as long as its session, and a user has at most 25 sessions', async (t) => {
  const server = await startTestServer(t);
  const oldest = await server.signIn('frida');
  for (let index = 0; index < 23; index += 1) {
    server.clock.advance(MINUTE_MS);
    await server.signIn('frida');
  }
  server.clock.advance(MINUTE_MS);
  const body = { username: 'frida', password: PASSWORD };
  const signIn = () => server.anonymous().call(login, { body });
  await signIn();
  await oldest.call(getCurrentUser);
  await Promise.all(Array.from({ length: 6 }, signIn));
  await assert.rejects(oldest.call(getCurrentUser), { status: 401 });
  const browser = server.anonymous();
  const response = await browser.fetch('/api/login', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const cookie = response.headers.getSetCookie().find((each) => each.startsWith('sendwell_session='))!;
  assert.match(cookie, /; Max-Age=2592000;/);
  const rows = await server.context.db.selectFrom('sessions').select(['createdAt', 'expiresAt']).execute();
  assert.equal(rows.length, 25);
  for (const { createdAt, expiresAt } of rows) assert.equal(expiresAt - createdAt, 2_592_000_000);
});

test('a session can be ended once from another session', async (t) => {
  const server = await startTestServer(t);
  const [here, elsewhere] = [await server.signIn('frida'), await server.signIn('frida')];
  const [mine, other] = await here.call(listSessions);
  const response = await here.fetch(`/api/user/sessions/${other!.id}`, { method: 'DELETE' });
  assert.deepEqual([response.status, response.headers.getSetCookie()], [204, []]);
  await assert.rejects(elsewhere.call(getCurrentUser), { status: 401 });
  const again = here.call(endSession, { params: { id: other!.id } });
  await assert.rejects(again, { status: 404, code: 'session_not_found' });
  assert.deepEqual(
    (await here.call(listSessions)).map(({ id }) => id),
    [mine!.id],
  );
});

test('ending the current session signs the browser out', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  const [mine] = await frida.call(listSessions);
  await frida.call(endSession, { params: { id: mine!.id } });
  assert.deepEqual(frida.jar.list(), []);
  await assert.rejects(frida.call(listSessions), { status: 401 });
});

test('another user’s session is unknown', async (t) => {
  const server = await startTestServer(t);
  const [frida, paula] = [await server.signIn('frida'), await server.signIn('paula')];
  const [mine] = await frida.call(listSessions);
  await assert.rejects(paula.call(endSession, { params: { id: mine!.id } }), {
    status: 404,
    code: 'session_not_found',
  });
  await assert.rejects(paula.call(endSession, { params: { id: 'x' } }), { status: 404 });
  await frida.call(getCurrentUser);
});

async function useUp({ context, clock }: TestServer, key: string, count: number): Promise<void> {
  const row = { key, count, windowEndsAt: clock.now() + MINUTE_MS };
  await context.db
    .insertInto('rateCounters')
    .values(row)
    .onConflict((conflict) => conflict.column('key').doUpdateSet(row))
    .execute();
}

test('an account that has used up its session calls must wait for the next minute', async (t) => {
  const server = await startTestServer(t);
  const laptop = await server.signIn('frida');
  await useUp(server, `session-calls:${server.userId('frida')}`, SESSION_CALLS_PER_MINUTE - 1);
  await laptop.call(getCurrentUser);
  const refused = await (await server.signIn('frida')).fetch('/api/user');
  assert.equal(refused.status, 429);
  assert.equal(refused.headers.get('retry-after'), '60');
  assert.match(
    await refused.text(),
    /^This account has reached its limit of 6000 requests per minute\. Please wait/,
  );
  await laptop.call(listUploads);
  await (await server.signIn('paula')).call(getCurrentUser);
  server.clock.advance(MINUTE_MS);
  await laptop.call(getCurrentUser);
});

test('visitors use up no calls of the account that invited them', async (t) => {
  const { server, prem, vera } = await openVisit(t);
  await useUp(server, `session-bulk:${server.userId('prem')}`, SESSION_BULK_CALLS_PER_MINUTE);
  await assert.rejects(prem.call(listUploads), { status: 429, code: 'call_limit_exceeded' });
  await vera.list();
});

test('sending the largest transfer in one minute stays within the calls of an account', () => {
  const announcements = MAX_FILES_PER_TRANSFER / MAX_FILES_PER_CALL;
  const calls = MAX_FILES_PER_TRANSFER + 2 * announcements;
  assert.ok(calls < SESSION_BULK_CALLS_PER_MINUTE);
});

test('a session tells how and where its user signed in', async (t) => {
  const server = await startTestServer(t);
  const paula = await server.signIn('paula');
  const app = await addAuthenticatorApp(server, paula);
  const phone = server.anonymous();
  const body = { username: 'paula', password: PASSWORD };
  await assert.rejects(phone.call(login, { body }), { code: 'second_factor_required' });
  await phone.call(finishSignIn, { body: { method: 'totp', code: app.codeAt() } });
  const [current] = await phone.call(listSessions);
  assert.deepEqual(current!.methods, ['password', 'totp']);
  await server.context.db.updateTable('sessions').set({ ipAddress: '8.8.8.8' }).execute();
  assert.equal((await phone.call(listSessions))[0]!.country, 'US');
});

test('signing out everywhere ends the other sessions, and keys and webhooks by choice', async (t) => {
  const server = await startTestServer(t, WITH_LOOPBACK);
  const [here, phone] = [await server.signIn('prem'), await server.signIn('prem')];
  const frida = await server.signIn('frida');
  await here.call(createApiKey, { body: { name: 'Backup' } });
  const { url } = await startReceiver(t);
  await here.call(createWebhook, { body: { url, events: ['transfer.ready'] } });
  const signOut = (choice: object) => here.call(signOutEverywhere, { body: choice });
  assert.deepEqual(await signOut({}), { sessions: 1, apiKeys: 0, webhooks: 0 });
  await assert.rejects(phone.call(getCurrentUser), { status: 401 });
  await here.call(getCurrentUser);
  assert.deepEqual(await signOut({ apiKeys: true }), { sessions: 0, apiKeys: 1, webhooks: 0 });
  const [key] = await here.call(listApiKeys);
  assert.deepEqual([key!.isActive, key!.disabledReason], [false, 'signed-out']);
  const all = await signOut({ apiKeys: true, webhooks: true, keepThis: false });
  assert.deepEqual(all, { sessions: 1, apiKeys: 0, webhooks: 1 });
  await assert.rejects(here.call(getCurrentUser), { status: 401 });
  await frida.call(getCurrentUser);
});

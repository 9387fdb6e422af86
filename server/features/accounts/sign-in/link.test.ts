import assert from 'node:assert/strict';
import test from 'node:test';
import { getCurrentUser, login, register } from '../../../../contracts/accounts/accounts.ts';
import { updateProfile } from '../../../../contracts/accounts/settings.ts';
import { requestSignInLink, signInByLink } from '../../../../contracts/accounts/sign-in/link.ts';
import { HOUR_MS, MINUTE_MS } from '../../../../contracts/values/durations.ts';
import { mailedToken, mailsTo } from '../../../../testing/calls/mailed-tokens.ts';
import { allowEmailSignIn } from '../../../../testing/calls/sign-in-policy.ts';
import { CAST, PASSWORD } from '../../../../testing/cast.ts';
import { startTestServer, type TestServer } from '../../../../testing/test-context.ts';

const FRIDA: string = CAST.frida.email;
const NORA = 'nora.new@example.org';
const isVoid = { status: 410, code: 'link_void' } as const;

async function requestLink(server: TestServer, email: string): Promise<string> {
  await server.anonymous().call(requestSignInLink, { body: { email } });
  await server.drainJobs();
  return mailedToken(server, 'sign-in-link', email);
}

const open = (server: TestServer, token: string) =>
  server.anonymous().call(signInByLink, { body: { token } });

test('links are refused unless the administrator allows them', async (t) => {
  const server = await startTestServer(t);
  const body = { email: FRIDA };
  await assert.rejects(server.anonymous().call(requestSignInLink, { body }), { code: 'email_sign_in_off' });
  await assert.rejects(open(server, 'x'), { code: 'email_sign_in_off' });
});

test('of fifty parallel uses of one link, one signs in; opening its page uses nothing', async (t) => {
  const server = await startTestServer(t);
  await allowEmailSignIn(server);
  const token = await requestLink(server, FRIDA);
  for (let scan = 0; scan < 3; scan += 1) {
    await server.anonymous().fetch(`/auth/link#token=${token}`);
    await server.anonymous().fetch('/api/login/link');
  }
  const answers = await Promise.allSettled(Array.from({ length: 50 }, () => open(server, token)));
  assert.equal(answers.filter(({ status }) => status === 'fulfilled').length, 1);
  const sessions = await server.context.db.selectFrom('sessions').selectAll().execute();
  assert.deepEqual(
    sessions.map(({ userId, methods }) => [userId, methods]),
    [[server.userId('frida'), '["link"]']],
  );
});

test('known and unknown addresses get the same answer and enqueue the same jobs', async (t) => {
  const server = await startTestServer(t, { REGISTRATION: 'closed' });
  await allowEmailSignIn(server);
  const answerTo = async (email: string) => {
    const response = await server.anonymous().fetch('/api/login/link/request', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email }),
    });
    // Date and request ID differ between any two responses.
    const { date, 'x-request-id': requestId, ...headers } = Object.fromEntries(response.headers);
    assert.ok(date && requestId);
    const jobs = await server.context.db.selectFrom('jobs').select('name').execute();
    await server.context.db.deleteFrom('jobs').execute();
    return { status: response.status, text: await response.text(), headers, jobs };
  };
  const known = await answerTo(FRIDA);
  assert.deepEqual([known.status, known.text], [202, '']);
  assert.deepEqual(await answerTo('nobody@example.org'), known);
  await server.anonymous().call(requestSignInLink, { body: { email: 'nobody@example.org' } });
  await server.drainJobs();
  assert.deepEqual(await server.mails(), [], 'registration is closed');
});

test('a link is void after 15 minutes, after a newer one, and after the address or password has changed', async (t) => {
  const server = await startTestServer(t);
  await allowEmailSignIn(server);
  const first = await requestLink(server, FRIDA);
  server.clock.advance(MINUTE_MS);
  const second = await requestLink(server, FRIDA);
  await assert.rejects(open(server, first), isVoid);
  server.clock.advance(15 * MINUTE_MS);
  await assert.rejects(open(server, second), isVoid);
  const third = await requestLink(server, FRIDA);
  const frida = await server.signIn('frida');
  await frida.call(updateProfile, { body: { email: 'moved@example.org', currentPassword: PASSWORD } });
  await assert.rejects(open(server, third), isVoid);
});

test('a mailbox gets one link a minute and five an hour', async (t) => {
  const server = await startTestServer(t);
  await allowEmailSignIn(server);
  for (let asked = 0; asked < 8; asked += 1) {
    await requestLink(server, FRIDA);
    await requestLink(server, FRIDA);
    server.clock.advance(MINUTE_MS);
  }
  assert.equal((await mailsTo(server, 'sign-in-link', FRIDA)).length, 5);
});

test('an account with a second factor continues with it', async (t) => {
  const server = await startTestServer(t);
  await allowEmailSignIn(server);
  const userId = server.userId('frida');
  const { db } = server.context;
  const now = server.clock.now();
  const secret = {
    userId,
    sealedSecret: 'x',
    lastStep: 0,
    createdAt: now,
    confirmedAt: now,
    lastUsedAt: null,
  };
  await db.insertInto('totpSecrets').values(secret).execute();
  await db.updateTable('users').set({ hasSecondFactor: 1 }).where('id', '=', userId).execute();
  const token = await requestLink(server, FRIDA);
  await assert.rejects(open(server, token), { status: 401, code: 'second_factor_required' });
  assert.deepEqual(await db.selectFrom('sessions').selectAll().execute(), []);
});

test('a link to an unknown address creates the account, once', async (t) => {
  const server = await startTestServer(t);
  await allowEmailSignIn(server);
  const token = await requestLink(server, NORA);
  const browser = server.anonymous();
  const user = await browser.call(signInByLink, { body: { token } });
  assert.deepEqual(
    [user.name, user.username, user.email, user.emailVerified],
    ['Nora New', 'nora.new', NORA, true],
  );
  assert.equal((await browser.call(getCurrentUser)).id, user.id);
  await assert.rejects(open(server, token), isVoid);
  server.clock.advance(HOUR_MS);
  assert.equal((await open(server, await requestLink(server, NORA))).id, user.id);
  const other = await open(server, await requestLink(server, 'nora.new@example.net'));
  assert.match(other.username, /^nora\.new-[0-9a-z]{6}$/);
});

test('somebody who registered an address without verifying it gets nothing from its owner’s link', async (t) => {
  const server = await startTestServer(t);
  await allowEmailSignIn(server);
  const squatter = { name: 'S', username: 'squatter', email: NORA, password: PASSWORD };
  const thief = server.anonymous();
  await thief.call(register, { body: squatter });
  const user = await open(server, await requestLink(server, NORA));
  assert.notEqual(user.username, 'squatter');
  const body = { username: NORA, password: PASSWORD };
  await assert.rejects(server.anonymous().call(login, { body }), { status: 401 });
  await assert.rejects(thief.call(getCurrentUser), { status: 401 });
});

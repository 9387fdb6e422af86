import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import type { FastifyRequest } from 'fastify';
import type { ApiError } from '../../../../client/api-error.ts';
import { getCurrentUser, login } from '../../../../contracts/accounts/accounts.ts';
import { MINUTE_MS } from '../../../../contracts/values/durations.ts';
import type { Client } from '../../../../testing/calls/client.ts';
import { CAST, PASSWORD } from '../../../../testing/cast.ts';
import { cheapHash } from '../../../../testing/lib/cheap-hash.ts';
import { startTestServer, type TestServer } from '../../../../testing/test-context.ts';
import { transaction } from '../../../platform/db/transaction.ts';
import { claimHashing, hashPassword } from '../passwords/passwords.ts';
import { claimLoginTry } from './login.ts';

const signIn = (client: Client, username: string, password: string) =>
  client.call(login, { body: { username, password } });

test('a user signs in by name or by email address, in any case', async (t) => {
  const server = await startTestServer(t);
  for (const name of ['frida', 'FRIDA', ' frida ', 'Frida@Example.org']) {
    const client = server.anonymous();
    const user = await signIn(client, name, PASSWORD);
    assert.deepEqual([user.username, user.email, user.emailVerified], ['frida', CAST.frida.email, true]);
    assert.deepEqual(await client.call(getCurrentUser), user);
  }
});

test('the session cookie is hidden from scripts and other sites, and the token is not stored', async (t) => {
  const server = await startTestServer(t);
  const client = server.anonymous();
  const response = await client.fetch('/api/login', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'frida', password: PASSWORD }),
  });
  const [cookie = ''] = response.headers.getSetCookie();
  assert.match(cookie, /^sendwell_session=[0-9a-z]{26}; Max-Age=\d+; Path=\/; HttpOnly; SameSite=Lax$/);
  const token = /=([^;]+)/.exec(cookie)![1]!;
  const rows = await server.context.db.selectFrom('sessions').selectAll().execute();
  assert.ok(!JSON.stringify(rows).includes(token));
});

test('signing in replaces the browser’s previous token', async (t) => {
  const server = await startTestServer(t);
  const client = await server.signIn('frida');
  const old = server.anonymous();
  for (const cookie of client.jar.list()) old.jar.add(cookie);
  await signIn(client, 'paula', PASSWORD);
  assert.equal((await client.call(getCurrentUser)).username, 'paula');
  await assert.rejects(old.call(getCurrentUser), { status: 401 });
});

test('a planted token is not reused', async (t) => {
  const server = await startTestServer(t);
  const client = server.anonymous();
  client.jar.add({ name: 'sendwell_session', value: '0'.repeat(26), path: '/' });
  await signIn(client, 'frida', PASSWORD);
  assert.notEqual(client.jar.list()[0]!.value, '0'.repeat(26));
});

test('an unknown name gets the same answer as a wrong password', async (t) => {
  const client = (await startTestServer(t)).anonymous();
  const answerTo = async (username: string) => {
    const response = await client.fetch('/api/login', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username, password: 'not the password' }),
    });
    // Date and request ID differ between any two responses.
    const { date, 'x-request-id': requestId, ...headers } = Object.fromEntries(response.headers);
    assert.ok(date && requestId);
    return { status: response.status, text: await response.text(), headers };
  };
  const wrong = await answerTo('frida');
  assert.deepEqual([wrong.status, wrong.text], [401, 'Incorrect username or password.']);
  for (const name of ['nobody', 'nobody@example.org', "' or 1=1 --", '%00', 'ΩΩΩ']) {
    assert.deepEqual(await answerTo(name), wrong);
  }
});

test('sign-in reports each missing or malformed field with its message', async (t) => {
  const client = (await startTestServer(t)).anonymous();
  const cases: [Record<string, unknown>, string, string][] = [
    [{ username: '' }, 'username', 'Username is required'],
    [{ password: '' }, 'password', 'Password is required'],
    [{ password: undefined }, 'password', 'Required'],
    [{ password: ['x'] }, 'password', 'Expected string, received array'],
    [{ username: 12 }, 'username', 'Expected string, received number'],
  ];
  for (const [change, field, sentence] of cases) {
    const body = { username: 'frida', password: PASSWORD, ...change };
    await assert.rejects(client.call(login, { body }), (error: ApiError) => {
      assert.deepEqual([error.status, error.problem.errors], [400, { [field]: sentence }]);
      return true;
    });
  }
  for (const username of ['fri\0da', '\udc00', 'x'.repeat(321)]) {
    await assert.rejects(signIn(client, username, PASSWORD), { status: 400 });
  }
});

test('after ten wrong passwords even the right one must wait, for known and unknown names', async (t) => {
  const server = await startTestServer(t);
  for (const name of ['frida', 'nobody']) {
    for (let tries = 0; tries < 10; tries += 1) {
      await assert.rejects(signIn(server.anonymous(), name, 'wrong'), { status: 401 });
    }
    await assert.rejects(signIn(server.anonymous(), name, PASSWORD), (error: ApiError) => {
      assert.deepEqual([error.status, error.retryAfterSeconds], [429, 900]);
      assert.equal(error.problem.detail, 'Too many attempts. Please wait 15 minutes and try again.');
      return true;
    });
  }
  await signIn(server.anonymous(), 'paula', PASSWORD);
  server.clock.advance(15 * MINUTE_MS);
  await signIn(server.anonymous(), 'frida', PASSWORD);
});

test('parallel wrong passwords are counted before they are checked', async (t) => {
  const server = await startTestServer(t);
  const answers = await Promise.allSettled(
    Array.from({ length: 30 }, () => signIn(server.anonymous(), 'frida', 'wrong')),
  );
  const judged = answers.filter((answer) => answer.status === 'rejected' && answer.reason.status === 401);
  assert.equal(judged.length, 10);
});

test('correct passwords do not count as attempts', async (t) => {
  const server = await startTestServer(t);
  for (let tries = 0; tries < 12; tries += 1) await signIn(server.anonymous(), 'frida', PASSWORD);
});

const from = (address: string) => ({ 'x-forwarded-for': address });

async function signInFrom(server: TestServer, address: string, username: string, password: string) {
  const response = await server.anonymous().fetch('/api/login', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...from(address) },
    body: JSON.stringify({ username, password }),
  });
  return { status: response.status, text: await response.text(), cookies: response.headers.getSetCookie() };
}

/** Gives all users a hash of the usual password that costs almost nothing to check. */
async function startCheaply(t: TestContext): Promise<TestServer> {
  const server = await startTestServer(t, { TRUST_PROXY: '1' });
  await server.context.db
    .updateTable('users')
    .set({ passwordHash: cheapHash(PASSWORD) })
    .execute();
  return server;
}

const ipv4 = (index: number) => `198.51.${100 + Math.floor(index / 250)}.${(index % 250) + 1}`;

test('guesses at one account over many addresses are limited, and the limit refills slowly', async (t) => {
  const server = await startCheaply(t);
  assert.equal(
    (await signInFrom(server, '203.0.113.9', 'paula', PASSWORD)).status,
    200,
    'an address she signed in from before',
  );
  const statuses: number[] = [];
  for (let index = 0; index < 52; index += 1)
    statuses.push((await signInFrom(server, ipv4(index), 'paula', `guess ${index}`)).status);
  assert.equal(statuses.filter((status) => status === 401).length, 50);
  const stranger = await signInFrom(server, ipv4(60), 'PAULA@example.org', PASSWORD);
  assert.equal(stranger.status, 429, 'the address names the same account, and the right password waits too');
  assert.match(stranger.text, /where you signed in before, or set a new password by email/);
  assert.equal((await signInFrom(server, '203.0.113.9', 'paula', PASSWORD)).status, 200);
  server.clock.advance(15 * MINUTE_MS);
  assert.equal((await signInFrom(server, ipv4(61), 'paula', 'wrong')).status, 401, 'one try has come back');
  assert.equal((await signInFrom(server, ipv4(62), 'paula', 'wrong')).status, 429);
  assert.equal((await signInFrom(server, ipv4(63), 'frida', PASSWORD)).status, 200);
});

test('a browser that signed in before has its own attempts at any address', async (t) => {
  const server = await startCheaply(t);
  const { cookies } = await signInFrom(server, '203.0.113.9', 'paula', PASSWORD);
  const browser = cookies.find((cookie) => cookie.startsWith('sendwell_browser='))!;
  assert.match(browser, /^sendwell_browser=[0-9a-z]{26}; Max-Age=7776000; Path=\/; HttpOnly; SameSite=Lax$/);
  for (let index = 0; index < 50; index += 1) await signInFrom(server, ipv4(index), 'paula', 'wrong');
  for (let tries = 0; tries < 10; tries += 1) await signInFrom(server, '192.0.2.1', 'frida', 'wrong');
  const travelling = async (name: string, address = '192.0.2.1') => {
    const response = await server.anonymous().fetch('/api/login', {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie: browser.split(';')[0]!, ...from(address) },
      body: JSON.stringify({ username: name, password: PASSWORD }),
    });
    return response.status;
  };
  assert.equal((await signInFrom(server, '192.0.2.1', 'paula', PASSWORD)).status, 429);
  assert.equal(await travelling('frida'), 429, 'it never signed in there');
  assert.equal(await travelling('paula'), 200);
});

test('one network address gets a hundred wrong attempts across all accounts', async (t) => {
  const { context } = await startTestServer(t);
  const tryAs = (name: string, ip = '192.0.2.1') =>
    claimLoginTry(context, { user: undefined, name, request: { ip, cookies: {} } as FastifyRequest });
  for (let name = 0; name < 100; name += 1) await tryAs(`name${name}`);
  await assert.rejects(tryAs('another'), { code: 'too_many_requests' });
  await tryAs('another', '192.0.2.2');
});

test('correct passwords count toward the hashing limit because checking them costs as much', async (t) => {
  const { context } = await startTestServer(t);
  for (let check = 0; check < 300; check += 1) await claimHashing(context, { userId: 'frida' });
  await assert.rejects(claimHashing(context, { userId: 'frida' }), { code: 'too_many_requests' });
  await claimHashing(context, { userId: 'paula' });
});

test('a password that changes while it is being checked opens no session', async (t) => {
  const server = await startTestServer(t);
  const { db } = server.context;
  const passwordHash = await hashPassword('a new password');
  // These occupy the queue, so the attempt below waits for its turn after having read the old hash.
  const busy = Promise.all(Array.from({ length: 12 }, () => hashPassword('busy')));
  const outcome = signIn(server.anonymous(), 'frida', PASSWORD).catch((error: ApiError) => error.code);
  const listCounters = () => db.selectFrom('rateCounters').select('key').execute();
  while ((await listCounters()).length < 3) await setTimeout(1);
  await setTimeout(10);
  await transaction(db, async (trx) => {
    await trx.updateTable('users').set({ passwordHash }).where('usernameKey', '=', 'frida').execute();
    await trx.deleteFrom('sessions').where('userId', '=', server.userId('frida')).execute();
  });
  await busy;
  await outcome;
  assert.deepEqual(await db.selectFrom('sessions').selectAll().execute(), []);
  await signIn(server.anonymous(), 'frida', 'a new password');
});

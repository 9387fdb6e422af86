import assert from 'node:assert/strict';
import test from 'node:test';
import type { ApiError } from '../../../client/api-error.ts';
import {
  getCurrentUser,
  getMonthlyUsage,
  login,
  logout,
  register,
} from '../../../contracts/accounts/accounts.ts';
import { DAY_MS, HOUR_MS } from '../../../contracts/values/durations.ts';
import { KIB } from '../../../contracts/values/sizes.ts';
import type { Client } from '../../../testing/calls/client.ts';
import { CAST, PASSWORD } from '../../../testing/cast.ts';
import { startTestServer } from '../../../testing/test-context.ts';

const NINA = { name: 'Nina New', username: 'Nina', email: 'Nina@Example.org', password: 'nina has a cat' };

function post(client: Client, path: string, body: string, headers: Record<string, string> = {}) {
  return client.fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  });
}

test('registering creates an unverified free user and reveals no internal fields', async (t) => {
  const server = await startTestServer(t);
  const response = await post(server.anonymous(), '/api/register', JSON.stringify(NINA));
  assert.equal(response.status, 201);
  const user = (await response.json()) as Record<string, unknown>;
  const { id, ...rest } = user;
  assert.match(String(id), /^[0-9a-f-]{36}$/);
  assert.deepEqual(rest, {
    name: 'Nina New',
    username: 'Nina',
    email: 'Nina@Example.org',
    emailVerified: false,
    isAdmin: false,
    tier: 'free',
    createdAt: new Date(server.clock.now()).toISOString(),
    language: null,
  });
  const [cookie = ''] = response.headers.getSetCookie();
  assert.match(cookie, /^sendwell_pending=[^;]+; Max-Age=3600; Path=\/; HttpOnly; SameSite=Lax$/);
});

test('registering ignores fields that grant rights', async (t) => {
  const server = await startTestServer(t);
  const greedy = { ...NINA, isAdmin: true, tier: 'premium', emailVerified: true, id: 'mine', createdAt: 0 };
  const user = await server.anonymous().call(register, { body: greedy });
  assert.deepEqual([user.isAdmin, user.tier, user.emailVerified], [false, 'free', false]);
  assert.notEqual(user.id, 'mine');
});

test('twelve parallel registrations of one name or address create one account', async (t) => {
  const server = await startTestServer(t);
  const registerTwelve = (change: (index: number) => Record<string, string>) =>
    Promise.allSettled(
      Array.from({ length: 12 }, (_, index) =>
        server.anonymous().call(register, { body: { ...NINA, ...change(index) } }),
      ),
    );
  const [sameName, sameEmail] = await Promise.all([
    registerTwelve((index) => ({ email: `nina${index}@example.org` })),
    registerTwelve((index) => ({ username: `olga${index}`, email: 'olga@example.org' })),
  ]);
  for (const [answers, code, field] of [
    [sameName, 'username_taken', 'username'],
    [sameEmail, 'email_taken', 'email'],
  ] as const) {
    const refusals = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason] : []));
    assert.equal(refusals.length, 11);
    for (const { status, problem } of refusals) {
      assert.deepEqual([status, problem.code], [409, code]);
      assert.equal(problem.errors[field], problem.detail);
    }
  }
});

test('names and addresses are unique regardless of case', async (t) => {
  const client = (await startTestServer(t)).anonymous();
  const asFrida = { ...NINA, username: 'FRIDA' };
  await assert.rejects(client.call(register, { body: asFrida }), { status: 409, code: 'username_taken' });
  const atFrida = { ...NINA, email: 'FRIDA@EXAMPLE.ORG' };
  await assert.rejects(client.call(register, { body: atFrida }), { status: 409, code: 'email_taken' });
});

test('registration reports each invalid field with its message', async (t) => {
  const client = (await startTestServer(t)).anonymous();
  const cases: [Record<string, unknown>, string, string][] = [
    [{ name: ' ' }, 'name', 'Name is required'],
    [{ username: '' }, 'username', 'Username is required'],
    [{ username: 'a b' }, 'username', 'Use 3 to 32 letters, digits, dots, dashes or underscores.'],
    [{ username: 'nina@home' }, 'username', 'Use 3 to 32 letters, digits, dots, dashes or underscores.'],
    [{ email: 'nina@' }, 'email', 'Please enter a valid email address'],
    [{ email: 'nina@example.org\r\nBcc: x@example.org' }, 'email', 'Please enter a valid email address'],
    [{ email: '"a b"@example.org' }, 'email', 'Please enter a valid email address'],
    [{ password: '' }, 'password', 'Password is required'],
    [{ password: 'short' }, 'password', 'Please use at least 6 characters.'],
    [{ password: 'x'.repeat(201) }, 'password', 'Please use at most 200 characters.'],
    [{ name: 7 }, 'name', 'Expected string, received number'],
    [{ password: null }, 'password', 'Expected string, received null'],
    [{ email: undefined }, 'email', 'Required'],
    [{ name: 'a\0b' }, 'name', 'This text contains characters that cannot be stored.'],
    [{ name: '\ud800' }, 'name', 'This text contains characters that cannot be stored.'],
    [{ password: 'secret\0' }, 'password', 'This password contains characters that cannot be used.'],
  ];
  for (const [change, field, sentence] of cases) {
    await assert.rejects(client.call(register, { body: { ...NINA, ...change } }), (error: ApiError) => {
      assert.deepEqual([error.status, error.problem.errors], [400, { [field]: sentence }]);
      return true;
    });
  }
  for (const body of [[], 'text', 7]) {
    await assert.rejects(client.call(register, { body }), { status: 400 });
  }
});

test('clients that do not accept JSON get a refusal as one plain sentence', async (t) => {
  const client = (await startTestServer(t)).anonymous();
  const response = await post(client, '/api/login', JSON.stringify({ username: 7, password: 'x' }));
  assert.equal(response.status, 400);
  assert.equal(response.headers.get('content-type'), 'text/plain; charset=utf-8');
  assert.equal(await response.text(), 'username: Expected string, received number');
});

test('only small JSON bodies from our own pages are accepted', async (t) => {
  const server = await startTestServer(t);
  const client = server.anonymous();
  const body = JSON.stringify({ username: CAST.frida.username, password: PASSWORD });
  const refusals: [string, Record<string, string>, number][] = [
    [body, { origin: 'https://evil.example' }, 403],
    [body, { origin: 'null' }, 403],
    [body, { 'sec-fetch-site': 'cross-site' }, 403],
    [body, { 'content-type': 'text/plain' }, 415],
    [body, { 'content-type': 'application/x-www-form-urlencoded' }, 415],
    [body.slice(1), {}, 400],
    [JSON.stringify({ username: 'frida', password: 'x'.repeat(64 * KIB) }), {}, 413],
  ];
  for (const path of ['/api/login', '/api/register', '/api/verify-email']) {
    for (const [text, headers, status] of refusals) {
      const response = await post(client, path, text, headers);
      // Verifying needs the cookie set by registration, so its body is not read here.
      const isUnread = path === '/api/verify-email' && status !== 403;
      assert.equal(response.status, isUnread ? 401 : status, `${path} ${JSON.stringify(headers)}`);
      assert.deepEqual(response.headers.getSetCookie(), []);
    }
  }
  assert.equal((await post(client, '/api/login', body, { origin: server.url })).status, 200);
});

test('a session ends 30 days after sign-in, even if it is in use', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  for (let week = 0; week < 4; week += 1) {
    server.clock.advance(7 * DAY_MS);
    await frida.call(getCurrentUser);
  }
  server.clock.advance(2 * DAY_MS - 1);
  // The previous release may run beside this one and extends sessions like this.
  await server.context.db
    .updateTable('sessions')
    .set({ expiresAt: server.clock.now() + DAY_MS })
    .execute();
  await frida.call(getCurrentUser);
  server.clock.advance(1);
  await assert.rejects(frida.call(getCurrentUser), { status: 401 });
});

test('the last use of a session is stored at most once an hour', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  const readSeen = async () =>
    (await server.context.db.selectFrom('sessions').select('lastSeenAt').executeTakeFirstOrThrow())
      .lastSeenAt;
  const start = server.clock.now();
  server.clock.advance(HOUR_MS - 1);
  await frida.call(getCurrentUser);
  assert.equal(await readSeen(), start);
  server.clock.advance(1);
  await Promise.all([frida.call(getCurrentUser), frida.call(getCurrentUser)]);
  assert.equal(await readSeen(), start + HOUR_MS);
});

test('logging out ends the session on the server and works without one', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  const stolen = server.anonymous();
  for (const cookie of frida.jar.list()) stolen.jar.add(cookie);
  assert.equal((await frida.fetch('/api/logout', { method: 'POST' })).status, 200);
  assert.deepEqual(frida.jar.list(), []);
  await assert.rejects(stolen.call(getCurrentUser), { status: 401 });
  await server.anonymous().call(logout);
});

test('an invalid token identifies no user', async (t) => {
  const server = await startTestServer(t);
  for (const value of ['', 'x', '%00', 'a'.repeat(4000)]) {
    const client = server.anonymous();
    client.jar.add({ name: 'sendwell_session', value, path: '/' });
    await assert.rejects(client.call(getCurrentUser), { status: 401 });
  }
});

test('a revoked administrator role takes effect with the next request', async (t) => {
  const { context, signIn } = await startTestServer(t);
  const ada = await signIn('ada');
  await context.db
    .updateTable('users')
    .set({ isAdmin: 0, tier: 'free' })
    .where('usernameKey', '=', 'ada')
    .execute();
  const { isAdmin, tier } = await ada.call(getCurrentUser);
  assert.deepEqual({ isAdmin, tier }, { isAdmin: false, tier: 'free' });
  await context.db.deleteFrom('users').where('usernameKey', '=', 'ada').execute();
  await assert.rejects(ada.call(getCurrentUser), { status: 401 });
});

test('monthly usage counts only this month and this user', async (t) => {
  const server = await startTestServer(t);
  const paula = await server.signIn('paula');
  assert.deepEqual(await paula.call(getMonthlyUsage), { usage: 0 });
  const month = new Date(server.clock.now()).toISOString().slice(0, 7);
  const bytes = 6 * 1024 ** 3;
  await server.context.db
    .insertInto('monthlyUsage')
    .values([
      { userId: server.userId('paula'), month, bytes },
      { userId: server.userId('paula'), month: '2020-01', bytes: 1 },
      { userId: server.userId('frida'), month, bytes: 2 },
    ])
    .execute();
  assert.deepEqual(await paula.call(getMonthlyUsage), { usage: bytes });
  await assert.rejects(server.anonymous().call(getMonthlyUsage), { status: 401 });
});

test('on https the session cookie is bound to this host', async (t) => {
  const server = await startTestServer(t);
  server.context.config.publicUrl = 'https://send.example';
  const body = { username: CAST.frida.username, password: PASSWORD };
  const client = server.anonymous();
  const response = await post(client, '/api/login', JSON.stringify(body));
  const [cookie = ''] = response.headers.getSetCookie();
  assert.match(
    cookie,
    /^__Host-sendwell_session=[0-9a-z]{26}; Max-Age=\d+; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
  );
  assert.equal((await client.call(getCurrentUser)).username, 'frida');
  await client.call(login, { body });
});

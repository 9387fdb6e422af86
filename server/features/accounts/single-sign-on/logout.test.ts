import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { getCurrentUser, logout } from '../../../../contracts/accounts/accounts.ts';
import { BACKCHANNEL_LOGOUT_PATH } from '../../../../contracts/accounts/sign-in/single-sign-on.ts';
import { HostileProvider, KEY_ID, nowInSeconds } from '../../../../testing/identity/hostile-provider.ts';
import { addProvider, signInWith } from '../../../../testing/identity/sso.ts';
import { startTestServer } from '../../../../testing/test-context.ts';

const NORA = { sub: 'nora-1', email: 'nora@example.net', email_verified: true, sid: 'session-1' };
const OTTO = { ...NORA, sub: 'otto-1', email: 'otto@example.net', sid: 'session-2' };

async function start(t: TestContext) {
  const provider = await HostileProvider.start(t);
  const server = await startTestServer(t, { RATE_LIMIT: 'off' });
  const { id: providerId } = await addProvider(server, provider, { mayCreateAccounts: true });
  const signIn = async (person: typeof NORA) => {
    const client = server.anonymous();
    await signInWith(client, { provider, providerId, person });
    await client.call(getCurrentUser);
    return client;
  };
  const post = async (token: string) => {
    const body = new URLSearchParams({ logout_token: token });
    const response = await fetch(server.url + BACKCHANNEL_LOGOUT_PATH, { method: 'POST', body });
    assert.equal(response.headers.get('cache-control'), 'no-store');
    return response.status;
  };
  return { provider, server, providerId, signIn, post };
}

test('a logout token with a session ends that session', async (t) => {
  const { provider, signIn, post } = await start(t);
  const [here, elsewhere] = [await signIn(NORA), await signIn({ ...NORA, sid: 'session-3' })];
  assert.equal(await post(await provider.signLogoutToken({ sid: NORA.sid })), 200);
  await assert.rejects(here.call(getCurrentUser), { status: 401 });
  await elsewhere.call(getCurrentUser);
});

test('a logout token with a subject ends the sessions that this person began at the provider', async (t) => {
  const { provider, server, signIn, post } = await start(t);
  const [nora, otto] = [await signIn(NORA), await signIn(OTTO)];
  const frida = await server.signIn('frida');
  assert.equal(await post(await provider.signLogoutToken({ sub: NORA.sub })), 200);
  await assert.rejects(nora.call(getCurrentUser), { status: 401 });
  await otto.call(getCurrentUser);
  await frida.call(getCurrentUser);
  assert.equal(await post(await provider.signLogoutToken({ sub: 'nobody' })), 200);
  assert.equal(await post(await provider.signLogoutToken({ sub: NORA.sub, sid: OTTO.sid })), 200);
  await otto.call(getCurrentUser);
});

test('a logout token that is not valid ends nothing', async (t) => {
  const { provider, signIn, post } = await start(t);
  const nora = await signIn(NORA);
  const event = 'http://schemas.openid.net/event/backchannel-logout';
  const sign = (changes: Record<string, unknown>) => provider.signLogoutToken({ sid: NORA.sid, ...changes });
  const now = nowInSeconds();
  const right = {
    iss: provider.issuer,
    aud: 'sendwell',
    iat: now,
    exp: now + 60,
    jti: 'x',
    events: { [event]: {} },
    sid: NORA.sid,
  };
  const tokens: Record<string, string> = {
    'wrong issuer': await sign({ iss: 'https://evil.example' }),
    'wrong audience': await sign({ aud: 'another-client' }),
    'no time': await sign({ iat: undefined }),
    'an hour old': await sign({ iat: now - 3_600 }),
    'from the future': await sign({ iat: now + 3_600 }),
    expired: await sign({ exp: now - 3_600 }),
    'no ID': await sign({ jti: undefined }),
    'no event': await sign({ events: undefined }),
    'another event': await sign({ events: { 'urn:example': {} } }),
    'event as text': await sign({ events: { [event]: 'yes' } }),
    'a nonce, as in an ID token': await sign({ nonce: 'x' }),
    'neither session nor subject': await sign({ sid: undefined }),
    'session as a number': await sign({ sid: 7 }),
    'empty subject': await sign({ sub: '' }),
    'key of another issuer': await provider.sign(right, { typ: 'logout+jwt' }, provider.otherKeys),
    'unknown key': await provider.sign(right, { kid: 'another' }),
    'an access token': await provider.sign(right, { typ: 'at+jwt' }),
    'algorithm none': `${encode({ alg: 'none', kid: KEY_ID })}.${encode(right)}.`,
    nonsense: 'nonsense',
    nothing: '',
  };
  for (const [name, token] of Object.entries(tokens)) assert.equal(await post(token), 400, name);
  await nora.call(getCurrentUser);
});

test('a logout token counts once', async (t) => {
  const { provider, signIn, post } = await start(t);
  const token = await provider.signLogoutToken({ sub: NORA.sub });
  assert.deepEqual((await Promise.all([post(token), post(token), post(token)])).sort(), [200, 400, 400]);
  const nora = await signIn(NORA);
  assert.equal(await post(token), 400);
  await nora.call(getCurrentUser);
});

test('signing out works while the provider is down', async (t) => {
  const { provider, server, signIn } = await start(t);
  const nora = await signIn(NORA);
  provider.tampering = { discoveryEndpoint: (response) => response.destroy() };
  server.clock.advance(25 * 3_600_000);
  assert.deepEqual(await nora.call(logout), {});
  await assert.rejects(nora.call(getCurrentUser), { status: 401 });
});

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { getCurrentUser } from '../../../../contracts/accounts/accounts.ts';
import { listAccountEvents } from '../../../../contracts/accounts/events.ts';
import { finishSignIn } from '../../../../contracts/accounts/sign-in/sign-in.ts';
import {
  beginSsoSignIn,
  listSignInProviders,
  SSO_CALLBACK_PATH,
} from '../../../../contracts/accounts/sign-in/single-sign-on.ts';
import { MINUTE_MS } from '../../../../contracts/values/durations.ts';
import { addAuthenticatorApp } from '../../../../testing/calls/authenticator-app.ts';
import { CAST } from '../../../../testing/cast.ts';
import { HostileProvider } from '../../../../testing/identity/hostile-provider.ts';
import {
  addProvider,
  begin,
  comeBack,
  outcomeOf,
  proveDomain,
  signInWith,
} from '../../../../testing/identity/sso.ts';
import { startTestServer } from '../../../../testing/test-context.ts';

const NORA = { sub: 'nora-1', email: 'nora.nord@example.org', email_verified: true, name: 'Nora Nord' };
const FRIDA = { sub: 'frida-1', email: CAST.frida.email, email_verified: true, name: 'Frida' };

async function start(t: TestContext, settings: Parameters<typeof addProvider>[2] = {}) {
  const provider = await HostileProvider.start(t);
  const server = await startTestServer(t);
  const { id: providerId } = await addProvider(server, provider, settings);
  const signIn = (person: typeof NORA, returnTo?: string) => {
    const client = server.anonymous();
    return signInWith(client, { provider, providerId, person, ...(returnTo && { returnTo }) }).then(
      (location) => ({ client, location }),
    );
  };
  return { provider, server, providerId, signIn };
}

test('a new person gets an account and later signs in to it, whatever the address is by then', async (t) => {
  const { server, signIn } = await start(t, { mayCreateAccounts: true });
  const first = await signIn(NORA, '/dashboard/upload?x=1#top');
  assert.equal(first.location, '/dashboard/upload?x=1#top');
  const user = await first.client.call(getCurrentUser);
  assert.deepEqual(
    [user.name, user.username, user.email, user.emailVerified],
    ['Nora Nord', 'nora.nord', NORA.email, true],
  );
  const again = await signIn({ ...NORA, email: 'someone.else@example.org' });
  assert.equal(again.location, '/dashboard');
  assert.deepEqual(await again.client.call(getCurrentUser), user);
  const kinds = (await again.client.call(listAccountEvents)).map(({ kind, method }) => [kind, method]);
  assert.deepEqual(kinds, Array(2).fill(['sign-in', 'oidc']));
  const rows = await server.context.db
    .selectFrom('sessions')
    .select(['methods', 'providerId'])
    .where('userId', '=', user.id)
    .execute();
  assert.deepEqual(
    rows.map(({ methods }) => methods),
    ['["oidc"]', '["oidc"]'],
  );
});

test('the way to the provider carries PKCE, state, nonce and the redirect URI of PUBLIC_URL', async (t) => {
  const { server, providerId } = await start(t);
  const client = server.anonymous();
  const response = await client.fetch('/api/sign-in/sso', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-host': 'evil.example' },
    body: JSON.stringify({ providerId, returnTo: '//evil.example/' }),
  });
  const { url } = (await response.json()) as { url: string };
  const asked = new URL(url).searchParams;
  assert.equal(asked.get('redirect_uri'), `${server.context.config.publicUrl}${SSO_CALLBACK_PATH}`);
  assert.deepEqual(
    [asked.get('response_type'), asked.get('code_challenge_method'), asked.get('scope')],
    ['code', 'S256', 'openid email profile'],
  );
  for (const name of ['state', 'nonce', 'code_challenge']) assert.equal(asked.get(name)?.length, 43, name);
  assert.match(
    response.headers.getSetCookie().join(),
    /^sendwell_sso=[0-9a-z]{26}; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/,
  );
  const stored = JSON.stringify(await server.context.db.selectFrom('signInAttempts').selectAll().execute());
  assert.ok(!stored.includes(client.jar.list()[0]!.value) && !stored.includes('evil.example'));
});

test('the public list names the enabled providers and nothing else', async (t) => {
  const { server, providerId } = await start(t, { domains: ['example.org'] });
  const response = await server.anonymous().fetch('/api/sign-in/providers');
  assert.deepEqual(await response.json(), [{ id: providerId, name: 'Example ID' }]);
  await server.context.db.updateTable('identityProviders').set({ isEnabled: 0 }).execute();
  assert.deepEqual(await server.anonymous().call(listSignInProviders), []);
  await assert.rejects(begin(server.anonymous(), providerId), { code: 'provider_not_found' });
});

test('an address leads to the provider that its domain requires, the same for unknown accounts', async (t) => {
  const { server } = await start(t, { domains: ['example.org'], isRequiredForDomains: true });
  const ask = (email: string) => server.anonymous().call(beginSsoSignIn, { body: { email } });
  for (const email of [CAST.frida.email, 'nobody@EXAMPLE.org']) {
    const { url } = await ask(email);
    assert.equal(new URL(url!).searchParams.get('login_hint'), email);
  }
  assert.deepEqual(await ask('frida@elsewhere.example'), { url: null });
  const both = { email: CAST.frida.email, providerId: '0'.repeat(26) };
  for (const body of [{}, both])
    await assert.rejects(server.anonymous().call(beginSsoSignIn, { body }), { code: 'invalid_input' });
});

test('an existing account is linked by its address only in a proved domain, and its owner is told', async (t) => {
  const { server, providerId, signIn } = await start(t, { domains: ['example.org'] });
  const refused = await signIn(FRIDA);
  assert.equal(outcomeOf(refused.location), 'account-exists');
  await proveDomain(server, providerId, 'example.org');
  const { client, location } = await signIn(FRIDA);
  assert.equal(location, '/dashboard');
  assert.equal((await client.call(getCurrentUser)).username, 'frida');
  assert.equal((await server.mails()).filter(({ kind }) => kind === 'identity-changed').length, 1);
  const events = await client.call(listAccountEvents);
  assert.equal(events.find(({ kind }) => kind === 'identity-linked')?.name, 'Example ID');
  const other = await signIn({ ...FRIDA, sub: 'other', email: CAST.ada.email });
  assert.equal(outcomeOf(other.location), 'account-exists', 'never an administrator');
});

test('an unverified registration with the address is no account: it is replaced', async (t) => {
  const { server, signIn } = await start(t, { mayCreateAccounts: true });
  const { db } = server.context;
  const { id, ...row } = await db
    .selectFrom('users')
    .selectAll()
    .where('usernameKey', '=', 'frida')
    .executeTakeFirstOrThrow();
  const squatter = {
    ...row,
    id: crypto.randomUUID(),
    username: 'squat',
    usernameKey: 'squat',
    email: NORA.email,
    emailKey: NORA.email,
    emailVerified: 0 as const,
    firstVerifiedAt: null,
  };
  await db.insertInto('users').values(squatter).execute();
  const { client } = await signIn(NORA);
  const user = await client.call(getCurrentUser);
  assert.notEqual(user.id, squatter.id);
  assert.equal(
    await db.selectFrom('users').select('id').where('id', '=', squatter.id).executeTakeFirst(),
    undefined,
  );
});

test('an account with a second factor is asked for it, unless the provider is trusted and asked for one', async (t) => {
  const { provider, server, providerId, signIn } = await start(t, { domains: ['example.org'] });
  await proveDomain(server, providerId, 'example.org');
  const owner = await server.signIn('frida');
  const app = await addAuthenticatorApp(server, owner);
  const { client, location } = await signIn(FRIDA, '/dashboard/upload');
  const { pathname, searchParams } = new URL(location, server.url);
  assert.deepEqual(
    [pathname, searchParams.get('sso'), searchParams.get('factors'), searchParams.get('next')],
    ['/auth', 'second-factor', 'totp,recovery-code', '/dashboard/upload'],
  );
  await assert.rejects(client.call(getCurrentUser), { status: 401 });
  server.clock.advance(MINUTE_MS);
  await client.call(finishSignIn, { body: { method: 'totp', code: app.codeAt() } });
  const session = await server.context.db
    .selectFrom('sessions')
    .selectAll()
    .where('providerId', '=', providerId)
    .executeTakeFirstOrThrow();
  assert.equal(session.methods, '["oidc","totp"]');
  provider.tampering = { claims: (claims) => ({ ...claims, amr: ['pwd', 'mfa'] }) };
  assert.equal(outcomeOf((await signIn(FRIDA)).location), 'second-factor');
  await server.context.db.updateTable('identityProviders').set({ trustsSecondFactor: 1 }).execute();
  assert.equal((await signIn(FRIDA)).location, '/dashboard');
  provider.tampering = { claims: (claims) => ({ ...claims, amr: ['pwd'] }) };
  assert.equal(outcomeOf((await signIn(FRIDA)).location), 'second-factor');
});

test('of twenty parallel returns with one state, one signs in', async (t) => {
  const { provider, server, providerId } = await start(t, { mayCreateAccounts: true });
  const client = server.anonymous();
  const parameters = provider.authorize(await begin(client, providerId), NORA);
  const cookies = client.jar.list();
  const locations = await Promise.all(
    Array.from({ length: 20 }, () => {
      const tab = server.anonymous();
      for (const cookie of cookies) tab.jar.add(cookie);
      return comeBack(tab, parameters);
    }),
  );
  assert.equal(locations.filter((location) => location === '/dashboard').length, 1);
  assert.equal(locations.filter((location) => outcomeOf(location) === 'expired').length, 19);
  const sessions = await server.context.db
    .selectFrom('sessions')
    .select('id')
    .where('providerId', '=', providerId)
    .execute();
  assert.equal(sessions.length, 1);
});

test('of parallel first sign-ins of one person, all end in one account', async (t) => {
  const { server, signIn } = await start(t, { mayCreateAccounts: true });
  const returned = await Promise.all(Array.from({ length: 6 }, () => signIn(NORA)));
  assert.deepEqual(
    returned.map(({ location }) => location),
    Array(6).fill('/dashboard'),
  );
  const users = await server.context.db
    .selectFrom('users')
    .select('id')
    .where('emailKey', '=', NORA.email)
    .execute();
  const identities = await server.context.db.selectFrom('externalIdentities').select('id').execute();
  assert.deepEqual([users.length, identities.length], [1, 1]);
});

test('a sign-in must come back within ten minutes', async (t) => {
  const { provider, server, providerId } = await start(t, { mayCreateAccounts: true });
  const client = server.anonymous();
  const parameters = provider.authorize(await begin(client, providerId), NORA);
  server.clock.advance(10 * MINUTE_MS);
  assert.equal(outcomeOf(await comeBack(client, parameters)), 'expired');
});

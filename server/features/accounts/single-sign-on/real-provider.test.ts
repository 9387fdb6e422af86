import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { getCurrentUser, logout } from '../../../../contracts/accounts/accounts.ts';
import { beginTotp } from '../../../../contracts/accounts/sign-in/factors.ts';
import {
  beginLinkIdentity,
  beginSsoConfirmation,
  listIdentities,
} from '../../../../contracts/accounts/sign-in/single-sign-on.ts';
import { MINUTE_MS } from '../../../../contracts/values/durations.ts';
import { ProviderBrowser, REAL_CLIENT, RealProvider } from '../../../../testing/identity/real-provider.ts';
import { addProvider, begin, comeBack, outcomeOf } from '../../../../testing/identity/sso.ts';
import { until } from '../../../../testing/lib/until.ts';
import { startTestServer } from '../../../../testing/test-context.ts';

async function start(t: TestContext) {
  const server = await startTestServer(t);
  const provider = await RealProvider.start(t, server);
  const { id: providerId } = await addProvider(server, provider, { ...REAL_CLIENT, mayCreateAccounts: true });
  const signIn = async (browser = new ProviderBrowser()) => {
    const client = server.anonymous();
    const location = await comeBack(client, await browser.visit(await begin(client, providerId)));
    return { client, location, browser };
  };
  return { server, provider, providerId, signIn };
}

test('a person signs in, gets an account, and signs in to it again', async (t) => {
  const { signIn } = await start(t);
  const first = await signIn();
  assert.equal(first.location, '/dashboard');
  const user = await first.client.call(getCurrentUser);
  assert.deepEqual([user.email, user.name, user.username], ['nora@example.net', 'Nora', 'nora']);
  const again = await signIn(first.browser);
  assert.deepEqual(await again.client.call(getCurrentUser), user);
});

test('a signed-in person links a sign-in and uses it', async (t) => {
  const { server, provider, providerId, signIn } = await start(t);
  provider.account = 'fritz';
  const frida = await server.signIn('frida');
  const { url } = await frida.call(beginLinkIdentity, { body: { providerId } });
  const location = await comeBack(frida, await new ProviderBrowser().visit(url));
  assert.equal(location, `/dashboard/settings/security?sso=linked&provider=${providerId}`);
  const [identity] = await frida.call(listIdentities);
  assert.deepEqual(
    [identity!.email, identity!.isUsable, identity!.provider.name],
    ['fritz@example.net', true, 'Example ID'],
  );
  const { client } = await signIn();
  assert.equal((await client.call(getCurrentUser)).username, 'frida');
});

test('a person confirms at the provider, who asks again', async (t) => {
  const { server, signIn } = await start(t);
  const { client, browser } = await signIn();
  server.clock.advance(16 * MINUTE_MS);
  await assert.rejects(client.call(beginTotp), { code: 'step_up_required' });
  const [identity] = await client.call(listIdentities);
  const body = { identityId: identity!.id, returnTo: '/dashboard/settings/security#app' };
  const { url } = await client.call(beginSsoConfirmation, { body });
  assert.deepEqual(
    ['prompt', 'max_age'].map((name) => new URL(url).searchParams.get(name)),
    ['login', '0'],
  );
  const location = await comeBack(client, await browser.visit(url));
  assert.equal(outcomeOf(location), 'confirmed');
  assert.ok(location.endsWith('#app'));
  await client.call(beginTotp);
});

test('confirming as somebody else at the provider confirms nothing', async (t) => {
  const { server, provider, signIn } = await start(t);
  const { client } = await signIn();
  server.clock.advance(16 * MINUTE_MS);
  const [identity] = await client.call(listIdentities);
  const { url } = await client.call(beginSsoConfirmation, { body: { identityId: identity!.id } });
  provider.account = 'otto';
  const other = await new ProviderBrowser().visit(url);
  assert.equal(outcomeOf(await comeBack(client, other)), 'other-identity');
  await assert.rejects(client.call(beginTotp), { code: 'step_up_required' });
});

test('signing out here names the page to sign out there; signing out there ends the sessions here', async (t) => {
  const { server, providerId, signIn } = await start(t);
  const { client, browser } = await signIn();
  const other = await signIn(new ProviderBrowser());
  const { logoutUrl } = await client.call(logout);
  const asked = new URL(logoutUrl!).searchParams;
  assert.deepEqual(
    [asked.get('client_id'), asked.get('post_logout_redirect_uri')],
    ['sendwell', `${server.context.config.publicUrl}/auth?signed-out`],
  );
  const again = await signIn(browser);
  await again.client.call(getCurrentUser);
  const page = await (await browser.fetch(new URL(logoutUrl!))).text();
  const [, action] = /action="([^"]+)"/.exec(page)!;
  const [, xsrf] = /name="xsrf" value="([^"]+)"/.exec(page)!;
  const confirmed = await browser.fetch(new URL(action!), {
    method: 'POST',
    body: new URLSearchParams({ xsrf: xsrf!, logout: 'yes' }),
  });
  assert.equal(confirmed.headers.get('location'), `${server.context.config.publicUrl}/auth?signed-out`);
  await until(async () => (await again.client.fetch('/api/user')).status === 401);
  await other.client.call(getCurrentUser);
  const left = await server.context.db
    .selectFrom('sessions')
    .select('id')
    .where('providerId', '=', providerId)
    .execute();
  assert.equal(left.length, 1, 'the session of the other browser');
});

test('signing out of a session with a password names no page', async (t) => {
  const { server } = await start(t);
  assert.deepEqual(await (await server.signIn('frida')).call(logout), {});
});

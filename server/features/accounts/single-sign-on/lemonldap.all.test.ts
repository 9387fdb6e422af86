import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { getCurrentUser, logout } from '../../../../contracts/accounts/accounts.ts';
import { listIdentities } from '../../../../contracts/accounts/sign-in/single-sign-on.ts';
import {
  isLemonldapInstalled,
  LEMONLDAP_CLIENT,
  ROSE,
  signInAtPortal,
  signOutAtPortal,
  startLemonldap,
} from '../../../../testing/identity/lemonldap.ts';
import { ProviderBrowser } from '../../../../testing/identity/real-provider.ts';
import { addProvider, begin, comeBack } from '../../../../testing/identity/sso.ts';
import { startTestServer } from '../../../../testing/test-context.ts';

const options = isLemonldapInstalled() ? {} : { skip: 'LemonLDAP::NG is not installed' };

async function start(t: TestContext) {
  const server = await startTestServer(t);
  const provider = await startLemonldap(t, server);
  const { id: providerId } = await addProvider(server, provider, {
    ...LEMONLDAP_CLIENT,
    mayCreateAccounts: true,
  });
  const signIn = async (browser = new ProviderBrowser(), isKnown = false) => {
    const client = server.anonymous();
    const url = await begin(client, providerId);
    const answer = isKnown ? await browser.visit(url) : await signInAtPortal(browser, url, ROSE.login);
    return { client, location: await comeBack(client, answer), browser, answer };
  };
  return { server, signIn, beginAgain: () => begin(server.anonymous(), providerId) };
}

test('a person of LemonLDAP::NG gets an account, and finds it again from any browser', options, async (t) => {
  const { server, signIn } = await start(t);
  const first = await signIn();
  assert.equal(first.location, '/dashboard');
  assert.ok(first.answer.has('code'));
  const user = await first.client.call(getCurrentUser);
  assert.deepEqual([user.email, user.emailVerified, user.name], [ROSE.email, true, ROSE.name]);
  const [identity, ...others] = await first.client.call(listIdentities);
  assert.deepEqual([identity!.email, identity!.isUsable, others], [ROSE.email, true, []]);
  const row = await server.context.db
    .selectFrom('externalIdentities')
    .select(['subject', 'userId'])
    .executeTakeFirstOrThrow();
  assert.deepEqual({ ...row }, { subject: ROSE.login, userId: user.id });
  for (const again of [await signIn(first.browser, true), await signIn()])
    assert.deepEqual(await again.client.call(getCurrentUser), user);
});

test(
  'signing out here leads through LemonLDAP::NG, which asks, signs out and leads back',
  options,
  async (t) => {
    const { server, signIn, beginAgain } = await start(t);
    const { client, browser } = await signIn();
    const { logoutUrl } = await client.call(logout);
    await assert.rejects(client.call(getCurrentUser), { status: 401 });
    const signedOut = `${server.context.config.publicUrl}/auth?signed-out`;
    assert.equal(await signOutAtPortal(browser, logoutUrl!), signedOut);
    const page = await browser.fetch(new URL(await beginAgain()));
    assert.match(await page.text(), /name="password"/, 'the portal asks again');
  },
);

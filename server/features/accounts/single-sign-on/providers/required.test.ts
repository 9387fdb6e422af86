import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import type { ApiError } from '../../../../../client/api-error.ts';
import { getCurrentUser, login, register } from '../../../../../contracts/accounts/accounts.ts';
import {
  confirmPasswordReset,
  requestPasswordReset,
} from '../../../../../contracts/accounts/password-reset.ts';
import { requestSignInLink, signInByLink } from '../../../../../contracts/accounts/sign-in/link.ts';
import { finishSignIn } from '../../../../../contracts/accounts/sign-in/sign-in.ts';
import { updateIdentityProvider } from '../../../../../contracts/admin/identity-providers.ts';
import { addAuthenticatorApp } from '../../../../../testing/calls/authenticator-app.ts';
import { mailedToken } from '../../../../../testing/calls/mailed-tokens.ts';
import { allowEmailSignIn } from '../../../../../testing/calls/sign-in-policy.ts';
import { CAST, PASSWORD } from '../../../../../testing/cast.ts';
import { HostileProvider } from '../../../../../testing/identity/hostile-provider.ts';
import { addProvider, begin } from '../../../../../testing/identity/sso.ts';
import { startTestServer, type TestServer } from '../../../../../testing/test-context.ts';

const signIn = (server: TestServer, username: string, password = PASSWORD) => {
  const client = server.anonymous();
  return client.call(login, { body: { username, password } }).then(() => client);
};

async function start(t: TestContext) {
  const provider = await HostileProvider.start(t);
  const server = await startTestServer(t);
  await allowEmailSignIn(server);
  const { id: providerId } = await addProvider(server, provider, { domains: ['example.org'] });
  const require = async () => {
    const ada = await server.signIn('ada');
    await ada.call(updateIdentityProvider, {
      params: { id: providerId },
      body: { isRequiredForDomains: true },
    });
  };
  const isRefusal = (error: ApiError) => {
    assert.deepEqual(
      [error.status, error.code, error.problem.providerId, error.problem.name],
      [403, 'sso_required', providerId, 'Example ID'],
    );
    assert.equal(error.detail, 'Accounts with this email address sign in with Example ID.');
    return true;
  };
  return { provider, server, providerId, require, isRefusal };
}

test('a required provider is named after the right password only', async (t) => {
  const { server, require, isRefusal } = await start(t);
  await signIn(server, 'frida');
  await require();
  await assert.rejects(signIn(server, 'frida'), isRefusal);
  await assert.rejects(signIn(server, 'frida', 'wrong'), { code: 'wrong_credentials' });
  await assert.rejects(signIn(server, 'nobody'), { code: 'wrong_credentials' });
  for (let tries = 0; tries < 12; tries += 1) await assert.rejects(signIn(server, 'frida'), isRefusal);
});

test('registrations, resets and links are refused by the domain alone', async (t) => {
  const { server, require, isRefusal } = await start(t);
  await require();
  const client = server.anonymous();
  for (const email of [CAST.frida.email, 'nobody@example.org']) {
    await assert.rejects(client.call(requestPasswordReset, { body: { email } }), isRefusal);
    await assert.rejects(client.call(requestSignInLink, { body: { email } }), isRefusal);
    const body = { name: 'Nora', username: 'nora', email, password: PASSWORD };
    await assert.rejects(client.call(register, { body }), isRefusal);
  }
  await client.call(requestPasswordReset, { body: { email: 'nobody@example.com' } });
});

test('links that were mailed before are refused, and the second step too', async (t) => {
  const { server, require, isRefusal } = await start(t);
  const client = server.anonymous();
  await client.call(requestSignInLink, { body: { email: CAST.frida.email } });
  await client.call(requestPasswordReset, { body: { email: CAST.frida.email } });
  const app = await addAuthenticatorApp(server, await server.signIn('paula'));
  const half = server.anonymous();
  const body = { username: 'paula', password: PASSWORD };
  await assert.rejects(half.call(login, { body }), { code: 'second_factor_required' });
  await server.drainJobs();
  await require();
  const token = await mailedToken(server, 'sign-in-link', CAST.frida.email);
  await assert.rejects(client.call(signInByLink, { body: { token } }), isRefusal);
  const reset = {
    token: await mailedToken(server, 'password-reset', CAST.frida.email),
    password: 'another one',
  };
  await assert.rejects(client.call(confirmPasswordReset, { body: reset }), isRefusal);
  await assert.rejects(half.call(finishSignIn, { body: { method: 'totp', code: app.codeAt() } }), isRefusal);
});

test('the provider is down: administrators sign in with their password, everybody else gets one sentence', async (t) => {
  const { provider, server, providerId, require, isRefusal } = await start(t);
  await require();
  provider.tampering = { discoveryEndpoint: (response) => response.destroy() };
  const ada = await signIn(server, 'ada');
  assert.equal((await ada.call(getCurrentUser)).username, 'ada');
  await assert.rejects(signIn(server, 'frida'), isRefusal);
  await assert.rejects(begin(server.anonymous(), providerId), {
    code: 'sso_unreachable',
    detail: 'Example ID can’t be reached right now. Try again in a few minutes.',
  });
});

test('what the provider announced is kept for a day while it is down', async (t) => {
  const { provider, server, providerId } = await start(t);
  const ask = () => begin(server.anonymous(), providerId);
  const document = '/.well-known/openid-configuration';
  await ask();
  await ask();
  assert.equal(provider.seen.get(document), 1);
  provider.tampering = { discoveryEndpoint: (response) => response.destroy() };
  server.clock.advance(2 * 3_600_000);
  await ask();
  await ask();
  assert.equal(provider.seen.get(document), 2, 'asked again, but not at once');
  server.clock.advance(23 * 3_600_000);
  await assert.rejects(ask(), { code: 'sso_unreachable' });
  provider.tampering = {};
  await ask();
});

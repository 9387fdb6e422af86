import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { getCurrentUser, verifyEmail } from '../../../contracts/accounts/accounts.ts';
import { confirmPasswordReset, requestPasswordReset } from '../../../contracts/accounts/password-reset.ts';
import { secureAccount, undoEmailChange, updateProfile } from '../../../contracts/accounts/settings.ts';
import { beginLinkIdentity } from '../../../contracts/accounts/sign-in/single-sign-on.ts';
import { HOUR_MS } from '../../../contracts/values/durations.ts';
import type { Client } from '../../../testing/calls/client.ts';
import { mailedCode, mailedToken } from '../../../testing/calls/mailed-tokens.ts';
import { CAST, PASSWORD } from '../../../testing/cast.ts';
import { HostileProvider } from '../../../testing/identity/hostile-provider.ts';
import { addProvider, comeBack, outcomeOf, signInWith } from '../../../testing/identity/sso.ts';
import { startTestServer } from '../../../testing/test-context.ts';

const OWNER: string = CAST.prem.email;
const OWN = { sub: 'own' };
const STRANGE = { sub: 'strange', email: 'thief@example.net', email_verified: true };

/** Prem links a sign-in; an hour later, a thief with Prem's password is signed in, too. */
async function start(t: TestContext) {
  const provider = await HostileProvider.start(t);
  const server = await startTestServer(t);
  const { id: providerId } = await addProvider(server, provider);
  const link = async (client: Client, person: typeof OWN) => {
    const { url } = await client.call(beginLinkIdentity, { body: { providerId } });
    assert.equal(outcomeOf(await comeBack(client, provider.authorize(url, person))), 'linked');
  };
  const usable = async () => {
    const found: string[] = [];
    for (const person of [OWN, STRANGE]) {
      const client = server.anonymous();
      await signInWith(client, { provider, providerId, person });
      const user = await client.call(getCurrentUser).catch(() => undefined);
      if (user?.username === CAST.prem.username) found.push(person.sub);
    }
    return found;
  };
  await link(await server.signIn('prem'), OWN);
  server.clock.advance(HOUR_MS);
  return { server, thief: await server.signIn('prem'), link, usable };
}

test('“This wasn’t me” in the mail that reports an identity unlinks that one and ends its sessions', async (t) => {
  const { server, thief, link, usable } = await start(t);
  await link(thief, STRANGE);
  assert.deepEqual(await usable(), ['own', 'strange']);
  const token = await mailedToken(server, 'identity-changed', OWNER);
  await server.anonymous().call(secureAccount, { body: { token } });
  assert.deepEqual(await usable(), ['own']);
  await assert.rejects(thief.call(getCurrentUser), { status: 401 });
});

test('undoing an email change unlinks the identities added since', async (t) => {
  const { server, thief, link, usable } = await start(t);
  await thief.call(updateProfile, { body: { email: STRANGE.email, currentPassword: PASSWORD } });
  await thief.call(verifyEmail, { body: { code: await mailedCode(server, STRANGE.email) } });
  await link(thief, STRANGE);
  const token = await mailedToken(server, 'email-changed', OWNER);
  await server.anonymous().call(undoEmailChange, { body: { token } });
  assert.deepEqual(await usable(), ['own']);
});

test('a password reset by mail unlinks no identity', async (t) => {
  const { server, usable } = await start(t);
  await server.anonymous().call(requestPasswordReset, { body: { email: OWNER } });
  await server.drainJobs();
  const token = await mailedToken(server, 'password-reset', OWNER);
  await server.anonymous().call(confirmPasswordReset, { body: { token, password: 'a grey boat at noon' } });
  assert.deepEqual(await usable(), ['own']);
});

import assert from 'node:assert/strict';
import test from 'node:test';
import { getCurrentUser, login, register } from '../../../../contracts/accounts/accounts.ts';
import { requestPasswordReset } from '../../../../contracts/accounts/password-reset.ts';
import { updateProfile } from '../../../../contracts/accounts/settings.ts';
import { requestSignInLink } from '../../../../contracts/accounts/sign-in/link.ts';
import type { Client } from '../../../../testing/calls/client.ts';
import { mailsTo } from '../../../../testing/calls/mailed-tokens.ts';
import { allowEmailSignIn } from '../../../../testing/calls/sign-in-policy.ts';
import { CAST, PASSWORD } from '../../../../testing/cast.ts';
import { startTestServer, type TestServer } from '../../../../testing/test-context.ts';

const NORA = { name: 'Nora', username: 'nora', email: 'nora@example.org', password: PASSWORD };

/** A browser in which this language was chosen. */
function browserIn(server: TestServer, language: string): Client {
  const client = server.anonymous();
  client.jar.keep([`language=${language}; Path=/`], '/');
  return client;
}

const languageOf = async (client: Client) => (await client.call(getCurrentUser)).language;

test('an account gets the language of the browser it was created in, and its code is mailed in it', async (t) => {
  const server = await startTestServer(t);
  const user = await browserIn(server, 'de').call(register, { body: NORA });
  assert.equal(user.language, 'de');
  const [mail] = await mailsTo(server, 'verification-code', NORA.email);
  assert.match(mail!.subject, /^\d{6} ist Ihr Sendwell-Code$/);
  assert.equal(mail!.language, 'de');
});

test('an account without a language gets that of the first browser that signs in', async (t) => {
  const server = await startTestServer(t);
  const body = { username: 'frida', password: PASSWORD };
  const signIn = async (client: Client) => {
    await client.call(login, { body });
    return languageOf(client);
  };
  assert.equal(await signIn(server.anonymous()), null);
  assert.equal(await signIn(browserIn(server, 'pl')), null);
  assert.equal(await signIn(browserIn(server, 'it')), 'it');
  assert.equal(await signIn(browserIn(server, 'fr')), 'it');
});

test('the language can be changed, and later mails follow it', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  assert.equal((await frida.call(updateProfile, { body: { language: 'pt' } })).language, 'pt');
  assert.equal(await languageOf(frida), 'pt');
  for (const language of ['xx', 'DE', '', null, 7])
    await assert.rejects(frida.call(updateProfile, { body: { language } }), {
      status: 400,
      code: 'invalid_input',
    });
  assert.equal(await languageOf(frida), 'pt');
  const body = { newPassword: 'another horse', currentPassword: PASSWORD };
  await frida.call(updateProfile, { body });
  const [mail] = await mailsTo(server, 'password-changed', CAST.frida.email);
  assert.equal(mail!.subject, 'Sua senha do Sendwell foi alterada');
});

test('a link for a new password comes in the account’s language, or else in that of the browser', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  await frida.call(updateProfile, { body: { language: 'nl' } });
  for (const email of [CAST.frida.email, CAST.paula.email]) {
    await browserIn(server, 'es').call(requestPasswordReset, { body: { email } });
    await server.drainJobs();
  }
  const [known] = await mailsTo(server, 'password-reset', CAST.frida.email);
  const [unknown] = await mailsTo(server, 'password-reset', CAST.paula.email);
  assert.deepEqual([known!.language, unknown!.language], ['nl', 'es']);
});

test('a link that creates an account comes in the language of the browser', async (t) => {
  const server = await startTestServer(t);
  await allowEmailSignIn(server);
  await browserIn(server, 'fr').call(requestSignInLink, { body: { email: NORA.email } });
  await server.drainJobs();
  const [mail] = await mailsTo(server, 'sign-in-link', NORA.email);
  assert.equal(mail!.subject, 'Créez votre compte Sendwell');
});

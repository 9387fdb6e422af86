import assert from 'node:assert/strict';
import test from 'node:test';
import { login, register, verifyEmail } from '../../contracts/accounts/accounts.ts';
import { finishSignIn } from '../../contracts/accounts/sign-in/sign-in.ts';
import { createIdentityProvider } from '../../contracts/admin/identity-providers.ts';
import { verifyDownload, viewDownload } from '../../contracts/transfers/downloads/downloads.ts';
import { verifyInvitationCode } from '../../contracts/transfers/uploads/invitations.ts';
import { fileDownloadPath } from '../../contracts/values/addresses/links.ts';
import { HOUR_MS } from '../../contracts/values/durations.ts';
import { addAuthenticatorApp } from '../../testing/calls/authenticator-app.ts';
import { mailedCode } from '../../testing/calls/mailed-tokens.ts';
import { PASSWORD } from '../../testing/cast.ts';
import { createReadyTransfer } from '../../testing/factories.ts';
import { startTestServer, type TestServer } from '../../testing/test-context.ts';
import { requestCode, startInvitation, VERA, visitInvitation } from '../../testing/visitors/visit.ts';
import { findProvider } from '../features/accounts/single-sign-on/providers/providers.ts';
import { readUnsubscribe, signUnsubscribe } from '../platform/mail/opt-outs.ts';

const NEW = 'a new secret of 32 characters or more';

/** Has the effect of a restart with a new SESSION_SECRET and the old one as SESSION_SECRET_PREVIOUS. */
function rotate({ context }: TestServer): { forgetOld(): void } {
  Object.assign(context, { previousSecret: context.secret, secret: NEW });
  return { forgetOld: () => Object.assign(context, { previousSecret: undefined }) };
}

test('a code mailed before the secret was replaced still verifies an address', async (t) => {
  const server = await startTestServer(t);
  const person = { username: 'nora', email: 'nora@example.org', password: 'nora has a boat' };
  const browser = server.anonymous();
  await browser.call(register, { body: { name: 'Nora', ...person } });
  const code = await mailedCode(server, person.email);
  rotate(server);
  assert.equal((await browser.call(verifyEmail, { body: { code } })).emailVerified, true);
});

test('after the secret is replaced an unlocked transfer stays unlocked and a running download is not counted again', async (t) => {
  const server = await startTestServer(t);
  const { token, files } = await createReadyTransfer(server.context, {
    userId: server.userId('paula'),
    files: [{ path: 'a.txt', bytes: 'hello world' }],
    password: 'open sesame',
    maxDownloads: 1,
  });
  const guest = server.anonymous();
  const params = { token };
  await guest.call(verifyDownload, { params, body: { password: 'open sesame' } });
  const path = fileDownloadPath(token, files[0]!.id);
  assert.equal((await guest.fetch(path, { headers: { range: 'bytes=0-4' } })).status, 206);
  const { forgetOld } = rotate(server);
  assert.equal((await guest.call(viewDownload, { params })).unlocked, true);
  assert.equal((await guest.fetch(path, { headers: { range: 'bytes=5-' } })).status, 206);
  forgetOld();
  assert.equal((await guest.fetch(path, { headers: { range: 'bytes=5-' } })).status, 423);
});

test('after the secret is replaced visitors keep their grant and can use a mailed code', async (t) => {
  const server = await startTestServer(t);
  const { token } = await startInvitation(await server.signIn('prem'));
  const visitor = await visitInvitation(server, token);
  const other = server.anonymous();
  const email = `other.${VERA}`;
  const code = await requestCode(server, other, { invitationToken: token, email });
  rotate(server);
  const params = { token };
  assert.equal((await visitor.fetch(`/api/uploads?invitationToken=${token}`)).status, 200);
  await other.call(verifyInvitationCode, { params, body: { email, code } });
});

test('unsubscribe links work as long as the previous secret is configured', () => {
  const unsubscribing = { email: 'nora@example.org', scope: 'transfers' } as const;
  const token = signUnsubscribe({ secret: 'the old one' }, unsubscribing);
  assert.deepEqual(readUnsubscribe({ secret: NEW, previousSecret: 'the old one' }, token), unsubscribing);
  assert.equal(readUnsubscribe({ secret: NEW }, token), undefined);
});

test('after the secret is replaced authenticator apps and recovery codes still sign in', async (t) => {
  const server = await startTestServer(t);
  const app = await addAuthenticatorApp(server, await server.signIn('paula'));
  const enterPassword = async () => {
    const browser = server.anonymous();
    const body = { username: 'paula', password: PASSWORD };
    await assert.rejects(browser.call(login, { body }), { code: 'second_factor_required' });
    return browser;
  };
  const { forgetOld } = rotate(server);
  const proof = (code: string) => ({ body: { method: 'totp' as const, code } });
  await (await enterPassword()).call(finishSignIn, proof(app.codeAt()));
  await server.drainJobs();
  server.clock.advance(HOUR_MS);
  await server.drainJobs();
  forgetOld();
  await (await enterPassword()).call(finishSignIn, proof(app.codeAt()));
  const [code] = app.recoveryCodes;
  const recovery = { method: 'recovery-code' as const, code: code! };
  await (await enterPassword()).call(finishSignIn, { body: recovery });
});

test('after the secret is replaced the client secret of a sign-in provider is sealed again', async (t) => {
  const server = await startTestServer(t);
  const { db } = server.context;
  const ada = await server.signIn('ada');
  const { id } = await ada.call(createIdentityProvider, {
    body: {
      issuer: 'https://login.example.org',
      clientId: 'sendwell',
      clientSecret: 'of Keycloak',
      name: 'Login',
    },
  });
  const { forgetOld } = rotate(server);
  const read = async () => {
    const provider = await findProvider(server.context, id);
    return provider?.openClientSecret();
  };
  assert.equal(await read(), 'of Keycloak');
  await server.drainJobs();
  server.clock.advance(HOUR_MS);
  await server.drainJobs();
  forgetOld();
  assert.equal(await read(), 'of Keycloak');
  const row = await db.selectFrom('identityProviders').select('sealedSecret').executeTakeFirstOrThrow();
  assert.ok(!row.sealedSecret?.includes('Keycloak'));
});

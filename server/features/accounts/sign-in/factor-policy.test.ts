import assert from 'node:assert/strict';
import test from 'node:test';
import { getCurrentUser, login, logout } from '../../../../contracts/accounts/accounts.ts';
import { createApiKey } from '../../../../contracts/accounts/api-keys.ts';
import { listSessions, signOutEverywhere } from '../../../../contracts/accounts/settings.ts';
import { removeTotp } from '../../../../contracts/accounts/sign-in/factors.ts';
import { listUsers } from '../../../../contracts/admin/users.ts';
import { listTransfers } from '../../../../contracts/transfers/transfers.ts';
import { initUpload } from '../../../../contracts/transfers/uploads/uploads.ts';
import { addAuthenticatorApp } from '../../../../testing/calls/authenticator-app.ts';
import { addPasskey } from '../../../../testing/calls/passkeys.ts';
import { setPolicy } from '../../../../testing/calls/sign-in-policy.ts';
import { PASSWORD } from '../../../../testing/cast.ts';
import { startTestServer } from '../../../../testing/test-context.ts';
import { startInvitation, visitInvitation } from '../../../../testing/visitors/visit.ts';

const mustSetUp = { status: 403, code: 'second_factor_setup_required' } as const;
const FILE = { fileName: 'a.txt', fileSize: 1, mimeType: 'text/plain', totalChunks: 1 };

test('where everyone must have a second factor, an account without one can only set one up', async (t) => {
  const server = await startTestServer(t);
  const prem = await server.signIn('prem');
  const { key } = await prem.call(createApiKey, { body: { name: 'Backup' } });
  await setPolicy(server, { secondFactor: 'everyone' });
  assert.equal((await prem.call(getCurrentUser)).mustAddFactor, true);
  await assert.rejects(prem.call(listTransfers), mustSetUp);
  await assert.rejects(prem.call(listSessions), mustSetUp);
  await assert.rejects(prem.call(initUpload, { body: FILE }), mustSetUp);
  const withKey = await server
    .anonymous()
    .fetch('/api/transfers', { headers: { authorization: `Bearer ${key}` } });
  assert.equal(withKey.status, 200, 'scripts continue');
  await addAuthenticatorApp(server, prem);
  assert.equal((await prem.call(getCurrentUser)).mustAddFactor, undefined);
  await prem.call(listTransfers);
  await prem.call(removeTotp);
  await assert.rejects(prem.call(listTransfers), mustSetUp);
  await prem.call(signOutEverywhere, { body: {} });
  await prem.call(logout);
});

test('where administrators must have a second factor, others need none', async (t) => {
  const server = await startTestServer(t);
  const [ada, frida] = [await server.signIn('ada'), await server.signIn('frida')];
  await setPolicy(server, { secondFactor: 'administrators' });
  await frida.call(listTransfers);
  await assert.rejects(ada.call(listUsers), mustSetUp);
  await assert.rejects(ada.call(listTransfers), mustSetUp);
  await addAuthenticatorApp(server, ada);
  await ada.call(listUsers);
});

test('a visitor of an invitation uploads although the account of this browser must set up a second factor', async (t) => {
  const server = await startTestServer(t);
  const { token } = await startInvitation(await server.signIn('prem'));
  const visitor = await visitInvitation(server, token);
  await setPolicy(server, { secondFactor: 'everyone' });
  await visitor.call(login, { body: { username: 'frida', password: PASSWORD } });
  await visitor.call(initUpload, { body: { ...FILE, invitationToken: token } });
  await assert.rejects(visitor.call(initUpload, { body: FILE }), mustSetUp);
});

test('a passkey is a second factor that can be set up', async (t) => {
  const server = await startTestServer(t);
  await setPolicy(server, { secondFactor: 'everyone' });
  const prem = await server.signIn('prem');
  await assert.rejects(prem.call(listTransfers), mustSetUp);
  await addPasskey(server, prem);
  await prem.call(listTransfers);
});

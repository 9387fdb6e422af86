import assert from 'node:assert/strict';
import test from 'node:test';
import type { ApiError } from '../../../../../client/api-error.ts';
import { login } from '../../../../../contracts/accounts/accounts.ts';
import { listAccountEvents } from '../../../../../contracts/accounts/events.ts';
import {
  addPasskey as addPasskeyCall,
  beginPasskey,
  listFactors,
  removePasskey,
  renamePasskey,
} from '../../../../../contracts/accounts/sign-in/factors.ts';
import { PASSKEYS_MAX } from '../../../../../contracts/accounts/sign-in/passkeys.ts';
import { MINUTE_MS } from '../../../../../contracts/values/durations.ts';
import { addAuthenticatorApp } from '../../../../../testing/calls/authenticator-app.ts';
import { mailsTo } from '../../../../../testing/calls/mailed-tokens.ts';
import { Authenticator, addPasskey } from '../../../../../testing/calls/passkeys.ts';
import { CAST, PASSWORD } from '../../../../../testing/cast.ts';
import { startTestServer } from '../../../../../testing/test-context.ts';

const CREDENTIALS = { username: 'paula', password: PASSWORD };

test('the first passkey makes recovery codes, becomes the second factor, and is mailed', async (t) => {
  const server = await startTestServer(t);
  const client = await server.signIn('paula');
  const options = await client.call(beginPasskey);
  assert.equal(options.rp.id, 'localhost');
  assert.deepEqual(options.authenticatorSelection, {
    residentKey: 'required',
    requireResidentKey: true,
    userVerification: 'required',
  });
  const { passkey, recoveryCodes } = await addPasskey(
    server,
    client,
    new Authenticator(server, { isSynced: true }),
  );
  assert.equal(recoveryCodes.length, 10);
  assert.equal(passkey.isSynced, true);
  const factors = await client.call(listFactors);
  assert.deepEqual([factors.passkeys, factors.recoveryCodes], [[passkey], 10]);
  await assert.rejects(server.anonymous().call(login, { body: CREDENTIALS }), (error: ApiError) => {
    assert.deepEqual(error.problem.factors, ['passkey', 'recovery-code']);
    return true;
  });
  const [event] = await client.call(listAccountEvents);
  assert.deepEqual(
    [event!.kind, event!.method, event!.name],
    ['second-factor-added', 'passkey', passkey.name],
  );
  const [mail] = await mailsTo(server, 'factor-changed', CAST.paula.email);
  assert.match(mail!.text!, /A passkey was added/);
  const again = await addPasskey(server, client);
  assert.deepEqual(again.recoveryCodes, []);
});

test('the name comes from the password manager or the browser, and can be changed', async (t) => {
  const server = await startTestServer(t);
  const client = await server.signIn('paula');
  const { passkey } = await addPasskey(server, client);
  assert.equal(passkey.name, 'Unknown device');
  assert.equal((await addPasskey(server, client)).passkey.name, 'Unknown device 2');
  const apple = new Authenticator(server, { aaguid: 'fbfc3007-154e-4ecc-8c0b-6e020557d7bd' });
  assert.equal((await addPasskey(server, client, apple)).passkey.name, 'iCloud Keychain');
  const params = { id: passkey.id };
  const renamed = await client.call(renamePasskey, { params, body: { name: ' My  key\n' } });
  assert.equal(renamed.name, 'My  key');
  const stranger = await server.signIn('frida');
  const foreign = { params, body: { name: 'Mine' } };
  await assert.rejects(stranger.call(renamePasskey, foreign), { code: 'passkey_not_found' });
  await assert.rejects(stranger.call(removePasskey, { params }), { code: 'passkey_not_found' });
});

test('removing the last passkey ends the second step and voids the recovery codes; an app keeps them', async (t) => {
  const server = await startTestServer(t);
  const client = await server.signIn('paula');
  const { passkey } = await addPasskey(server, client);
  await addAuthenticatorApp(server, client);
  await client.call(removePasskey, { params: { id: passkey.id } });
  assert.equal((await client.call(listFactors)).recoveryCodes, 10);
  const other = await server.signIn('frida');
  const added = await addPasskey(server, other);
  await other.call(removePasskey, { params: { id: added.passkey.id } });
  const { passkeys, recoveryCodes } = await other.call(listFactors);
  assert.deepEqual([passkeys, recoveryCodes], [[], 0]);
  await server.anonymous().call(login, { body: { username: 'frida', password: PASSWORD } });
  assert.equal((await mailsTo(server, 'factor-changed', CAST.frida.email)).length, 2);
});

test('an answer to a request for a new passkey counts once, in time, and only if it is genuine', async (t) => {
  const server = await startTestServer(t);
  const client = await server.signIn('paula');
  const add = (response: object) => client.call(addPasskeyCall, { body: { response } });
  const hostile = [
    { origin: 'https://evil.example' },
    { rpId: 'evil.example' },
    { type: 'webauthn.get' },
    { isVerified: false },
  ];
  for (const answer of hostile) {
    const response = new Authenticator(server).create(await client.call(beginPasskey), answer);
    await assert.rejects(add(response), { code: 'wrong_factor' }, JSON.stringify(answer));
    await assert.rejects(add(response), { code: 'passkey_expired' });
  }
  const late = new Authenticator(server).create(await client.call(beginPasskey));
  server.clock.advance(5 * MINUTE_MS);
  await assert.rejects(add(late), { code: 'passkey_expired' });
  const authenticator = new Authenticator(server);
  const other = await server.signIn('frida');
  const ofOther = authenticator.create(await other.call(beginPasskey));
  await assert.rejects(add(ofOther), { code: 'passkey_expired' });
  await addPasskey(server, other, authenticator);
  await assert.rejects(addPasskey(server, client, authenticator), { code: 'passkey_exists' });
  assert.deepEqual((await client.call(listFactors)).passkeys, []);
});

test('an account has at most 20 passkeys, also with parallel calls', async (t) => {
  const server = await startTestServer(t);
  const client = await server.signIn('paula');
  await addPasskey(server, client);
  const options = [];
  for (let each = 0; each < PASSKEYS_MAX + 5; each += 1) options.push(await client.call(beginPasskey));
  const outcomes = await Promise.allSettled(
    options.map((each) =>
      client.call(addPasskeyCall, { body: { response: new Authenticator(server).create(each) } }),
    ),
  );
  const added = outcomes.filter(({ status }) => status === 'fulfilled');
  assert.equal(added.length, PASSKEYS_MAX - 1);
  assert.equal((await client.call(listFactors)).passkeys.length, PASSKEYS_MAX);
  await assert.rejects(client.call(beginPasskey), { code: 'too_many_passkeys' });
});

test('adding and removing need a confirmation of the last 15 minutes', async (t) => {
  const server = await startTestServer(t);
  const client = await server.signIn('paula');
  const { passkey } = await addPasskey(server, client);
  server.clock.advance(15 * MINUTE_MS);
  await assert.rejects(client.call(beginPasskey), { code: 'step_up_required' });
  await assert.rejects(client.call(removePasskey, { params: { id: passkey.id } }), {
    code: 'step_up_required',
  });
});

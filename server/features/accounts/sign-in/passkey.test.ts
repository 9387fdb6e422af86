import assert from 'node:assert/strict';
import test from 'node:test';
import { getCurrentUser, login, logout } from '../../../../contracts/accounts/accounts.ts';
import { listAccountEvents } from '../../../../contracts/accounts/events.ts';
import { secureAccount } from '../../../../contracts/accounts/settings.ts';
import { beginTotp, listFactors, removePasskey } from '../../../../contracts/accounts/sign-in/factors.ts';
import {
  beginPasskeyConfirmation,
  beginPasskeyFactor,
  beginPasskeySignIn,
  finishSignIn,
  reauthenticate,
  signInByPasskey,
} from '../../../../contracts/accounts/sign-in/sign-in.ts';
import { MINUTE_MS } from '../../../../contracts/values/durations.ts';
import type { Client } from '../../../../testing/calls/client.ts';
import { removeAccount } from '../../../../testing/calls/left-of-account.ts';
import { mailedToken, mailsTo } from '../../../../testing/calls/mailed-tokens.ts';
import { Authenticator, addPasskey } from '../../../../testing/calls/passkeys.ts';
import { CAST, PASSWORD } from '../../../../testing/cast.ts';
import { startTestServer, type TestServer } from '../../../../testing/test-context.ts';

async function startWithPasskey(t: test.TestContext, { counter }: { counter?: number } = {}) {
  const server = await startTestServer(t);
  const owner = await server.signIn('paula');
  const own = new Authenticator(server, counter === undefined ? {} : { counter });
  return { server, owner, ...(await addPasskey(server, owner, own)) };
}

type Answer = Parameters<Authenticator['get']>[1];

async function signIn(client: Client, authenticator: Authenticator, answer?: Answer) {
  const response = authenticator.get(await client.call(beginPasskeySignIn), answer);
  return client.call(signInByPasskey, { body: { response } });
}

async function countSessions({ context }: TestServer, userId: string): Promise<number> {
  return (await context.db.selectFrom('sessions').select('id').where('userId', '=', userId).execute()).length;
}

/** A browser in which the password was right. */
async function enterPassword(server: TestServer, username = 'paula'): Promise<Client> {
  const client = server.anonymous();
  await assert.rejects(client.call(login, { body: { username, password: PASSWORD } }), {
    code: 'second_factor_required',
  });
  return client;
}

test('a passkey signs in without name, password and second factor, also for sensitive calls', async (t) => {
  const { server, authenticator, passkey } = await startWithPasskey(t);
  const client = server.anonymous();
  server.clock.advance(MINUTE_MS);
  assert.equal((await signIn(client, authenticator)).username, 'paula');
  assert.equal((await client.call(getCurrentUser)).username, 'paula');
  await client.call(beginTotp);
  const { methods } = await server.context.db
    .selectFrom('sessions')
    .select('methods')
    .orderBy('createdAt', 'desc')
    .executeTakeFirstOrThrow();
  assert.equal(methods, '["passkey"]');
  const { passkeys } = await client.call(listFactors);
  const now = new Date(server.clock.now()).toISOString();
  assert.deepEqual(passkeys, [{ ...passkey, lastUsedAt: now }]);
  const [event] = await client.call(listAccountEvents);
  assert.equal(event!.method, 'passkey');
});

test('the request for a sign-in says nothing about accounts', async (t) => {
  const { server } = await startWithPasskey(t);
  const { allowCredentials, userVerification, rpId } = await server.anonymous().call(beginPasskeySignIn);
  assert.deepEqual([allowCredentials, userVerification, rpId], [[], 'required', 'localhost']);
  await assert.rejects(server.anonymous().call(beginPasskeyFactor), { code: 'sign_in_expired' });
});

test('tampered answers are refused', async (t) => {
  const { server, authenticator } = await startWithPasskey(t);
  const client = server.anonymous();
  const hostile: NonNullable<Answer>[] = [
    { origin: 'https://evil.example' },
    { origin: 'http://localhost:1' },
    { rpId: 'evil.example' },
    { type: 'webauthn.create' },
    { isForged: true },
    { isVerified: false },
    { userHandle: undefined },
    { userHandle: Buffer.from(server.userId('frida')).toString('base64url') },
  ];
  for (const answer of hostile)
    await assert.rejects(
      signIn(client, authenticator, answer),
      { code: 'wrong_factor' },
      JSON.stringify(answer),
    );
  await assert.rejects(signIn(client, authenticator, { challenge: 'AAAA' }), { code: 'passkey_expired' });
  const userHandle = Buffer.from(server.userId('paula')).toString('base64url');
  await assert.rejects(signIn(client, new Authenticator(server), { userHandle }), { code: 'wrong_factor' });
  await assert.rejects(client.call(getCurrentUser), { code: 'not_signed_in' });
  await signIn(client, authenticator);
});

test('an answer counts once, within five minutes, in the browser that was asked', async (t) => {
  const { server, authenticator } = await startWithPasskey(t);
  const client = server.anonymous();
  const send = (caller: Client, response: object) => caller.call(signInByPasskey, { body: { response } });
  const late = authenticator.get(await client.call(beginPasskeySignIn));
  server.clock.advance(5 * MINUTE_MS);
  await assert.rejects(send(client, late), { code: 'passkey_expired' });
  const first = authenticator.get(await client.call(beginPasskeySignIn));
  const second = authenticator.get(await client.call(beginPasskeySignIn));
  await assert.rejects(send(server.anonymous(), first), { code: 'passkey_expired' });
  await send(client, second);
  await client.call(logout);
  await assert.rejects(send(client, second), { code: 'passkey_expired' });
  await send(client, first);
});

test('of 50 parallel uses of one answer one signs in', async (t) => {
  const { server, authenticator } = await startWithPasskey(t);
  const before = await countSessions(server, server.userId('paula'));
  const client = server.anonymous();
  const response = authenticator.get(await client.call(beginPasskeySignIn));
  const outcomes = await Promise.allSettled(
    Array.from({ length: 50 }, () => client.call(signInByPasskey, { body: { response } })),
  );
  assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
  assert.equal(await countSessions(server, server.userId('paula')), before + 1);
});

test('a counter that does not rise is refused, mailed and shown, and a wrong signature reports none', async (t) => {
  const { server, owner, authenticator } = await startWithPasskey(t, { counter: 7 });
  const client = server.anonymous();
  const countMails = async () => (await mailsTo(server, 'passkey-refused', CAST.paula.email)).length;
  await signIn(client, authenticator);
  for (const counter of [8, 3, 0])
    await assert.rejects(signIn(client, authenticator, { counter, isForged: true }), {
      code: 'wrong_factor',
    });
  assert.equal(await countMails(), 0);
  server.clock.advance(MINUTE_MS);
  for (const counter of [8, 3, 0])
    await assert.rejects(signIn(client, authenticator, { counter }), { code: 'wrong_factor' });
  assert.equal(await countMails(), 3);
  const [event] = await owner.call(listAccountEvents);
  assert.deepEqual([event!.kind, event!.method], ['passkey-refused', 'passkey']);
  await signIn(client, authenticator);
});

test('of parallel answers with the same counter one signs in', async (t) => {
  const { server, authenticator } = await startWithPasskey(t, { counter: 1 });
  const client = server.anonymous();
  const answers = [];
  for (let each = 0; each < 10; each += 1)
    answers.push(authenticator.get(await client.call(beginPasskeySignIn), { counter: 5 }));
  const outcomes = await Promise.allSettled(
    answers.map((response) => client.call(signInByPasskey, { body: { response } })),
  );
  assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
});

test('after the password, a passkey of the account finishes the sign-in, also without verifying its user', async (t) => {
  const { server, authenticator } = await startWithPasskey(t);
  for (const isVerified of [true, false]) {
    const client = await enterPassword(server);
    const asked = await client.call(beginPasskeyFactor);
    assert.deepEqual(asked.allowCredentials, [
      { id: authenticator.id, type: 'public-key', transports: ['internal'] },
    ]);
    const response = authenticator.get(asked, { isVerified, userHandle: undefined });
    const user = await client.call(finishSignIn, { body: { method: 'passkey', response } });
    assert.equal(user.username, 'paula');
  }
  const session = await server.context.db
    .selectFrom('sessions')
    .select('methods')
    .where('methods', 'like', '%password%')
    .executeTakeFirstOrThrow();
  assert.equal(session.methods, '["password","passkey"]');
});

test('the second step takes no passkey of another account, and no answer to another request', async (t) => {
  const { server, authenticator } = await startWithPasskey(t);
  const frida = await server.signIn('frida');
  const foreign = (await addPasskey(server, frida)).authenticator;
  const client = await enterPassword(server);
  const finish = (response: object) => client.call(finishSignIn, { body: { method: 'passkey', response } });
  const asked = await client.call(beginPasskeyFactor);
  await assert.rejects(finish(foreign.get(asked)), { code: 'wrong_factor' });
  const forSignIn = authenticator.get(await client.call(beginPasskeySignIn));
  await assert.rejects(finish(forSignIn), { code: 'passkey_expired' });
  const other = await enterPassword(server, 'frida');
  const ofOther = authenticator.get(await other.call(beginPasskeyFactor));
  await assert.rejects(finish(ofOther), { code: 'passkey_expired' });
  await finish(authenticator.get(await client.call(beginPasskeyFactor)));
  const unverified = authenticator.get(asked, { isVerified: false });
  await assert.rejects(client.call(signInByPasskey, { body: { response: unverified } }), {
    code: 'passkey_expired',
  });
});

test('a passkey that verifies its user confirms who is signed in', async (t) => {
  const { server, owner, authenticator, passkey } = await startWithPasskey(t);
  server.clock.advance(20 * MINUTE_MS);
  const confirm = async (answer?: Answer) => {
    const response = authenticator.get(await owner.call(beginPasskeyConfirmation), answer);
    return owner.call(reauthenticate, { body: { method: 'passkey', response } });
  };
  await assert.rejects(owner.call(beginTotp), { code: 'step_up_required' });
  await assert.rejects(confirm({ isVerified: false }), { code: 'wrong_factor' });
  await assert.rejects(owner.call(beginTotp), { code: 'step_up_required' });
  await confirm();
  await owner.call(removePasskey, { params: { id: passkey.id } });
  await assert.rejects(owner.call(beginPasskeyConfirmation), { code: 'passkey_not_found' });
});

test('a removed passkey and one of a deleted account sign nobody in', async (t) => {
  const { server, owner, authenticator, passkey } = await startWithPasskey(t);
  await owner.call(removePasskey, { params: { id: passkey.id } });
  await assert.rejects(signIn(server.anonymous(), authenticator), { code: 'wrong_factor' });
  const frida = await server.signIn('frida');
  const added = await addPasskey(server, frida);
  await removeAccount(frida);
  await assert.rejects(signIn(server.anonymous(), added.authenticator), { code: 'wrong_factor' });
});

test('an account whose address is not verified signs in and gets a code, as with a password', async (t) => {
  const { server, authenticator } = await startWithPasskey(t);
  await server.context.db
    .updateTable('users')
    .set({ emailVerified: 0 })
    .where('username', '=', 'paula')
    .execute();
  assert.equal((await signIn(server.anonymous(), authenticator)).emailVerified, false);
  assert.equal((await mailsTo(server, 'verification-code', CAST.paula.email)).length, 1);
});

test('“This wasn’t me” in the mail about a passkey removes it', async (t) => {
  const { server, authenticator } = await startWithPasskey(t);
  const token = await mailedToken(server, 'factor-changed', CAST.paula.email);
  await server.anonymous().call(secureAccount, { body: { token } });
  await assert.rejects(signIn(server.anonymous(), authenticator), { code: 'wrong_factor' });
});

test('wrong answers from one address do not lock the owner out elsewhere', async (t) => {
  const server = await startTestServer(t, { TRUST_PROXY: '1' });
  const { authenticator } = await addPasskey(server, await server.signIn('paula'));
  const stranger = server.anonymous();
  let limited = 0;
  for (let each = 0; each < 105; each += 1) {
    const response = authenticator.get(await stranger.call(beginPasskeySignIn), { isForged: true });
    const answer = await stranger.fetch('/api/login/passkey', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': '203.0.113.66' },
      body: JSON.stringify({ response }),
    });
    if (answer.status === 429) limited += 1;
  }
  assert.equal(limited, 5);
  await signIn(server.anonymous(), authenticator);
});

import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { getCurrentUser, login, register, verifyEmail } from '../../../../contracts/accounts/accounts.ts';
import { confirmPasswordReset } from '../../../../contracts/accounts/password-reset.ts';
import { undoEmailChange, updateProfile } from '../../../../contracts/accounts/settings.ts';
import { DAY_MS, HOUR_MS } from '../../../../contracts/values/durations.ts';
import type { Client } from '../../../../testing/calls/client.ts';
import { mailedCode, mailedToken } from '../../../../testing/calls/mailed-tokens.ts';
import { CAST, PASSWORD } from '../../../../testing/cast.ts';
import { startTestServer, type TestServer } from '../../../../testing/test-context.ts';

const [FIRST, SECOND, THIRD] = [CAST.frida.email, 'second@example.org', 'third@example.org'];

async function startWithFrida(t: TestContext, env: Record<string, string> = {}) {
  const server = await startTestServer(t, env);
  return { server, frida: await server.signIn('frida') };
}

async function changeTo(server: TestServer, client: Client, email: string): Promise<void> {
  await client.call(updateProfile, { body: { email, currentPassword: PASSWORD } });
  await client.call(verifyEmail, { body: { code: await mailedCode(server, email) } });
}

const undo = (client: Client, token: string) => client.call(undoEmailChange, { body: { token } });
const undoTokenOf = (server: TestServer, address: string) => mailedToken(server, 'email-changed', address);

/** Undoing an email change voids the password: the owner sets a new one through the reset link mailed with it. */
async function getBackIn(server: TestServer, address: string): Promise<void> {
  const token = await mailedToken(server, 'password-reset', address);
  await server.anonymous().call(confirmPasswordReset, { body: { token, password: PASSWORD } });
}

async function signInBy(server: TestServer, username: string) {
  return server.anonymous().call(login, { body: { username, password: PASSWORD } });
}

test('the undo link restores and verifies the old address and ends all sessions and the password', async (t) => {
  const { server, frida } = await startWithFrida(t);
  await frida.call(updateProfile, { body: { email: SECOND, currentPassword: PASSWORD } });
  const code = await mailedCode(server, SECOND);
  await undo(server.anonymous(), await undoTokenOf(server, FIRST));
  await assert.rejects(frida.call(getCurrentUser), { status: 401 });
  await assert.rejects(signInBy(server, FIRST), { status: 401 });
  await getBackIn(server, FIRST);
  const user = await signInBy(server, FIRST);
  assert.deepEqual([user.email, user.emailVerified], [FIRST, true]);
  await assert.rejects(signInBy(server, SECOND), { status: 401 });
  assert.deepEqual(await server.context.db.selectFrom('emailVerificationCodes').selectAll().execute(), []);
  assert.match(code, /^\d{6}$/);
});

test('an undo link works once, for seven days, and only exactly as it was mailed', async (t) => {
  const { server, frida } = await startWithFrida(t);
  const isVoid = { status: 410, code: 'link_void' } as const;
  await changeTo(server, frida, SECOND);
  const token = await undoTokenOf(server, FIRST);
  for (const wrong of ['', '0'.repeat(26), `${token} `, token.toUpperCase(), '\0', 'ü'])
    await assert.rejects(undo(server.anonymous(), wrong), isVoid);
  const answers = await Promise.allSettled(Array.from({ length: 6 }, () => undo(server.anonymous(), token)));
  assert.equal(answers.filter(({ status }) => status === 'fulfilled').length, 1);
  await assert.rejects(undo(server.anonymous(), token), isVoid);

  await getBackIn(server, FIRST);
  server.clock.advance(HOUR_MS);
  const again = await server.signIn('frida');
  await changeTo(server, again, THIRD);
  const late = await undoTokenOf(server, FIRST);
  server.clock.advance(7 * DAY_MS);
  await assert.rejects(undo(server.anonymous(), late), isVoid);
});

for (const pause of [HOUR_MS, 0, -HOUR_MS]) {
  test(`undoing an older change voids the undo link of the newer one, with the changes ${pause / HOUR_MS} hours apart`, async (t) => {
    const { server, frida } = await startWithFrida(t, { RATE_LIMIT: 'off' });
    await changeTo(server, frida, SECOND);
    server.clock.advance(pause);
    await changeTo(server, frida, THIRD);
    const [older, newer] = [await undoTokenOf(server, FIRST), await undoTokenOf(server, SECOND)];
    await undo(server.anonymous(), older);
    await assert.rejects(undo(server.anonymous(), newer), { status: 410, code: 'link_void' });
    await getBackIn(server, FIRST);
    assert.equal((await signInBy(server, 'frida')).email, FIRST);
  });

  test(`undoing the newer change keeps the undo link of the older one, with the changes ${pause / HOUR_MS} hours apart`, async (t) => {
    const { server, frida } = await startWithFrida(t, { RATE_LIMIT: 'off' });
    await changeTo(server, frida, SECOND);
    server.clock.advance(pause);
    await changeTo(server, frida, THIRD);
    const [older, newer] = [await undoTokenOf(server, FIRST), await undoTokenOf(server, SECOND)];
    await undo(server.anonymous(), newer);
    await getBackIn(server, SECOND);
    assert.equal((await signInBy(server, 'frida')).email, SECOND);
    await undo(server.anonymous(), older);
    await getBackIn(server, FIRST);
    assert.equal((await signInBy(server, 'frida')).email, FIRST);
  });
}

test('an email change cannot be undone once another user has the address', async (t) => {
  const { server, frida } = await startWithFrida(t);
  await changeTo(server, frida, SECOND);
  const token = await undoTokenOf(server, FIRST);
  const body = { name: 'Nina', username: 'nina', email: FIRST, password: 'nina has a cat' };
  await server.anonymous().call(register, { body });
  await assert.rejects(undo(server.anonymous(), token), { status: 409, code: 'email_taken' });
  assert.equal((await frida.call(getCurrentUser)).email, SECOND, 'nothing has changed');
});

test('an address that was never verified gets no undo link', async (t) => {
  const { server, frida } = await startWithFrida(t);
  await frida.call(updateProfile, { body: { email: SECOND, currentPassword: PASSWORD } });
  server.clock.advance(HOUR_MS);
  const body = { email: THIRD, currentPassword: PASSWORD };
  await assert.rejects(frida.call(updateProfile, { body }), { status: 403, code: 'email_not_verified' });
  const mails = (await server.mails()).filter(({ kind }) => kind === 'email-changed');
  assert.deepEqual(
    mails.map(({ recipient }) => recipient),
    [FIRST],
  );
});

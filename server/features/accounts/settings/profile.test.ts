import assert from 'node:assert/strict';
import test from 'node:test';
import type { ApiError } from '../../../../client/api-error.ts';
import {
  getCurrentUser,
  getMonthlyUsage,
  login,
  verifyEmail,
} from '../../../../contracts/accounts/accounts.ts';
import { confirmPasswordReset, requestPasswordReset } from '../../../../contracts/accounts/password-reset.ts';
import { deleteAccount, updateProfile } from '../../../../contracts/accounts/settings.ts';
import { reauthenticate, STEP_UP_MINUTES } from '../../../../contracts/accounts/sign-in/sign-in.ts';
import { MINUTE_MS } from '../../../../contracts/values/durations.ts';
import { addAuthenticatorApp } from '../../../../testing/calls/authenticator-app.ts';
import type { Client } from '../../../../testing/calls/client.ts';
import { mailedCode, mailedToken, mailsTo } from '../../../../testing/calls/mailed-tokens.ts';
import { renewSessions } from '../../../../testing/calls/renewed-sessions.ts';
import { CAST, PASSWORD } from '../../../../testing/cast.ts';
import { startTestServer } from '../../../../testing/test-context.ts';
import { UNKNOWN_USER_HASH } from '../passwords/passwords.ts';

const NEW_EMAIL = 'frida.new@example.org';
const NEW_PASSWORD = 'another horse';

const update = (client: Client, body: Record<string, unknown>) => client.call(updateProfile, { body });
const changeEmail = (client: Client, email: string, currentPassword = PASSWORD) =>
  update(client, { email, currentPassword });
const signIn = (client: Client, username: string, password: string) =>
  client.call(login, { body: { username, password } });

const refusedAt = (field: string, sentence: string) => (error: ApiError) => {
  assert.deepEqual([error.status, error.problem.errors?.[field]], [400, sentence]);
  return true;
};

test('the name is trimmed and can be changed without a password', async (t) => {
  const frida = await (await startTestServer(t)).signIn('frida');
  assert.equal((await update(frida, { name: '  Frida Kahlo ' })).name, 'Frida Kahlo');
  assert.equal((await frida.call(getCurrentUser)).name, 'Frida Kahlo');
});

test('the name is required', async (t) => {
  const frida = await (await startTestServer(t)).signIn('frida');
  await assert.rejects(update(frida, { name: ' ' }), refusedAt('name', 'Name is required'));
  await assert.rejects(update(frida, { name: 7 }), refusedAt('name', 'Expected string, received number'));
  await assert.rejects(update(frida, {}), { status: 400 });
});

test('changing the email address or password requires the current password', async (t) => {
  const frida = await (await startTestServer(t)).signIn('frida');
  const sentence = 'Please enter your current password.';
  for (const body of [{ email: NEW_EMAIL }, { newPassword: NEW_PASSWORD }]) {
    await assert.rejects(update(frida, body), refusedAt('currentPassword', sentence));
    await assert.rejects(update(frida, { ...body, currentPassword: '' }), { status: 400 });
    const wrong = { ...body, currentPassword: 'wrong' };
    const isWrong = refusedAt('currentPassword', 'Your current password is incorrect.');
    await assert.rejects(update(frida, wrong), isWrong);
    await assert.rejects(update(frida, wrong), { code: 'wrong_current_password' });
  }
  assert.equal((await frida.call(getCurrentUser)).email, CAST.frida.email);
});

test('a new email address must be one plain address', async (t) => {
  const frida = await (await startTestServer(t)).signIn('frida');
  for (const email of ['', 'frida', 'a@b', 'frida@example.org\r\nBcc: x@example.org', '"a b"@example.org'])
    await assert.rejects(changeEmail(frida, email), refusedAt('email', 'Please enter a valid email address'));
});

test('a profile update ignores rights, username, ID and verification', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  const greedy = {
    name: 'F',
    isAdmin: true,
    tier: 'premium',
    username: 'root',
    emailVerified: false,
    id: '1',
  };
  await assert.rejects(update(frida, greedy), { status: 400 });
  const user = await frida.call(getCurrentUser);
  assert.deepEqual(
    [user.isAdmin, user.tier, user.username, user.emailVerified, user.id],
    [false, 'free', 'frida', true, server.userId('frida')],
  );
});

test('a new address takes effect immediately, is unverified, and is verified by its code', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  const user = await changeEmail(frida, NEW_EMAIL);
  assert.deepEqual([user.email, user.emailVerified], [NEW_EMAIL, false]);
  await assert.rejects(frida.call(getMonthlyUsage), { status: 403, code: 'email_not_verified' });
  await assert.rejects(signIn(server.anonymous(), CAST.frida.email, PASSWORD), { status: 401 });
  await signIn(server.anonymous(), NEW_EMAIL.toUpperCase(), PASSWORD);

  const code = await mailedCode(server, NEW_EMAIL);
  assert.equal((await frida.call(verifyEmail, { body: { code } })).emailVerified, true);
  await frida.call(getMonthlyUsage);
});

test('the old address gets a mail about the new one with an undo link', async (t) => {
  const server = await startTestServer(t);
  await changeEmail(await server.signIn('frida'), NEW_EMAIL);
  const [mail] = await mailsTo(server, 'email-changed', CAST.frida.email);
  assert.ok(mail!.text.includes(NEW_EMAIL));
  const token = await mailedToken(server, 'email-changed', CAST.frida.email);
  assert.match(mail!.text, new RegExp(`http://localhost:\\d+/undo-email-change#token=${token}`));
  const rows = await server.context.db.selectFrom('emailChanges').selectAll().execute();
  assert.equal(rows.length, 1);
  assert.ok(!JSON.stringify(rows).includes(token), 'only its hash is stored');
});

test('another spelling of the same address stays verified and sends no mail', async (t) => {
  const server = await startTestServer(t);
  const user = await changeEmail(await server.signIn('frida'), 'Frida@Example.ORG');
  assert.deepEqual([user.email, user.emailVerified], ['Frida@Example.ORG', true]);
  assert.deepEqual(await server.mails(), []);
});

test('of parallel changes to one address one succeeds, and the others report the error at the field', async (t) => {
  const server = await startTestServer(t);
  const callers = await Promise.all([server.signIn('frida'), server.signIn('paula'), server.signIn('prem')]);
  const answers = await Promise.allSettled(callers.map((caller) => changeEmail(caller, 'one@example.org')));
  const refusals = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason] : []));
  assert.equal(refusals.length, 2);
  for (const { status, problem } of refusals) {
    assert.deepEqual([status, problem.code, problem.errors.email], [409, 'email_taken', problem.detail]);
  }
  const owners = (await server.mails()).filter(({ recipient }) => recipient === 'one@example.org');
  assert.equal(owners.length, 1, 'only the winner’s code is mailed');
});

test('another user’s address is refused regardless of case, and nothing changes', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  const both = { name: 'Changed', email: 'PAULA@example.org', currentPassword: PASSWORD };
  await assert.rejects(update(frida, both), { status: 409, code: 'email_taken' });
  const { name, email, emailVerified } = await frida.call(getCurrentUser);
  assert.deepEqual([name, email, emailVerified], [CAST.frida.name, CAST.frida.email, true]);
  assert.deepEqual(await server.mails(), []);
});

test('codes for new addresses are subject to the limits of codes', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  await changeEmail(frida, NEW_EMAIL);
  await frida.call(verifyEmail, { body: { code: await mailedCode(server, NEW_EMAIL) } });
  await assert.rejects(changeEmail(frida, 'third@example.org'), (error: ApiError) => {
    assert.deepEqual([error.status, error.retryAfterSeconds], [429, 60]);
    return true;
  });
  assert.equal((await frida.call(getCurrentUser)).email, NEW_EMAIL);
  server.clock.advance(MINUTE_MS);
  await changeEmail(frida, 'third@example.org');
});

test('attempts to find out which addresses are in use are limited', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  for (let tries = 0; tries < 20; tries += 1)
    await assert.rejects(changeEmail(frida, CAST.paula.email), { status: 409 });
  await assert.rejects(changeEmail(frida, CAST.paula.email), { status: 429 });
});

test('a new address voids password reset links sent to the old one', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  await frida.call(requestPasswordReset, { body: { email: CAST.frida.email } });
  await server.drainJobs();
  const token = await mailedToken(server, 'password-reset', CAST.frida.email);
  await changeEmail(frida, NEW_EMAIL);
  const reset = frida.call(confirmPasswordReset, { body: { token, password: 'yet another' } });
  await assert.rejects(reset, { status: 410, code: 'link_void' });
  assert.equal((await frida.call(getCurrentUser)).emailVerified, false);
});

test('after ten wrong current passwords even the right one must wait, for this user only', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  const answers = await Promise.allSettled(
    Array.from({ length: 14 }, () => changeEmail(frida, NEW_EMAIL, 'wrong')),
  );
  const statuses = answers.map((answer) => answer.status === 'rejected' && answer.reason.status);
  assert.equal(statuses.filter((status) => status === 400).length, 10);
  await assert.rejects(changeEmail(frida, NEW_EMAIL), (error: ApiError) => {
    assert.deepEqual([error.status, error.retryAfterSeconds], [429, 900]);
    return true;
  });
  await changeEmail(await server.signIn('paula'), 'paula.new@example.org');
  server.clock.advance(15 * MINUTE_MS);
  await changeEmail(frida, NEW_EMAIL);
});

test('correct current passwords do not count as attempts', async (t) => {
  const frida = await (await startTestServer(t)).signIn('frida');
  for (let tries = 0; tries < 12; tries += 1) await changeEmail(frida, CAST.frida.email);
});

test('with a second factor, the address, password and account also need a recent confirmation', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  const app = await addAuthenticatorApp(server, frida);
  const needsStepUp = { status: 403, code: 'step_up_required' } as const;
  const tryAll = async () => {
    await assert.rejects(changeEmail(frida, NEW_EMAIL), needsStepUp);
    const password = { newPassword: NEW_PASSWORD, currentPassword: PASSWORD };
    await assert.rejects(update(frida, password), needsStepUp);
    await assert.rejects(frida.call(deleteAccount, { body: { password: PASSWORD } }), needsStepUp);
  };
  server.clock.advance(STEP_UP_MINUTES * MINUTE_MS);
  await tryAll();
  await update(frida, { name: 'Frida' });
  await frida.call(reauthenticate, { body: { method: 'totp', code: app.codeAt() } });
  await assert.rejects(changeEmail(frida, NEW_EMAIL, 'wrong'), { code: 'wrong_current_password' });
  await changeEmail(frida, NEW_EMAIL);
});

test('an account without a password sets one, and leaves, after a recent sign-in', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  await server.context.db
    .updateTable('users')
    .set({ passwordHash: UNKNOWN_USER_HASH })
    .where('id', '=', server.userId('frida'))
    .execute();
  server.clock.advance(STEP_UP_MINUTES * MINUTE_MS);
  await assert.rejects(update(frida, { newPassword: NEW_PASSWORD }), { code: 'step_up_required' });
  await renewSessions(server);
  await update(frida, { newPassword: NEW_PASSWORD });
  await signIn(server.anonymous(), 'frida', NEW_PASSWORD);
  await assert.rejects(frida.call(deleteAccount, { body: {} }), { status: 400 });
  await frida.call(deleteAccount, { body: { password: NEW_PASSWORD } });
});

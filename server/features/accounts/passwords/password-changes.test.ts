import assert from 'node:assert/strict';
import test from 'node:test';
import type { FastifyRequest } from 'fastify';
import type { ApiError } from '../../../../client/api-error.ts';
import { getCurrentUser, login } from '../../../../contracts/accounts/accounts.ts';
import { confirmPasswordReset, requestPasswordReset } from '../../../../contracts/accounts/password-reset.ts';
import { listSessions, updateProfile } from '../../../../contracts/accounts/settings.ts';
import type { Client } from '../../../../testing/calls/client.ts';
import { mailedToken, mailsTo } from '../../../../testing/calls/mailed-tokens.ts';
import { CAST, PASSWORD } from '../../../../testing/cast.ts';
import { startTestServer } from '../../../../testing/test-context.ts';
import { updateProfile as changeProfile } from '../settings/profile.ts';

const NEW_EMAIL = 'frida.new@example.org';
const NEW_PASSWORD = 'another horse';

const update = (client: Client, body: Record<string, unknown>) => client.call(updateProfile, { body });
const signIn = (client: Client, username: string, password: string) =>
  client.call(login, { body: { username, password } });

const refusedAt = (field: string, sentence: string) => (error: ApiError) => {
  assert.deepEqual([error.status, error.problem.errors?.[field]], [400, sentence]);
  return true;
};

test('a new password has at least 6 characters', async (t) => {
  const frida = await (await startTestServer(t)).signIn('frida');
  const body = { currentPassword: PASSWORD, newPassword: '12345' };
  await assert.rejects(update(frida, body), refusedAt('newPassword', 'Please use at least 6 characters.'));
  await update(frida, { ...body, newPassword: 'r4inbo' });
});

test('a new password ends all other sessions and replaces the old one', async (t) => {
  const server = await startTestServer(t);
  const [here, elsewhere] = [await server.signIn('frida'), await server.signIn('frida')];
  const paula = await server.signIn('paula');
  await update(here, { currentPassword: PASSWORD, newPassword: NEW_PASSWORD });
  assert.equal((await here.call(listSessions)).length, 1);
  await assert.rejects(elsewhere.call(getCurrentUser), { status: 401 });
  await paula.call(getCurrentUser);
  await assert.rejects(signIn(server.anonymous(), 'frida', PASSWORD), { status: 401 });
  await signIn(server.anonymous(), 'frida', NEW_PASSWORD);
  const [mail] = await mailsTo(server, 'password-changed', CAST.frida.email);
  assert.match(mail!.text, /\/secure-account#token=[0-9a-z]{26}$/m);
});

test('a new password voids password reset links', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  await frida.call(requestPasswordReset, { body: { email: CAST.frida.email } });
  await server.drainJobs();
  const token = await mailedToken(server, 'password-reset', CAST.frida.email);
  await update(frida, { currentPassword: PASSWORD, newPassword: NEW_PASSWORD });
  const reset = frida.call(confirmPasswordReset, { body: { token, password: 'yet another' } });
  await assert.rejects(reset, { status: 410, code: 'link_void' });
});

test('of parallel password changes one succeeds', async (t) => {
  const server = await startTestServer(t);
  const sessions = await Promise.all(Array.from({ length: 5 }, () => server.signIn('frida')));
  const answers = await Promise.allSettled(
    sessions.map((session, index) =>
      update(session, { currentPassword: PASSWORD, newPassword: `password ${index}` }),
    ),
  );
  const winner = answers.findIndex(({ status }) => status === 'fulfilled');
  assert.equal(answers.filter(({ status }) => status === 'fulfilled').length, 1);
  for (const answer of answers)
    if (answer.status === 'rejected') assert.ok([400, 401].includes(answer.reason.status));
  assert.equal((await sessions[winner]!.call(listSessions)).length, 1);
  await signIn(server.anonymous(), 'frida', `password ${winner}`);
});

test('address and password change together or not at all', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  const both = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD };
  await assert.rejects(update(frida, { ...both, email: CAST.paula.email }), { status: 409 });
  await signIn(server.anonymous(), 'frida', PASSWORD);
  await update(frida, { ...both, email: NEW_EMAIL });
  await signIn(server.anonymous(), NEW_EMAIL, NEW_PASSWORD);
  assert.equal((await mailsTo(server, 'password-changed', CAST.frida.email)).length, 1);
});

test('a change checked against an outdated password hash has no effect', async (t) => {
  const server = await startTestServer(t);
  const { db } = server.context;
  const frida = await server.signIn('frida');
  const ofFrida = db.selectFrom('users').selectAll().where('usernameKey', '=', 'frida');
  const outdatedUser = await ofFrida.executeTakeFirstOrThrow();
  await update(frida, { currentPassword: PASSWORD, newPassword: NEW_PASSWORD });
  const before = await ofFrida.executeTakeFirstOrThrow();
  // The identity of a call that began before the change, with the user's old row.
  const identity = { user: outdatedUser, sessionId: null };
  const wishes = {
    name: 'Changed',
    email: NEW_EMAIL,
    newPassword: 'the third one',
    currentPassword: PASSWORD,
  };
  const call = changeProfile(server.context, identity, wishes, {} as FastifyRequest);
  await assert.rejects(call, { code: 'wrong_current_password' });
  assert.deepEqual(await ofFrida.executeTakeFirstOrThrow(), before);
  await frida.call(getCurrentUser);
});

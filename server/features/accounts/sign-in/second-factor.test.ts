import assert from 'node:assert/strict';
import test from 'node:test';
import type { z } from 'zod';
import type { ApiError } from '../../../../client/api-error.ts';
import { getCurrentUser, login } from '../../../../contracts/accounts/accounts.ts';
import { confirmPasswordReset, requestPasswordReset } from '../../../../contracts/accounts/password-reset.ts';
import {
  beginTotp,
  listFactors,
  renewRecoveryCodes,
} from '../../../../contracts/accounts/sign-in/factors.ts';
import {
  type FactorProof,
  finishSignIn,
  reauthenticate,
} from '../../../../contracts/accounts/sign-in/sign-in.ts';
import { MINUTE_MS } from '../../../../contracts/values/durations.ts';
import { addAuthenticatorApp } from '../../../../testing/calls/authenticator-app.ts';
import type { Client } from '../../../../testing/calls/client.ts';
import { mailedToken } from '../../../../testing/calls/mailed-tokens.ts';
import { CAST, PASSWORD } from '../../../../testing/cast.ts';
import { startTestServer, type TestServer } from '../../../../testing/test-context.ts';

async function startWithApp(t: test.TestContext) {
  const server = await startTestServer(t);
  const owner = await server.signIn('paula');
  return { server, owner, app: await addAuthenticatorApp(server, owner) };
}

/** A browser in which the password was right. */
async function enterPassword(server: TestServer, password = PASSWORD): Promise<Client> {
  const client = server.anonymous();
  await assert.rejects(client.call(login, { body: { username: 'paula', password } }), (error: ApiError) => {
    assert.deepEqual([error.status, error.code], [401, 'second_factor_required']);
    assert.deepEqual(error.problem.factors, ['totp', 'recovery-code']);
    return true;
  });
  return client;
}

const finish = (client: Client, body: FactorProof) => client.call(finishSignIn, { body });
const totp = (code: string) => ({ method: 'totp', code }) as const;
const recovery = (code: string) => ({ method: 'recovery-code', code }) as const;

test('after the password, the code of the app signs in', async (t) => {
  const { server, app } = await startWithApp(t);
  const client = await enterPassword(server);
  await assert.rejects(client.call(getCurrentUser), { code: 'not_signed_in' });
  const wrong = app.codeAt() === '000000' ? '000001' : '000000';
  await assert.rejects(finish(client, totp(wrong)), { code: 'wrong_factor' });
  assert.equal((await finish(client, totp(app.codeAt()))).username, 'paula');
  assert.equal((await client.call(getCurrentUser)).username, 'paula');
  const session = await server.context.db
    .selectFrom('sessions')
    .select('methods')
    .orderBy('createdAt', 'desc')
    .executeTakeFirstOrThrow();
  assert.equal(session.methods, '["password","totp"]');
});

test('a recovery code signs in once, in any spelling, and its use is mailed', async (t) => {
  const { server, owner, app } = await startWithApp(t);
  const code = app.recoveryCodes[0]!;
  const client = await enterPassword(server);
  await finish(client, recovery(` ${code.toUpperCase().replace('-', ' ')} `));
  await assert.rejects(finish(await enterPassword(server), recovery(code)), { code: 'wrong_factor' });
  assert.equal((await owner.call(listFactors)).recoveryCodes, 9);
  const mails = await server.mails();
  assert.equal(mails.filter(({ kind }) => kind === 'recovery-code-used').length, 1);
});

for (const kind of ['totp', 'recovery-code'] as const)
  test(`of 50 parallel uses of one ${kind} one signs in`, async (t) => {
    const { server, app } = await startWithApp(t);
    const code = kind === 'totp' ? app.codeAt() : app.recoveryCodes[0]!;
    const clients: Client[] = [];
    for (let each = 0; each < 50; each += 1) clients.push(await enterPassword(server));
    const outcomes = await Promise.allSettled(
      clients.map((client) => finish(client, kind === 'totp' ? totp(code) : recovery(code))),
    );
    assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
  });

test('of 50 parallel uses of one attempt one signs in', async (t) => {
  const { server, app } = await startWithApp(t);
  const client = await enterPassword(server);
  const outcomes = await Promise.allSettled(
    Array.from({ length: 50 }, (_, each) => finish(client, recovery(app.recoveryCodes[each % 5]!))),
  );
  assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
});

test('five wrong codes end the attempt, and parallel guesses are counted before they are checked', async (t) => {
  const { server, app } = await startWithApp(t);
  const client = await enterPassword(server);
  const outcomes = await Promise.allSettled(
    Array.from({ length: 30 }, () => finish(client, recovery('aaaaa-aaaaa'))),
  );
  const codes = outcomes.map((each) => (each as PromiseRejectedResult).reason.code as string);
  assert.equal(codes.filter((code) => code === 'wrong_factor').length, 5);
  await assert.rejects(finish(client, totp(app.codeAt())), { code: 'sign_in_expired' });
});

test('a stranger who knows the password cannot lock the owner out', async (t) => {
  const server = await startTestServer(t, { TRUST_PROXY: '1' });
  const owner = await server.signIn('paula');
  const app = await addAuthenticatorApp(server, owner);
  const answer = async (client: Client, body: FactorProof) => {
    const response = await client.fetch('/api/login/second-factor', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': '203.0.113.66' },
      body: JSON.stringify(body),
    });
    return response.status;
  };
  const home = await enterPassword(server);
  await finish(home, totp(app.codeAt()));
  let limited = 0;
  for (let attempt = 0; attempt < 4; attempt += 1) {
    const stranger = await enterPassword(server);
    for (let each = 0; each < 5; each += 1)
      if ((await answer(stranger, recovery('aaaaa-aaaaa'))) === 429) limited += 1;
  }
  assert.equal(limited, 10);
  server.clock.advance(MINUTE_MS);
  await assert.rejects(home.call(login, { body: { username: 'paula', password: PASSWORD } }), {
    code: 'second_factor_required',
  });
  assert.equal((await finish(home, totp(app.codeAt()))).username, 'paula');
});

test('an attempt ends after five minutes, and with a new password', async (t) => {
  const { server, app } = await startWithApp(t);
  const late = await enterPassword(server);
  server.clock.advance(5 * MINUTE_MS);
  await assert.rejects(finish(late, totp(app.codeAt())), { code: 'sign_in_expired' });
  await assert.rejects(finish(server.anonymous(), totp(app.codeAt())), { code: 'sign_in_expired' });
  const client = await enterPassword(server);
  const password = 'a quite different one';
  await server.anonymous().call(requestPasswordReset, { body: { email: CAST.paula.email } });
  await server.drainJobs();
  const token = await mailedToken(server, 'password-reset', CAST.paula.email);
  await server.anonymous().call(confirmPasswordReset, { body: { token, password } });
  await assert.rejects(finish(client, totp(app.codeAt())), { code: 'sign_in_expired' });
  await finish(await enterPassword(server, password), totp(app.codeAt()));
});

test('a confirmation allows calls that need one; an account with a factor confirms with it', async (t) => {
  const server = await startTestServer(t);
  const client = await server.signIn('paula');
  const confirm = (body: z.input<NonNullable<typeof reauthenticate.body>>) =>
    client.call(reauthenticate, { body });
  server.clock.advance(20 * MINUTE_MS);
  await assert.rejects(client.call(beginTotp), { code: 'step_up_required' });
  await assert.rejects(confirm({ method: 'password', password: 'wrong' }), {
    code: 'wrong_current_password',
  });
  await confirm({ method: 'password', password: PASSWORD });
  const app = await addAuthenticatorApp(server, client);
  server.clock.advance(20 * MINUTE_MS);
  await assert.rejects(client.call(renewRecoveryCodes), { code: 'step_up_required' });
  await assert.rejects(confirm({ method: 'password', password: PASSWORD }), {
    code: 'second_factor_required',
  });
  await confirm({ method: 'totp', code: app.codeAt() });
  const { recoveryCodes } = await client.call(renewRecoveryCodes);
  assert.equal(recoveryCodes.length, 10);
  await assert.rejects(finish(await enterPassword(server), recovery(app.recoveryCodes[0]!)), {
    code: 'wrong_factor',
  });
});

test('a session from before the factor was added does not count as confirmed', async (t) => {
  const server = await startTestServer(t);
  const [here, there] = [await server.signIn('paula'), await server.signIn('paula')];
  const app = await addAuthenticatorApp(server, here);
  await assert.rejects(there.call(renewRecoveryCodes), { code: 'step_up_required' });
  await there.call(reauthenticate, { body: { method: 'totp', code: app.codeAt() } });
  await there.call(renewRecoveryCodes);
});

import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import type { ApiError } from '../../../../client/api-error.ts';
import {
  getCurrentUser,
  getMonthlyUsage,
  login,
  register,
  sendVerificationCode,
  verifyEmail,
} from '../../../../contracts/accounts/accounts.ts';
import { verifyEmailLink } from '../../../../contracts/values/addresses/links.ts';
import { DAY_MS, MINUTE_MS } from '../../../../contracts/values/durations.ts';
import type { Client } from '../../../../testing/calls/client.ts';
import { startTestServer, type TestServer } from '../../../../testing/test-context.ts';

const NINA = { name: 'Nina New', username: 'nina', email: 'nina@example.org', password: 'nina has a cat' };

async function startWithNina(t: TestContext) {
  const server = await startTestServer(t);
  const browser = server.anonymous();
  await browser.call(register, { body: NINA });
  const readCode = async (email = NINA.email) => {
    const mails = (await server.mails()).filter(({ recipient }) => recipient === email);
    const newest = mails.toSorted((a, b) => b.createdAt - a.createdAt)[0];
    return /^\d{6}$/m.exec(newest?.text ?? '')![0];
  };
  return { server, browser, readCode };
}

function wrongCode(code: string, step = 1): string {
  return String((Number(code) + step) % 1_000_000).padStart(6, '0');
}

const verify = (client: Client, code: string) => client.call(verifyEmail, { body: { code } });

test('registering mails a code that signs in the browser that registered', async (t) => {
  const { server, browser, readCode } = await startWithNina(t);
  await assert.rejects(browser.call(getCurrentUser), { status: 401 });
  const code = await readCode();
  const [mail] = (await server.mails()).filter(({ recipient }) => recipient === NINA.email);
  assert.equal(mail!.sendBefore, server.clock.now() + 15 * MINUTE_MS);
  const link = server.context.config.publicUrl + verifyEmailLink(NINA.email, code);
  assert.ok(mail!.text.includes(link), 'the mail has a link that fills the code in');
  assert.ok(!mail!.text.includes(NINA.name), 'no text of a stranger goes to an unverified address');

  assert.equal((await verify(browser, code)).emailVerified, true);
  assert.equal((await browser.call(getCurrentUser)).username, 'nina');
  assert.deepEqual(
    browser.jar.list().map(({ name }) => name),
    ['sendwell_session'],
  );
  assert.deepEqual(await browser.call(getMonthlyUsage), { usage: 0 });
});

test('an unverified session may only read its own user and verify', async (t) => {
  const { server, readCode } = await startWithNina(t);
  const elsewhere = server.anonymous();
  const user = await elsewhere.call(login, { body: NINA });
  assert.equal(user.emailVerified, false);
  assert.equal((await elsewhere.call(getCurrentUser)).email, NINA.email);
  await assert.rejects(elsewhere.call(getMonthlyUsage), { status: 403, code: 'email_not_verified' });
  await verify(elsewhere, await readCode());
  await elsewhere.call(getMonthlyUsage);
});

test('signing in unverified sends a code only when none is valid', async (t) => {
  const { server } = await startWithNina(t);
  const countMails = async () =>
    (await server.mails()).filter(({ recipient }) => recipient === NINA.email).length;
  await server.anonymous().call(login, { body: NINA });
  assert.equal(await countMails(), 1);
  server.clock.advance(15 * MINUTE_MS);
  await server.anonymous().call(login, { body: NINA });
  assert.equal(await countMails(), 2);
});

test('a malformed, wrong, expired or used code is refused', async (t) => {
  const { server, browser, readCode } = await startWithNina(t);
  const code = await readCode();
  await assert.rejects(verify(server.anonymous(), code), { status: 401 });
  for (const malformed of ['', '12345', '1234567', 'abcdef', '１２３４５６']) {
    await assert.rejects(verify(browser, malformed), (error: ApiError) => {
      assert.equal(error.status, 400);
      assert.equal(error.problem.errors?.code, 'Please enter the 6-digit code');
      return true;
    });
  }
  await assert.rejects(verify(browser, wrongCode(code)), { status: 400, code: 'wrong_code' });
  server.clock.advance(15 * MINUTE_MS);
  await assert.rejects(verify(browser, code), { status: 400, code: 'code_expired' });

  await browser.call(sendVerificationCode);
  const fresh = await readCode();
  await verify(browser, fresh);
  await assert.rejects(verify(browser, fresh), { status: 409, code: 'already_verified' });
  await assert.rejects(browser.call(sendVerificationCode), { status: 409, code: 'already_verified' });
});

test('five parallel wrong codes are checked at most, and then the right one is void', async (t) => {
  const { server, browser, readCode } = await startWithNina(t);
  const code = await readCode();
  const guesses = Array.from({ length: 20 }, (_, index) => verify(browser, wrongCode(code, index + 1)));
  const answers = await Promise.allSettled(guesses);
  const codes = answers.map((answer) => answer.status === 'rejected' && answer.reason.code);
  assert.equal(
    codes.filter((each) => each === 'wrong_code').length,
    4,
    'the fifth says that it was the last',
  );
  assert.equal(codes.filter((each) => each === 'code_expired').length, 16);
  const row = await server.context.db
    .selectFrom('emailVerificationCodes')
    .selectAll()
    .executeTakeFirstOrThrow();
  assert.equal(row.attempts, 5);
  await assert.rejects(verify(browser, code), { code: 'code_expired' });
});

test('ten parallel correct codes verify once', async (t) => {
  const { server, browser, readCode } = await startWithNina(t);
  const code = await readCode();
  const answers = await Promise.allSettled(Array.from({ length: 10 }, () => verify(browser, code)));
  assert.equal(answers.filter(({ status }) => status === 'fulfilled').length, 1);
  for (const answer of answers) {
    if (answer.status === 'rejected') assert.ok([400, 409].includes(answer.reason.status));
  }
  const sessions = await server.context.db
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.userId')
    .where('usernameKey', '=', 'nina')
    .select('sessions.id')
    .execute();
  assert.equal(sessions.length, 1);
  const codes = await server.context.db.selectFrom('emailVerificationCodes').selectAll().execute();
  assert.deepEqual(codes, []);
  assert.equal((await browser.call(getCurrentUser)).emailVerified, true);
});

test('a new code voids the old one', async (t) => {
  const { server, browser, readCode } = await startWithNina(t);
  const old = await readCode();
  server.clock.advance(MINUTE_MS);
  await browser.call(sendVerificationCode);
  const fresh = await readCode();
  if (old !== fresh) await assert.rejects(verify(browser, old), { code: 'wrong_code' });
  await verify(browser, fresh);
});

test('one code a minute and five an hour are sent', async (t) => {
  const { server, browser } = await startWithNina(t);
  await browser.call(login, { body: NINA });
  const refuseWith = (seconds: number) => (error: ApiError) => {
    assert.deepEqual([error.code, error.retryAfterSeconds], ['too_many_requests', seconds]);
    return true;
  };
  await assert.rejects(browser.call(sendVerificationCode), refuseWith(60));
  await sendFourMore(server, browser);
  await assert.rejects(browser.call(sendVerificationCode), refuseWith(55 * 60));
  server.clock.advance(55 * MINUTE_MS);
  await browser.call(sendVerificationCode);
});

test('a mailbox gets at most twenty codes a day', async (t) => {
  const { server, browser } = await startWithNina(t);
  await browser.call(login, { body: NINA });
  for (let sent = 1; sent < 20; sent += 1) {
    server.clock.advance(15 * MINUTE_MS);
    await browser.call(sendVerificationCode);
  }
  server.clock.advance(15 * MINUTE_MS);
  await assert.rejects(browser.call(sendVerificationCode), { status: 429 });
  server.clock.advance(DAY_MS);
  await browser.call(sendVerificationCode);
});

test('the hourly limit follows the user to another address', async (t) => {
  const { server, browser } = await startWithNina(t);
  await sendFourMore(server, browser);
  const other = 'other@example.org';
  await server.context.db
    .updateTable('users')
    .set({ email: other, emailKey: other })
    .where('usernameKey', '=', 'nina')
    .execute();
  await assert.rejects(browser.call(sendVerificationCode), { status: 429 });
});

test('the hourly limit follows the address to another user', async (t) => {
  const { server, browser } = await startWithNina(t);
  await sendFourMore(server, browser);
  await server.context.db.deleteFrom('users').where('usernameKey', '=', 'nina').execute();
  const again = { ...NINA, username: 'nina2', email: NINA.email.toUpperCase() };
  const tagged = { ...again, email: NINA.email.replace('@', '+tag@') };
  for (const body of [again, tagged]) await assert.rejects(browser.call(register, { body }), { status: 429 });
  await server.anonymous().call(register, { body: { ...again, email: 'other@example.org' } });
});

async function sendFourMore(server: TestServer, browser: Client): Promise<void> {
  for (let sent = 1; sent < 5; sent += 1) {
    server.clock.advance(MINUTE_MS);
    await browser.call(sendVerificationCode);
  }
  server.clock.advance(MINUTE_MS);
}

test('parallel requests for a code send one', async (t) => {
  const { server, browser } = await startWithNina(t);
  server.clock.advance(MINUTE_MS);
  const answers = await Promise.allSettled(
    Array.from({ length: 10 }, () => browser.call(sendVerificationCode)),
  );
  assert.equal(answers.filter(({ status }) => status === 'fulfilled').length, 1);
  const codes = await server.context.db.selectFrom('emailVerificationCodes').select('id').execute();
  assert.equal(codes.length, 1);
});

test('the pending cookie is refused after an hour and when it was altered', async (t) => {
  const { server, browser } = await startWithNina(t);
  const [cookie] = browser.jar.list();
  const forger = server.anonymous();
  forger.jar.add({ ...cookie!, value: cookie!.value.replace(/^[^.]+/, server.userId('frida')) });
  await assert.rejects(forger.call(sendVerificationCode), { status: 401 });
  server.clock.advance(60 * MINUTE_MS);
  await assert.rejects(browser.call(sendVerificationCode), { status: 401 });
});

test('verifying a new account while signed in to another one switches the session', async (t) => {
  const { server, readCode } = await startWithNina(t);
  const browser = await server.signIn('paula');
  await browser.call(register, { body: { ...NINA, username: 'otto', email: 'otto@example.org' } });
  assert.equal((await browser.call(getCurrentUser)).username, 'paula');
  await verify(browser, await readCode('otto@example.org'));
  assert.equal((await browser.call(getCurrentUser)).username, 'otto');
});

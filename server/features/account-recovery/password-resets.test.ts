import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import type { ApiError } from '../../../client/api-error.ts';
import {
  getCurrentUser,
  login,
  register,
  sendVerificationCode,
} from '../../../contracts/accounts/accounts.ts';
import { confirmPasswordReset, requestPasswordReset } from '../../../contracts/accounts/password-reset.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../contracts/values/durations.ts';
import { mailedToken, mailsTo } from '../../../testing/calls/mailed-tokens.ts';
import { CAST, PASSWORD } from '../../../testing/cast.ts';
import { startSmtpServer } from '../../../testing/network/smtp-server.ts';
import { startTestServer, type TestServer } from '../../../testing/test-context.ts';

const FRIDA: string = CAST.frida.email;
const NEW_PASSWORD = 'a brand new one';
const isVoid = { status: 410, code: 'link_void' } as const;

const requestReset = (server: TestServer, email: string) =>
  server.anonymous().call(requestPasswordReset, { body: { email } });
const confirm = (server: TestServer, token: string, password = NEW_PASSWORD) =>
  server.anonymous().call(confirmPasswordReset, { body: { token, password } });
const signIn = (server: TestServer, password: string, username = 'frida') =>
  server.anonymous().call(login, { body: { username, password } });

async function requestAndReadToken(server: TestServer, email = FRIDA): Promise<string> {
  await requestReset(server, email);
  await server.drainJobs();
  return mailedToken(server, 'password-reset', email);
}

async function countMails(server: TestServer): Promise<number> {
  await server.drainJobs();
  return (await mailsTo(server, 'password-reset', FRIDA)).length;
}

async function startWithLink(t: TestContext) {
  const server = await startTestServer(t);
  return { server, token: await requestAndReadToken(server) };
}

test('a forgotten password is replaced by a link delivered by mail', async (t) => {
  const smtp = await startSmtpServer();
  t.after(() => smtp.stop());
  const server = await startTestServer(t, { SMTP_URL: smtp.url, MAIL_FROM: 'Sendwell <mail@example.com>' });
  const sessions = [await server.signIn('frida'), await server.signIn('frida')];
  await requestReset(server, 'FRIDA@example.org');
  await server.drainJobs();
  const [mail] = smtp.mails;
  assert.deepEqual(mail!.envelope.to, [FRIDA]);
  const [, token] = /http:\/\/localhost:\d+\/reset-password#token=([0-9a-z]{26})/.exec(mail!.text!)!;
  await confirm(server, token!);
  for (const session of sessions) await assert.rejects(session.call(getCurrentUser), { status: 401 });
  await assert.rejects(signIn(server, PASSWORD), { status: 401 });
  await signIn(server, NEW_PASSWORD);
  await server.drainJobs();
  assert.equal(smtp.mails.length, 2, 'a mail confirms the change');
  assert.deepEqual(smtp.mails[1]!.envelope.to, [FRIDA]);
});

test('known and unknown addresses get the same answer and enqueue the same jobs', async (t) => {
  const server = await startTestServer(t);
  const answerTo = async (email: string) => {
    const response = await server.anonymous().fetch('/api/password-reset/request', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email }),
    });
    // Date and request ID differ between any two responses.
    const { date, 'x-request-id': requestId, ...headers } = Object.fromEntries(response.headers);
    assert.ok(date && requestId);
    const jobs = await server.context.db.selectFrom('jobs').select('name').execute();
    return { status: response.status, text: await response.text(), headers, jobs };
  };
  const known = await answerTo(FRIDA);
  assert.deepEqual([known.status, known.text], [202, '']);
  await server.context.db.deleteFrom('jobs').execute();
  assert.deepEqual(await answerTo('nobody@example.org'), known);
  await server.drainJobs();
  assert.deepEqual(await server.mails(), [], 'nobody’s mailbox gets nothing');
});

test('a reset requires one plain address and a password of at least 6 characters', async (t) => {
  const { server, token } = await startWithLink(t);
  await assert.rejects(requestReset(server, 'frida'), (error: ApiError) => {
    assert.equal(error.problem.errors?.email, 'Please enter a valid email address');
    return true;
  });
  await assert.rejects(confirm(server, token, '12345'), (error: ApiError) => {
    assert.equal(error.problem.errors?.password, 'Please use at least 6 characters.');
    return true;
  });
  await confirm(server, token);
});

test('a reset link works once, for an hour, and only exactly as it was mailed', async (t) => {
  const { server, token } = await startWithLink(t);
  for (const wrong of ['', '0'.repeat(26), token.toUpperCase(), `${token}0`, '\0'])
    await assert.rejects(confirm(server, wrong), isVoid);
  await confirm(server, token);
  await assert.rejects(confirm(server, token, 'once more'), isVoid);
  server.clock.advance(MINUTE_MS);
  const late = await requestAndReadToken(server);
  server.clock.advance(HOUR_MS);
  await assert.rejects(confirm(server, late), isVoid);
  const rows = JSON.stringify(await server.context.db.selectFrom('passwordResets').selectAll().execute());
  assert.ok(!rows.includes(late), 'only its hash is stored');
});

test('a newer reset link voids the older one', async (t) => {
  const { server, token: older } = await startWithLink(t);
  server.clock.advance(MINUTE_MS);
  const newer = await requestAndReadToken(server);
  await assert.rejects(confirm(server, older), isVoid);
  await confirm(server, newer);
});

test('of parallel confirmations with one reset link one succeeds', async (t) => {
  const { server, token } = await startWithLink(t);
  const passwords = Array.from({ length: 6 }, (_, index) => `password ${index}`);
  const answers = await Promise.allSettled(passwords.map((password) => confirm(server, token, password)));
  const winners = passwords.filter((_, index) => answers[index]!.status === 'fulfilled');
  assert.equal(winners.length, 1);
  for (const answer of answers) if (answer.status === 'rejected') assert.equal(answer.reason.status, 410);
  await signIn(server, winners[0]!);
  assert.equal((await mailsTo(server, 'password-changed', FRIDA)).length, 1);
});

test('a password reset verifies the address and voids pending codes', async (t) => {
  const server = await startTestServer(t);
  const nina = { name: 'Nina', username: 'nina', email: 'nina@example.org', password: 'nina has a cat' };
  const browser = server.anonymous();
  await browser.call(register, { body: nina });
  await confirm(server, await requestAndReadToken(server, nina.email));
  assert.equal((await signIn(server, NEW_PASSWORD, 'nina')).emailVerified, true);
  await assert.rejects(browser.call(sendVerificationCode), { status: 409, code: 'already_verified' });
  assert.deepEqual(await server.context.db.selectFrom('emailVerificationCodes').selectAll().execute(), []);
});

test('a password reset lifts the wait after too many wrong passwords', async (t) => {
  const { server, token } = await startWithLink(t);
  for (let tries = 0; tries < 10; tries += 1)
    await assert.rejects(signIn(server, 'forgotten', tries % 2 === 0 ? 'frida' : FRIDA), { status: 401 });
  for (const name of ['frida', FRIDA])
    await assert.rejects(signIn(server, 'forgotten', name), { status: 429 });
  await confirm(server, token);
  await signIn(server, NEW_PASSWORD);
  await signIn(server, NEW_PASSWORD, FRIDA);
});

test('a mailbox gets one reset link a minute, five an hour and ten a day, and the answer does not reveal it', async (t) => {
  const server = await startTestServer(t);
  await requestReset(server, FRIDA);
  assert.equal(await countMails(server), 1);
  await requestReset(server, FRIDA);
  assert.equal(await countMails(server), 1, 'one a minute');
  const requestEveryMinute = async (times: number) => {
    for (let asked = 0; asked < times; asked += 1) {
      server.clock.advance(MINUTE_MS);
      await requestReset(server, FRIDA);
      await server.drainJobs();
    }
    return countMails(server);
  };
  assert.equal(await requestEveryMinute(6), 5, 'five an hour');
  server.clock.advance(HOUR_MS);
  assert.equal(await requestEveryMinute(6), 10);
  server.clock.advance(HOUR_MS);
  assert.equal(await requestEveryMinute(2), 10, 'ten a day');
  server.clock.advance(DAY_MS);
  assert.equal(await requestEveryMinute(1), 11);
});

test('parallel requests for a reset send one mail', async (t) => {
  const server = await startTestServer(t);
  await Promise.all(Array.from({ length: 8 }, () => requestReset(server, FRIDA)));
  assert.equal(await countMails(server), 1);
});

test('a network address can request thirty resets an hour', async (t) => {
  const server = await startTestServer(t);
  for (let asked = 0; asked < 30; asked += 1) await requestReset(server, `nobody${asked}@example.org`);
  await assert.rejects(requestReset(server, FRIDA), (error: ApiError) => {
    assert.deepEqual([error.status, error.retryAfterSeconds], [429, 3600]);
    return true;
  });
});

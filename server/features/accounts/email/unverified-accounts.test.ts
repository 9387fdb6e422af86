import assert from 'node:assert/strict';
import test from 'node:test';
import { getCurrentUser, login, register, verifyEmail } from '../../../../contracts/accounts/accounts.ts';
import { updateProfile } from '../../../../contracts/accounts/settings.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../../contracts/values/durations.ts';
import type { Client } from '../../../../testing/calls/client.ts';
import { mailsTo } from '../../../../testing/calls/mailed-tokens.ts';
import { CAST, PASSWORD } from '../../../../testing/cast.ts';
import { startTestServer, type TestServer } from '../../../../testing/test-context.ts';

const OWNER = { name: 'Nina', username: 'nina', email: 'nina@example.org', password: 'nina has a cat' };
const STRANGER = { ...OWNER, name: 'Not Nina', password: 'a stranger’s' };

async function registerAs(server: TestServer, body: typeof OWNER): Promise<Client> {
  const browser = server.anonymous();
  await browser.call(register, { body });
  return browser;
}

/** The codes mailed to an address, in the order of their accounts. */
async function codesTo(server: TestServer, email: string): Promise<string[]> {
  const mails = await mailsTo(server, 'verification-code', email);
  return mails.map(({ text }) => /^\d{6}$/m.exec(text)![0]);
}

const verify = (browser: Client, code: string) => browser.call(verifyEmail, { body: { code } });
const countUsers = async ({ context }: TestServer) =>
  (await context.db.selectFrom('users').select('id').execute()).length - Object.keys(CAST).length;

test('an unverified registration does not block the owner of the address and name', async (t) => {
  const server = await startTestServer(t);
  const stranger = await registerAs(server, STRANGER);
  await assert.rejects(registerAs(server, OWNER), { status: 409 }, 'a code that was just mailed comes first');
  server.clock.advance(15 * MINUTE_MS + 1);
  const owner = await registerAs(server, OWNER);
  const [strangers, owners] = await codesTo(server, OWNER.email);
  if (strangers !== owners)
    await assert.rejects(verify(stranger, owners!), { status: 400 }, 'a code proves one registration only');
  await verify(owner, owners!);
  assert.equal((await owner.call(getCurrentUser)).name, OWNER.name);
  for (const username of [OWNER.username, OWNER.email])
    await server.anonymous().call(login, { body: { username, password: OWNER.password } });
  const taken = { username: OWNER.username, password: STRANGER.password };
  await assert.rejects(server.anonymous().call(login, { body: taken }), { status: 401 });
  await assert.rejects(stranger.call(getCurrentUser), { status: 401 });
  assert.equal(await countUsers(server), 1);
});

test('a later registration does not affect an earlier one that verifies its address first', async (t) => {
  const server = await startTestServer(t);
  await registerAs(server, OWNER);
  server.clock.advance(15 * MINUTE_MS + 1);
  const second = await registerAs(server, STRANGER);
  const [seconds] = (await codesTo(server, OWNER.email)).slice(-1);
  const session = server.anonymous();
  const body = { username: OWNER.email, password: OWNER.password };
  const { id } = await session.call(login, { body });
  const mails = await mailsTo(server, 'verification-code', OWNER.email);
  const firsts = /^\d{6}$/m.exec(
    mails.findLast(({ userId, text }) => userId === id && text !== '')!.text,
  )![0];
  assert.equal((await verify(session, firsts)).id, id);
  await assert.rejects(verify(second, seconds!), { status: 409, code: 'email_taken' });
  await assert.rejects(registerAs(server, STRANGER), { status: 409 });
  assert.equal((await session.call(getCurrentUser)).name, OWNER.name);
});

test('of registrations that verify one address at the same time one succeeds', async (t) => {
  const server = await startTestServer(t);
  const browsers = [await registerAs(server, OWNER)];
  for (let index = 0; index < 2; index += 1) {
    server.clock.advance(15 * MINUTE_MS + 1);
    browsers.push(await registerAs(server, { ...OWNER, name: `Nina ${index}` }));
  }
  await server.context.db
    .updateTable('emailVerificationCodes')
    .set({ expiresAt: server.clock.now() + HOUR_MS })
    .execute();
  const codes = await codesTo(server, OWNER.email);
  const answers = await Promise.allSettled(browsers.map((browser, index) => verify(browser, codes[index]!)));
  assert.equal(answers.filter(({ status }) => status === 'fulfilled').length, 1);
  for (const answer of answers)
    if (answer.status === 'rejected')
      assert.ok([400, 401, 409].includes(answer.reason.status), answer.reason);
});

test('when the owner of a mistyped new address verifies it, the other account gets its old address back', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  await frida.call(updateProfile, { body: { email: OWNER.email, currentPassword: PASSWORD } });
  server.clock.advance(HOUR_MS);
  const owner = await registerAs(server, OWNER);
  await verify(owner, (await codesTo(server, OWNER.email)).at(-1)!);
  const user = await frida.call(getCurrentUser);
  assert.deepEqual([user.email, user.emailVerified], [CAST.frida.email, true]);
  assert.equal((await owner.call(getCurrentUser)).email, OWNER.email);
});

test('a verified user can change to an address with only an unverified registration', async (t) => {
  const server = await startTestServer(t);
  await registerAs(server, STRANGER);
  const frida = await server.signIn('frida');
  const change = () => frida.call(updateProfile, { body: { email: OWNER.email, currentPassword: PASSWORD } });
  await assert.rejects(change(), { status: 409 });
  server.clock.advance(HOUR_MS);
  assert.equal((await change()).email, OWNER.email);
});

test('only accounts that were never verified are removed, after seven days', async (t) => {
  const server = await startTestServer(t);
  await registerAs(server, STRANGER);
  const frida = await server.signIn('frida');
  await frida.call(updateProfile, { body: { email: 'new@example.org', currentPassword: PASSWORD } });
  const sweep = async () => {
    await server.drainJobs();
    server.clock.advance(HOUR_MS);
    await server.drainJobs();
  };
  server.clock.advance(7 * DAY_MS - HOUR_MS - 1);
  await sweep();
  assert.equal(await countUsers(server), 1);
  await sweep();
  assert.equal(await countUsers(server), 0, 'the cast stays, including frida with her new address');
  server.clock.advance(30 * DAY_MS);
  await sweep();
  assert.equal(await countUsers(server), 0);
  await registerAs(server, OWNER);
});

test('a clock that jumps ahead removes no accounts', async (t) => {
  const server = await startTestServer(t);
  await registerAs(server, OWNER);
  await server.drainJobs();
  server.clock.advance(HOUR_MS);
  await server.drainJobs();
  server.clock.jump(8 * DAY_MS);
  await server.drainJobs();
  assert.equal(await countUsers(server), 1);
});

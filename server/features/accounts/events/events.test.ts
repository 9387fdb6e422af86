import assert from 'node:assert/strict';
import test from 'node:test';
import { login } from '../../../../contracts/accounts/accounts.ts';
import { createApiKey, deleteApiKey, updateApiKey } from '../../../../contracts/accounts/api-keys.ts';
import { listAccountEvents } from '../../../../contracts/accounts/events.ts';
import { updateProfile } from '../../../../contracts/accounts/settings.ts';
import { DAY_MS, MINUTE_MS } from '../../../../contracts/values/durations.ts';
import { mailsTo } from '../../../../testing/calls/mailed-tokens.ts';
import { CAST, PASSWORD } from '../../../../testing/cast.ts';
import { startTestServer, type TestServer } from '../../../../testing/test-context.ts';
import { transaction } from '../../../platform/db/transaction.ts';
import { recordAccountEvent } from './events.ts';

const FIREFOX = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0';

/** Signs in from a network address, with the cookies of an earlier sign-in. Returns the new ones. */
async function signInFrom(server: TestServer, address: string, cookies = ''): Promise<string> {
  const response = await server.anonymous().fetch('/api/login', {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-forwarded-for': address,
      'user-agent': FIREFOX,
      cookie: cookies,
    },
    body: JSON.stringify({ username: 'prem', password: PASSWORD }),
  });
  assert.equal(response.status, 200);
  return response.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ');
}

const countMails = async (server: TestServer) =>
  (await mailsTo(server, 'new-device', CAST.prem.email)).length;

test('recent activity shows what happened, newest first and in pages', async (t) => {
  const server = await startTestServer(t);
  const prem = await server.signIn('prem');
  const pass = () => server.clock.advance(MINUTE_MS);
  pass();
  const key = await prem.call(createApiKey, { body: { name: 'Backup' } });
  pass();
  await prem.call(updateApiKey, { params: { id: key.id }, body: { isActive: false } });
  pass();
  await prem.call(deleteApiKey, { params: { id: key.id } });
  pass();
  const newPassword = 'a grey boat at noon';
  await prem.call(updateProfile, { body: { currentPassword: PASSWORD, newPassword } });
  pass();
  await prem.call(updateProfile, { body: { currentPassword: newPassword, email: 'p@example.net' } });
  const events = await prem.call(listAccountEvents);
  assert.deepEqual(
    events.map(({ kind, name, method }) => [kind, name, method]),
    [
      ['email-changed', null, null],
      ['password-changed', null, null],
      ['api-key-deleted', null, null],
      ['api-key-changed', 'Backup', null],
      ['api-key-created', 'Backup', null],
    ],
  );
  const page = await prem.fetch('/api/user/events?limit=4');
  const next = /^<([^>]+)>; rel="next"$/.exec(page.headers.get('link')!)![1]!;
  assert.deepEqual(await (await prem.fetch(next)).json(), events.slice(4));
  const frida = await server.signIn('frida');
  assert.deepEqual(await frida.call(listAccountEvents), [], 'only one’s own');
  await frida.call(login, { body: { username: 'frida', password: PASSWORD } });
  const [signIn] = await frida.call(listAccountEvents);
  assert.deepEqual([signIn!.kind, signIn!.method], ['sign-in', 'password']);
});

test('API keys cannot read the activity', async (t) => {
  const server = await startTestServer(t);
  const prem = await server.signIn('prem');
  const { key } = await prem.call(createApiKey, { body: { name: 'Backup', scopes: ['read'] } });
  const response = await server
    .anonymous()
    .fetch('/api/user/events', { headers: { authorization: `Bearer ${key}` } });
  assert.equal(response.status, 403);
});

test('a sign-in from an unknown browser and address is mailed once; known ones and the first are not', async (t) => {
  const server = await startTestServer(t, { TRUST_PROXY: '1' });
  const home = await signInFrom(server, '198.51.100.1');
  assert.equal(await countMails(server), 0, 'the first sign-in');
  await signInFrom(server, '198.51.100.1');
  assert.equal(await countMails(server), 0, 'another browser at a known address');
  await signInFrom(server, '203.0.113.5', home);
  assert.equal(await countMails(server), 0, 'a known browser elsewhere');
  await signInFrom(server, '192.0.2.7');
  assert.equal(await countMails(server), 1);
  const [mail] = await mailsTo(server, 'new-device', CAST.prem.email);
  assert.match(mail!.text!, /Firefox on Windows/);
  assert.match(mail!.text!, /192\.0\.2\.7/);
  assert.match(mail!.text!, /secure-account#token=/);
  await signInFrom(server, '192.0.2.7');
  assert.equal(await countMails(server), 1, 'known from now on');
  const prem = await server.signIn('prem');
  const kinds = (await prem.call(listAccountEvents)).map(({ kind }) => kind);
  assert.equal(kinds.filter((kind) => kind === 'sign-in-new-device').length, 1);
});

test('the newest 200 events of an account stay, for 180 days', async (t) => {
  const server = await startTestServer(t);
  const { context, clock } = server;
  const record = (userId: string) =>
    transaction(context.db, (trx) =>
      recordAccountEvent({ db: trx, clock }, { userId, kind: 'api-key-changed' }),
    );
  const count = async () => (await context.db.selectFrom('accountEvents').select('id').execute()).length;
  for (let index = 0; index < 205; index += 1) await record(server.userId('prem'));
  assert.equal(await count(), 200);
  clock.advance(100 * DAY_MS);
  await record(server.userId('frida'));
  await server.drainJobs();
  assert.equal(await count(), 201);
  clock.advance(81 * DAY_MS);
  await server.drainJobs();
  assert.equal(await count(), 1);
});

import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import type { ApiError } from '../../../client/api-error.ts';
import {
  getMailSubscription,
  resubscribe,
  type UnsubscribeScope,
  unsubscribe,
} from '../../../contracts/accounts/mail-preferences.ts';
import type { Endpoint } from '../../../contracts/endpoint.ts';
import type { Client } from '../../../testing/calls/client.ts';
import { startSmtpServer } from '../../../testing/network/smtp-server.ts';
import { startTestServer } from '../../../testing/test-context.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { signUnsubscribe, type Unsubscribing } from '../../platform/mail/opt-outs.ts';
import { enqueueMail, type NewMail } from '../../platform/mail/outbox.ts';
import { getPreferences } from '../accounts/settings/preferences.ts';

const REX = { email: 'rex@example.net', scope: 'transfers' } as const;
const CALLS: Endpoint[] = [getMailSubscription, unsubscribe, resubscribe];
const FORMS = [
  { 'content-type': 'application/x-www-form-urlencoded' },
  { 'content-type': 'application/x-www-form-urlencoded; charset=UTF-8' },
  { 'content-type': 'multipart/form-data; boundary=x' },
  { 'content-type': 'application/json' },
  {},
];

test('a recipient can unsubscribe from all transfer mails and resubscribe', async (t) => {
  const { server, client, tokenFor } = await open(t);
  const token = tokenFor(REX);
  assert.deepEqual(await read(client, token), { ...REX, isUnsubscribed: false });
  await client.call(unsubscribe, { params: { token } });
  await client.call(unsubscribe, { params: { token } });
  assert.deepEqual(await read(client, token), { ...REX, isUnsubscribed: true });
  // The next sender may write the address in another case.
  const other = tokenFor({ ...REX, email: 'REX@example.net' });
  assert.equal((await read(client, other)).isUnsubscribed, true);
  await client.call(resubscribe, { params: { token } });
  await client.call(resubscribe, { params: { token } });
  assert.deepEqual(await read(client, token), { ...REX, isUnsubscribed: false });
  assert.equal((await server.context.db.selectFrom('mailOptOuts').selectAll().execute()).length, 0);
});

test('a mail client can unsubscribe with one click, with any form, no session and no Origin', async (t) => {
  const { client, tokenFor } = await open(t);
  for (const headers of FORMS) {
    const token = tokenFor(REX);
    const body =
      'content-type' in headers && headers['content-type'] === 'application/json'
        ? '{}'
        : 'List-Unsubscribe=One-Click';
    const answer = await client.fetch(`/api/unsubscribe/${token}`, { method: 'POST', headers, body });
    assert.equal(answer.status, 204, JSON.stringify(headers));
    assert.equal((await read(client, token)).isUnsubscribed, true);
    await client.call(resubscribe, { params: { token } });
  }
});

test('cross-site forms are refused, and other routes accept no forms', async (t) => {
  const { client, tokenFor } = await open(t);
  const token = tokenFor(REX);
  const headers = { 'content-type': 'application/x-www-form-urlencoded', origin: 'https://evil.example.net' };
  const foreign = await client.fetch(`/api/unsubscribe/${token}`, { method: 'POST', headers, body: 'a=b' });
  assert.equal(foreign.status, 403);
  assert.equal((await read(client, token)).isUnsubscribed, false);
  const login = await client.fetch('/api/login', {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'username=frida',
  });
  assert.equal(login.status, 415);
  const long = { method: 'POST', headers: FORMS[0]!, body: 'x'.repeat(5_000) } as RequestInit;
  assert.equal((await client.fetch(`/api/unsubscribe/${token}`, long)).status, 413);
});

test('a mail scanner opening the link changes nothing', async (t) => {
  const { client, tokenFor } = await open(t);
  const token = tokenFor(REX);
  for (const method of ['GET', 'HEAD', 'OPTIONS'])
    for (const path of [`/api/unsubscribe/${token}`, `/unsubscribe/${token}`])
      await client.fetch(path, { method });
  assert.equal((await read(client, token)).isUnsubscribed, false);
});

for (const [scope, preference] of [
  ['download', 'emailOnDownload'],
  ['view', 'emailOnView'],
  ['expiry', 'emailOnExpiry'],
  ['reopen', 'emailOnReopenRequest'],
] as const) {
  test(`a sender's link ends the notices about ${scope} and no others`, async (t) => {
    const { server, client, tokenFor } = await open(t);
    const userId = server.userId('paula');
    const before = await getPreferences(server.context, userId);
    const token = tokenFor({ email: 'paula@example.org', scope, userId });
    await client.call(unsubscribe, { params: { token } });
    assert.deepEqual(await getPreferences(server.context, userId), { ...before, [preference]: false });
    assert.equal((await read(client, token)).isUnsubscribed, true);
    await client.call(resubscribe, { params: { token } });
    assert.deepEqual(await getPreferences(server.context, userId), { ...before, [preference]: true });
    assert.equal((await server.context.db.selectFrom('mailOptOuts').selectAll().execute()).length, 0);
  });
}

test('forged, truncated, foreign and very long tokens are void for every call', async (t) => {
  const { server, client, tokenFor } = await open(t);
  const token = tokenFor(REX);
  const paula = { email: 'paula@example.org', scope: 'view', userId: server.userId('paula') } as const;
  const void_ = [
    'x',
    '0'.repeat(26),
    token.slice(0, -1),
    `${token}A`,
    `${token.startsWith('A') ? 'B' : 'A'}${token.slice(1)}`,
    tokenFor(paula).slice(0, 43) + token.slice(43),
    signUnsubscribe({ secret: 'another' }, REX),
    // Correctly signed but inconsistent.
    tokenFor({ email: 'a@b.example', scope: 'view' }),
    tokenFor({ ...REX, userId: server.userId('paula') }),
    tokenFor({ ...paula, userId: 'somebody who is gone' }),
  ];
  for (const each of void_)
    for (const endpoint of CALLS)
      await assert.rejects(
        client.call(endpoint, { params: { token: each } }),
        ({ status, code }: ApiError) => status === 410 && code === 'link_void',
        each,
      );
  assert.ok([404, 410, 414].includes((await client.fetch(`/api/unsubscribe/${'A'.repeat(5_000)}`)).status));
  assert.equal((await client.fetch('/api/unsubscribe/%00%ff')).status, 400);
});

test('the link of a deleted account is void', async (t) => {
  const { server, client, tokenFor } = await open(t);
  const userId = server.userId('paula');
  const token = tokenFor({ email: 'paula@example.org', scope: 'view', userId });
  await server.context.db.updateTable('users').set({ deletedAt: 1 }).where('id', '=', userId).execute();
  await assert.rejects(read(client, token), ({ code }: ApiError) => code === 'link_void');
});

test('the longest possible address has a working link', async (t) => {
  const { server, client, tokenFor } = await open(t);
  const email = `${'a'.repeat(64)}@${`${'b'.repeat(60)}.`.repeat(3)}ccccc`;
  assert.equal(email.length, 253);
  for (const who of [
    { email, scope: 'transfers' },
    { email, scope: 'download', userId: server.userId('paula') },
  ])
    assert.equal((await read(client, tokenFor(who as Unsubscribing))).email, email);
});

test('mails in the outbox are not sent after unsubscribing, except codes', async (t) => {
  const smtp = await startSmtpServer();
  t.after(() => smtp.stop());
  const { server, client, tokenFor, put } = await open(t, { SMTP_URL: smtp.url });
  const rexes = tokenFor(REX);
  const paulas = tokenFor({ email: 'paula@example.org', scope: 'view', userId: server.userId('paula') });
  await put({ kind: 'transfer-ready', recipient: 'rex@example.net', unsubscribeToken: rexes });
  await put({ kind: 'transfer-ready', recipient: 'Rex@example.net' });
  await put({ kind: 'verification-code', recipient: 'rex@example.net' });
  await put({ kind: 'view-notice', recipient: 'paula@example.org', unsubscribeToken: paulas });
  await put({ kind: 'download-notice', recipient: 'paula@example.org' });
  for (const token of [rexes, paulas]) await client.call(unsubscribe, { params: { token } });
  await server.drainJobs();
  const dropped = (await server.mails()).filter(({ state }) => state === 'dropped');
  assert.deepEqual(dropped.map(({ kind, recipient }) => `${kind} ${recipient}`).sort(), [
    'transfer-ready Rex@example.net',
    'transfer-ready rex@example.net',
    'view-notice paula@example.org',
  ]);
  for (const { recipient, lastError } of dropped)
    assert.equal(lastError, `${recipient} has opted out of emails from Sendwell.`);
  assert.equal(smtp.mails.length, 2);
});

async function open(t: TestContext, env: Record<string, string> = {}) {
  const server = await startTestServer(t, env);
  const { secret, db, clock } = server.context;
  return {
    server,
    client: server.anonymous(),
    tokenFor: (who: Unsubscribing) => signUnsubscribe({ secret }, who),
    put: (mail: Pick<NewMail, 'kind' | 'recipient' | 'unsubscribeToken'>) =>
      transaction(db, (trx) =>
        enqueueMail(trx, { subject: 'S', text: 't', html: 'h', createdAt: clock.now(), ...mail }),
      ),
  };
}

function read(
  client: Client,
  token: string,
): Promise<{ email: string; scope: UnsubscribeScope; isUnsubscribed: boolean }> {
  return client.call(getMailSubscription, { params: { token } });
}

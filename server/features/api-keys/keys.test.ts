import assert from 'node:assert/strict';
import test from 'node:test';
import { getCurrentUser } from '../../../contracts/accounts/accounts.ts';
import {
  API_KEYS_MAX,
  createApiKey,
  deleteApiKey,
  listApiKeys,
  updateApiKey,
} from '../../../contracts/accounts/api-keys.ts';
import { deleteAccount } from '../../../contracts/accounts/settings.ts';
import { setUserTier } from '../../../contracts/admin/users.ts';
import { listTransfers } from '../../../contracts/transfers/transfers.ts';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../../contracts/values/durations.ts';
import { clientWithKey, createApiKey as makeKey } from '../../../testing/calls/api-keys.ts';
import { PASSWORD } from '../../../testing/cast.ts';
import { createReadyTransfer } from '../../../testing/factories.ts';
import { startTestServer } from '../../../testing/test-context.ts';
import { uploadFile } from '../../../testing/uploads/upload-files.ts';
import { toIso } from '../../platform/lib/clock.ts';

test('a key is shown once, stored as a hash, and listed by its prefix', async (t) => {
  const server = await startTestServer(t);
  const paula = await server.signIn('paula');
  const { key, ...made } = await paula.call(createApiKey, { body: { name: '  Backup  ' } });
  assert.match(key, /^swk_[0-9a-z]{26}$/);
  assert.deepEqual(made, {
    id: made.id,
    name: 'Backup',
    prefix: key.slice(0, 10),
    scopes: ['read', 'write'],
    lastUsedAt: null,
    expiresAt: null,
    isActive: true,
    disabledReason: null,
    disabledAt: null,
    createdAt: toIso(server.clock.now()),
  });
  const listing = await (await paula.fetch('/api/api-keys')).text();
  assert.deepEqual(JSON.parse(listing), [made]);
  assert.ok(!listing.includes(key.slice(10)));
  const stored = JSON.stringify(await server.context.db.selectFrom('apiKeys').selectAll().execute());
  assert.ok(!stored.includes(key.slice(10)));
  assert.equal((await clientWithKey(server, { key }).call(getCurrentUser)).username, 'paula');
});

test('the owner chooses scopes and an expiry in the future', async (t) => {
  const server = await startTestServer(t);
  const paula = await server.signIn('paula');
  const expiresAt = toIso(server.clock.now() + DAY_MS);
  const body = { name: 'Nightly', scopes: ['write', 'read', 'write'], expiresAt };
  const { scopes, ...rest } = await paula.call(createApiKey, { body });
  assert.deepEqual([scopes, rest.expiresAt], [['read', 'write'], expiresAt]);
  const late = { name: 'Late', expiresAt: toIso(server.clock.now()) };
  await assert.rejects(paula.call(createApiKey, { body: late }), { status: 400, code: 'expiry_in_past' });
  for (const wrong of [
    { name: ' ' },
    { name: 'x'.repeat(101) },
    { name: 'x', scopes: [] },
    { name: 'x', scopes: ['admin'] },
  ])
    await assert.rejects(paula.call(createApiKey, { body: wrong }), { status: 400, code: 'invalid_input' });
  const client = clientWithKey(server, rest);
  await client.call(listTransfers);
  server.clock.advance(DAY_MS);
  await assert.rejects(client.call(listTransfers), { status: 401, code: 'api_key_expired' });
});

test('keys require Pro: free users get 402, and a downgrade suspends keys until an upgrade', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  await assert.rejects(frida.call(createApiKey, { body: { name: 'x' } }), {
    status: 402,
    code: 'tier_required',
  });
  const ada = await server.signIn('ada');
  const setTier = (tier: string) =>
    ada.call(setUserTier, { params: { id: server.userId('paula') }, body: { tier } });
  const paula = await server.signIn('paula');
  const { key, id } = await paula.call(createApiKey, { body: { name: 'x' } });
  const client = clientWithKey(server, { key });
  await setTier('free');
  await assert.rejects(client.call(listTransfers), { status: 402, code: 'tier_required' });
  const change = (isActive: boolean) => paula.call(updateApiKey, { params: { id }, body: { isActive } });
  await change(false);
  await assert.rejects(change(true), { status: 402, code: 'tier_required' });
  assert.equal((await paula.call(listApiKeys)).length, 1);
  await setTier('premium');
  await change(true);
  await client.call(listTransfers);
});

test('deactivating, renaming and deleting a key apply from the next call on', async (t) => {
  const server = await startTestServer(t);
  const paula = await server.signIn('paula');
  const { key, id } = await paula.call(createApiKey, { body: { name: 'x' } });
  const client = clientWithKey(server, { key });
  const params = { id };
  assert.equal((await paula.call(updateApiKey, { params, body: { isActive: false } })).isActive, false);
  await assert.rejects(client.call(listTransfers), { status: 401, code: 'api_key_inactive' });
  const renamed = await paula.call(updateApiKey, { params, body: { isActive: true, name: 'Laptop' } });
  assert.deepEqual([renamed.isActive, renamed.name], [true, 'Laptop']);
  await client.call(listTransfers);
  await paula.call(deleteApiKey, { params });
  await assert.rejects(client.call(listTransfers), { status: 401, code: 'api_key_unknown' });
  assert.deepEqual(await paula.call(listApiKeys), []);
});

test('users cannot access other users’ keys', async (t) => {
  const server = await startTestServer(t);
  const prem = await server.signIn('prem');
  const { id } = await makeKey(server.context, server.userId('paula'));
  assert.deepEqual(await prem.call(listApiKeys), []);
  const unknown = { status: 404, code: 'api_key_not_found' };
  await assert.rejects(prem.call(updateApiKey, { params: { id }, body: { isActive: false } }), unknown);
  await assert.rejects(prem.call(deleteApiKey, { params: { id } }), unknown);
});

test('of parallel creations only as many as the limit allows succeed', async (t) => {
  const server = await startTestServer(t);
  const paula = await server.signIn('paula');
  for (let made = 0; made < API_KEYS_MAX - 3; made += 1)
    await makeKey(server.context, server.userId('paula'));
  const tries = await Promise.allSettled(
    Array.from({ length: 9 }, () => paula.call(createApiKey, { body: { name: 'x' } })),
  );
  assert.equal(tries.filter(({ status }) => status === 'fulfilled').length, 3);
  for (const each of tries) {
    if (each.status === 'fulfilled') continue;
    const { status, code, message } = each.reason;
    const sentence = '409: You have 20 API keys. Please delete one of them first.';
    assert.deepEqual([status, code, message], [409, 'too_many_api_keys', sentence]);
  }
  assert.equal((await paula.call(listApiKeys)).length, API_KEYS_MAX);
});

test('the last use of a key is stored with a precision of one minute', async (t) => {
  const server = await startTestServer(t);
  const paula = await server.signIn('paula');
  const client = clientWithKey(server, await makeKey(server.context, server.userId('paula')));
  const lastUse = async () => (await paula.call(listApiKeys))[0]!.lastUsedAt;
  assert.equal(await lastUse(), null);
  const first = server.clock.now();
  await Promise.all(Array.from({ length: 5 }, () => client.call(listTransfers)));
  assert.equal(await lastUse(), toIso(first));
  server.clock.advance(MINUTE_MS - SECOND_MS);
  await client.call(listTransfers);
  assert.equal(await lastUse(), toIso(first));
  server.clock.advance(SECOND_MS);
  await client.call(listTransfers);
  assert.equal(await lastUse(), toIso(first + MINUTE_MS));
});

test('deleting an account deletes its keys', async (t) => {
  const server = await startTestServer(t);
  const paula = await server.signIn('paula');
  const client = clientWithKey(server, await makeKey(server.context, server.userId('paula')));
  await paula.call(deleteAccount, { body: { password: PASSWORD } });
  await assert.rejects(client.call(listTransfers), { status: 401, code: 'api_key_unknown' });
  assert.deepEqual(await server.context.db.selectFrom('apiKeys').selectAll().execute(), []);
});

test('a key can send a file for its owner with any Origin header', async (t) => {
  const server = await startTestServer(t);
  const key = await makeKey(server.context, server.userId('paula'));
  const client = clientWithKey(server, key, {
    origin: 'https://elsewhere.example',
    'sec-fetch-site': 'cross-site',
  });
  const { transfer } = await uploadFile(client, 'a.txt', Buffer.from('hello'));
  const paula = await server.signIn('paula');
  assert.deepEqual(
    (await paula.call(listTransfers)).map(({ id }) => id),
    [transfer.id],
  );
});

test('a call with a key ignores the caller’s visitor and session cookies', async (t) => {
  const server = await startTestServer(t);
  const key = await makeKey(server.context, server.userId('paula'), ['read']);
  const ada = await server.signIn('ada');
  await createReadyTransfer(server.context, {
    userId: server.userId('ada'),
    files: [{ path: 'a', bytes: 'a' }],
  });
  const answer = await ada.fetch('/api/transfers', { headers: key.headers });
  assert.deepEqual(await answer.json(), []);
  const visit = await ada.fetch(`/api/upload/${'0'.repeat(26)}/chunks?invitationToken=${'0'.repeat(26)}`, {
    headers: key.headers,
  });
  assert.equal(visit.status, 403);
});

test('a refusal names its scheme, and Basic credentials of a proxy are ignored', async (t) => {
  const server = await startTestServer(t);
  const paula = await server.signIn('paula');
  const fetchUser = async (authorization: string) => {
    const { status, headers } = await paula.fetch('/api/user', { headers: { authorization } });
    return [status, headers.get('www-authenticate')];
  };
  const refused = (error: string) => [401, `Bearer realm="Sendwell", error="${error}"`];
  assert.deepEqual(await fetchUser('Bearer'), refused('invalid_request'));
  assert.deepEqual(await fetchUser('Bearer a b'), refused('invalid_request'));
  assert.deepEqual(await fetchUser('swk_1'), refused('invalid_request'));
  assert.deepEqual(await fetchUser('Bearer nobody'), refused('invalid_token'));
  assert.deepEqual(await fetchUser('Basic dXNlcjpwYXNz'), [200, null]);
  const anonymous = await server.anonymous().fetch('/api/user');
  assert.deepEqual(
    [anonymous.status, anonymous.headers.get('www-authenticate')],
    [401, 'Bearer realm="Sendwell"'],
  );
  const { headers } = await makeKey(server.context, server.userId('paula'), ['read']);
  const writing = await paula.fetch(`/api/transfers/${'0'.repeat(26)}`, { method: 'DELETE', headers });
  const challenge = 'Bearer realm="Sendwell", error="insufficient_scope", scope="write"';
  assert.deepEqual([writing.status, writing.headers.get('www-authenticate')], [403, challenge]);
  const nowhere = await paula.fetch('/api/nothing', { headers });
  assert.partialDeepStrictEqual(await nowhere.json(), { status: 404, code: 'not_found' });
});

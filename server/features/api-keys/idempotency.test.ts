import assert from 'node:assert/strict';
import test from 'node:test';
import { createApiKey, listApiKeys } from '../../../contracts/accounts/api-keys.ts';
import { allEndpoints } from '../../../contracts/all-endpoints.ts';
import { createInvitation, listInvitations } from '../../../contracts/transfers/uploads/invitations.ts';
import { listUploads } from '../../../contracts/transfers/uploads/uploads.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../contracts/values/durations.ts';
import { clientWithKey, createApiKey as makeKey } from '../../../testing/calls/api-keys.ts';
import type { Client } from '../../../testing/calls/client.ts';
import { startTestServer } from '../../../testing/test-context.ts';
import { startInvitation, visitInvitation } from '../../../testing/visitors/visit.ts';

const INVITATION = { title: 'Photos', expirationDays: 3 };
const FILE = { fileName: 'a.txt', fileSize: 1, totalChunks: 1 };

test('calls that send, invite or pay accept an Idempotency-Key and have JSON request and response bodies', () => {
  const taking = allEndpoints.filter(({ idempotent }) => idempotent);
  for (const { method, access, body, response, path } of taking) {
    assert.deepEqual([method, access === 'public'], ['POST', false], path);
    assert.ok(typeof response === 'object' && body !== 'stream', path);
  }
  const paths = taking.map(({ path }) => path);
  for (const path of [
    '/api/upload/init',
    '/api/upload-invitations',
    '/api/api-keys',
    '/api/create-subscription',
  ])
    assert.ok(paths.includes(path), path);
  const creating = allEndpoints.filter(({ status, access }) => status === 201 && access !== 'public');
  for (const { path, body, idempotent } of creating) assert.ok(idempotent || body === 'stream', path);
});

test('of parallel equal requests one creates, and the others get its response or 409', async (t) => {
  const server = await startTestServer(t);
  const prem = await server.signIn('prem');
  const tries = await Promise.all(
    Array.from({ length: 12 }, () => post(prem, createInvitation.path, INVITATION, 'k-1')),
  );
  assert.equal((await prem.call(listInvitations)).length, 1);
  const firsts = tries.filter(({ status, replayed }) => status === 201 && !replayed);
  assert.equal(firsts.length, 1);
  for (const { status, replayed, body, retryAfter } of tries) {
    if (replayed) assert.equal(body, firsts[0]!.body);
    if (status === 201) continue;
    assert.deepEqual([status, JSON.parse(body).code, retryAfter], [409, 'idempotency_key_running', '1']);
  }
  const again = await post(prem, createInvitation.path, INVITATION, 'k-1');
  assert.deepEqual(again, { ...firsts[0]!, replayed: true });
});

test('a different request with the same key is refused', async (t) => {
  const server = await startTestServer(t);
  const prem = await server.signIn('prem');
  await post(prem, createInvitation.path, INVITATION, 'k');
  const other = await post(prem, createInvitation.path, { ...INVITATION, title: 'Other' }, 'k');
  assert.deepEqual([other.status, JSON.parse(other.body).code], [422, 'idempotency_key_reused']);
  const elsewhere = await post(prem, '/api/upload/init', FILE, 'k');
  assert.equal(elsewhere.status, 422);
  assert.equal((await prem.call(listInvitations)).length, 1);
});

test('a key is shared by the sessions and API keys of one user, but not with other users and visitors', async (t) => {
  const server = await startTestServer(t);
  const prem = await server.signIn('prem');
  const invitation = await startInvitation(prem);
  const visitor = await visitInvitation(server, invitation.token);
  const byKey = clientWithKey(server, await makeKey(server.context, server.userId('prem')));
  const paula = await server.signIn('paula');
  const first = await post(prem, '/api/upload/init', FILE, 'k');
  assert.deepEqual(await post(byKey, '/api/upload/init', FILE, 'k'), { ...first, replayed: true });
  assert.equal((await post(paula, '/api/upload/init', FILE, 'k')).replayed, false);
  const visiting = { ...FILE, invitationToken: invitation.token };
  assert.equal((await post(visitor, '/api/upload/init', visiting, 'k')).replayed, false);
  assert.equal((await post(visitor, '/api/upload/init', visiting, 'k')).replayed, true);
  assert.deepEqual([(await prem.call(listUploads)).length, (await paula.call(listUploads)).length], [1, 1]);
});

test('refusals are stored as responses; invalid requests and 503 are not', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  const first = await post(frida, createInvitation.path, INVITATION, 'k');
  assert.equal(first.status, 402);
  assert.deepEqual(await post(frida, createInvitation.path, INVITATION, 'k'), { ...first, replayed: true });
  const wrong = await post(frida, '/api/upload/init', {}, 'w');
  assert.equal(wrong.status, 400);
  const right = await post(frida, '/api/upload/init', FILE, 'w');
  assert.deepEqual([right.status, right.replayed], [200, false]);
  for (const key of ['', 'x'.repeat(256), 'ü', 'a b']) {
    const { status, body } = await post(frida, '/api/upload/init', FILE, key);
    assert.deepEqual([status, JSON.parse(body).code], [400, 'bad_idempotency_key'], key);
  }
});

test('a response with status 500 is not stored, so the next request runs', async (t) => {
  const server = await startTestServer(t);
  const prem = await server.signIn('prem');
  await server.context.db.schema.alterTable('uploadInvitations').renameTo('elsewhere').execute();
  assert.equal((await post(prem, createInvitation.path, INVITATION, 'k')).status, 500);
  await server.context.db.schema.alterTable('elsewhere').renameTo('uploadInvitations').execute();
  const second = await post(prem, createInvitation.path, INVITATION, 'k');
  assert.deepEqual([second.status, second.replayed], [201, false]);
});

test('a crashed run blocks repeats for at most a minute', async (t) => {
  const server = await startTestServer(t);
  const prem = await server.signIn('prem');
  await post(prem, createInvitation.path, INVITATION, 'k');
  await server.context.db
    .updateTable('idempotencyKeys')
    .set({ runId: 'of a dead process', outcome: null })
    .execute();
  const running = await post(prem, createInvitation.path, INVITATION, 'k');
  assert.deepEqual([running.status, running.retryAfter], [409, '1']);
  server.clock.advance(MINUTE_MS);
  const tries = await Promise.all(
    Array.from({ length: 6 }, () => post(prem, createInvitation.path, INVITATION, 'k')),
  );
  assert.equal(tries.filter(({ status, replayed }) => status === 201 && !replayed).length, 1);
});

test('responses are stored encrypted for a day and then deleted', async (t) => {
  const server = await startTestServer(t);
  const paula = await server.signIn('paula');
  const first = await post(paula, createApiKey.path, { name: 'x' }, 'k');
  const { key } = JSON.parse(first.body) as { key: string };
  const rows = await server.context.db.selectFrom('idempotencyKeys').selectAll().execute();
  assert.ok(rows.length === 1 && !JSON.stringify(rows).includes(key));
  assert.deepEqual(await post(paula, createApiKey.path, { name: 'x' }, 'k'), { ...first, replayed: true });
  assert.equal((await paula.call(listApiKeys)).length, 1);
  await server.drainJobs();
  for (let hours = 0; hours < DAY_MS / HOUR_MS; hours += 1) {
    server.clock.advance(HOUR_MS);
    await server.drainJobs();
  }
  assert.deepEqual(await server.context.db.selectFrom('idempotencyKeys').selectAll().execute(), []);
  assert.equal((await post(paula, createApiKey.path, { name: 'x' }, 'k')).replayed, false);
});

async function post(client: Client, path: string, body: object, key: string) {
  const answer = await client.fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json', 'idempotency-key': key },
    body: JSON.stringify(body),
  });
  return {
    status: answer.status,
    replayed: answer.headers.get('idempotency-replayed') === 'true',
    retryAfter: answer.headers.get('retry-after'),
    body: await answer.text(),
  };
}

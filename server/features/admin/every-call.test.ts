import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { sql } from 'kysely';
import { allEndpoints } from '../../../contracts/all-endpoints.ts';
import { type Endpoint, isForAdmins } from '../../../contracts/endpoint.ts';
import { ADMIN_CALLS, type Wanted } from '../../../testing/calls/admin-calls.ts';
import type { Client } from '../../../testing/calls/client.ts';
import type { CastName } from '../../../testing/cast.ts';
import { startTestServer, type TestServer } from '../../../testing/test-context.ts';

const calls = allEndpoints.filter(({ access }) => isForAdmins(access));
const nameOf = ({ method, path }: Endpoint) => `${method} ${path}`;

const MEASURING = ['POST /api/admin/checks', 'POST /api/admin/checks/body'];
const isMutation = (endpoint: Endpoint) => endpoint.method !== 'GET' && !MEASURING.includes(nameOf(endpoint));
const mutations = calls.filter(isMutation);

test('every administrator call that changes something is in the table of this test', () => {
  assert.deepEqual(mutations.map(nameOf).sort(), Object.keys(ADMIN_CALLS).sort());
});

for (const endpoint of calls)
  test(`only administrators may call ${nameOf(endpoint)}`, async (t) => {
    const { server, ada, wanted } = await open(t, endpoint);
    const before = await dump(server);
    const anonymous = await send(server.anonymous(), endpoint, wanted);
    assert.deepEqual([anonymous.status, await anonymous.text()], [401, 'Please sign in first.']);
    for (const name of ['frida', 'paula', 'prem'] satisfies CastName[]) {
      const answer = await send(await server.signIn(name), endpoint, wanted);
      assert.deepEqual([answer.status, await answer.text()], [403, 'You are not allowed to do this.'], name);
    }
    assert.deepEqual(await dump(server), before, 'a refused call changes nothing');
    const answer = await send(ada, endpoint, wanted);
    assert.equal(answer.status, endpoint.status ?? (endpoint.response === 'empty' ? 204 : 200));
  });

for (const endpoint of mutations) {
  test(`is recorded in the audit log: ${nameOf(endpoint)}`, async (t) => {
    const { server, ada, wanted } = await open(t, endpoint);
    const earlier = await listActs(server);
    const answer = await send(ada, endpoint, wanted);
    assert.ok(answer.ok, await answer.text());
    const acts = (await listActs(server)).filter(({ id }) => earlier.every((act) => act.id !== id));
    assert.ok(acts.length >= 1);
    for (const { actorId, actorName, at, action, subject, details, ipAddress } of acts) {
      assert.deepEqual([actorId, actorName, at], [server.userId('ada'), 'ada', server.clock.now()]);
      assert.match(action, /^[a-z-]+\.[a-z-]+$/);
      assert.ok(subject.length > 0 && ipAddress);
      assert.ok(!details.includes('another password') && !details.includes('argon2'));
    }
  });

  test(`changes nothing if the audit log cannot be written: ${nameOf(endpoint)}`, async (t) => {
    const { server, ada, wanted } = await open(t, endpoint);
    await sql`alter table ${sql.table('auditLog')} rename to ${sql.table('elsewhere')}`.execute(
      server.context.db,
    );
    const before = await dump(server);
    const answer = await send(ada, endpoint, wanted);
    assert.equal(answer.status, 500);
    assert.deepEqual(await dump(server), before);
  });
}

const QUERIES: Record<string, string> = {
  'GET /api/admin/lookup': '?q=nothing',
  'GET /api/admin/reviewed-files': `?transferId=${'0'.repeat(26)}`,
  'GET /api/admin/mails/recipient': '?email=nobody@example.com',
};

async function open(t: TestContext, endpoint: Endpoint) {
  const server = await startTestServer(t);
  const ada = await server.signIn('ada');
  const wanted: Wanted = (await ADMIN_CALLS[nameOf(endpoint)]?.({ server, ada })) ?? {};
  return { server, ada, wanted };
}

function send(client: Client, endpoint: Endpoint, wanted: Wanted): Promise<Response> {
  const { method, path, body } = endpoint;
  const address =
    path.replace(/:(\w+)/g, (_place, name: string) => wanted.params?.[name] ?? '') +
    (QUERIES[nameOf(endpoint)] ?? '');
  if (wanted.form) return client.fetch(address, { method, body: toForm(wanted.form) });
  if (body === undefined) return client.fetch(address, { method });
  const type = body === 'stream' ? 'application/octet-stream' : 'application/json';
  const headers = { 'content-type': type };
  return client.fetch(address, { method, headers, body: JSON.stringify(wanted.body ?? {}) });
}

function toForm(fields: Record<string, string>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  return form;
}

function listActs({ context }: TestServer) {
  return context.db.selectFrom('auditLog').selectAll().execute();
}

const VOLATILE_TABLES = new Set(['sessions', 'rateCounters']);

async function dump({ context: { db } }: TestServer): Promise<Record<string, unknown[]>> {
  const tables = (await db.introspection.getTables()).map(({ name }) => name);
  const rows: Record<string, unknown[]> = {};
  for (const table of tables.filter((name) => !VOLATILE_TABLES.has(name))) {
    const { rows: all } = await sql`select * from ${sql.table(table)}`.execute(db);
    rows[table] = all.map((row) => JSON.stringify(row)).sort();
  }
  return rows;
}

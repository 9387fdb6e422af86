import assert from 'node:assert/strict';
import test from 'node:test';
import { deleteApiKey } from '../../../contracts/accounts/api-keys.ts';
import { allEndpoints } from '../../../contracts/all-endpoints.ts';
import { type Endpoint, type KeyScope, keyScopeOf } from '../../../contracts/endpoint.ts';
import type { ErrorCode, Problem } from '../../../contracts/errors.ts';
import { createApiKey, type TestKey } from '../../../testing/calls/api-keys.ts';
import { startTestServer, type TestServer } from '../../../testing/test-context.ts';
import type { UserRow } from '../../platform/db/schema.ts';

const UNKNOWN_ID = '0'.repeat(26);
const SCOPES: Record<string, KeyScope[]> = { reading: ['read'], writing: ['write'], both: ['read', 'write'] };

/** Public calls do not check the caller, so they ignore keys. */
const guarded = allEndpoints.filter(({ access }) => access !== 'public');

test('keys may make the calls that sending needs and no calls of account management', () => {
  const callsWithScope = (scope: string) =>
    guarded
      .filter((endpoint) => keyScopeOf(endpoint) === scope)
      .map(({ method, path }) => `${method} ${path}`);
  const closed = /^\/api\/(admin|api-keys|ads|.*subscription|invoices|coupons|user\/(profile|sessions))\b/;
  for (const call of [...callsWithScope('read'), ...callsWithScope('write')])
    assert.doesNotMatch(call.split(' ')[1]!, closed);
  assert.ok(callsWithScope('read').every((call) => call.startsWith('GET ')));
  for (const call of ['GET /api/user', 'GET /api/transfers'])
    assert.ok(callsWithScope('read').includes(call), call);
  for (const call of ['POST /api/upload/init', 'DELETE /api/transfers/:id'])
    assert.ok(callsWithScope('write').includes(call), call);
});

for (const [name, scopes] of Object.entries(SCOPES))
  test(`a key for ${name} may make the calls of its scopes and no others`, async (t) => {
    const server = await startTestServer(t);
    const key = await createApiKey(server.context, server.userId('prem'), scopes);
    for (const endpoint of guarded) {
      const refusal = await refusalOf(server, endpoint, key);
      const wanted = keyScopeOf(endpoint);
      if (wanted === 'none') assertRefused(refusal, [403, 'api_key_not_taken'], endpoint);
      else if (!scopes.includes(wanted)) assertRefused(refusal, [403, 'api_key_scope'], endpoint);
      else assertLetIn(refusal, endpoint);
    }
  });

type Dead = [name: string, refusal: [number, ErrorCode], make: (own: TestServer) => Promise<TestKey>];

const DEAD: Dead[] = [
  ['that has expired', [401, 'api_key_expired'], (own) => makeKey(own, { expiresAt: own.clock.now() })],
  ['that is turned off', [401, 'api_key_inactive'], (own) => makeKey(own, { isActive: 0 })],
  ['that was deleted', [401, 'api_key_unknown'], makeDeletedKey],
  ['of a deleted account', [401, 'api_key_unknown'], (own) => makeKeyOf(own, { deletedAt: 1 })],
  ['of a free user', [402, 'tier_required'], (own) => makeKeyOf(own, { tier: 'free' })],
  ['of an unproved address', [403, 'email_not_verified'], (own) => makeKeyOf(own, { emailVerified: 0 })],
  ['nobody made', [401, 'api_key_unknown'], async () => keyOf(`swk_${UNKNOWN_ID}`)],
  ['of another shape', [401, 'api_key_unknown'], async () => keyOf('sk_live_1')],
  ['with a blank in it', [401, 'api_key_malformed'], async () => keyOf('swk_ x')],
];

for (const [name, refusal, make] of DEAD)
  test(`a key ${name} is refused by every call, even with an administrator’s session cookie`, async (t) => {
    const server = await startTestServer(t);
    const key = await make(server);
    for (const endpoint of guarded) assertRefused(await refusalOf(server, endpoint, key), refusal, endpoint);
  });

type Refusal = [status: number, code: string];

function assertRefused(found: Refusal | undefined, [status, code]: Refusal, endpoint: Endpoint): void {
  // Responses to HEAD have no body, so only the status is compared.
  assert.deepEqual(found, [status, endpoint.method === 'HEAD' ? '' : code], nameOf(endpoint));
}

function assertLetIn(refusal: Refusal | undefined, endpoint: Endpoint): void {
  const [status, code = ''] = refusal ?? [];
  assert.ok(
    status !== 401 && status !== 500 && !code.startsWith('api_key_'),
    `${nameOf(endpoint)} ${refusal}`,
  );
}

/** Sends an administrator's session cookie with the key, which must grant nothing. */
async function refusalOf(
  server: TestServer,
  endpoint: Endpoint,
  { headers }: Pick<TestKey, 'headers'>,
): Promise<Refusal | undefined> {
  const { method, body } = endpoint;
  const type = body === 'stream' ? 'application/octet-stream' : 'application/json';
  const admin = await signedInAsAdmin(server);
  const answer = await admin.fetch(pathOf(endpoint), {
    method,
    headers: { ...headers, ...(body !== undefined && { 'content-type': type }) },
    ...(body !== undefined && { body: body === 'stream' ? 'x' : '{}' }),
  });
  const text = await answer.text();
  assert.deepEqual(answer.headers.getSetCookie(), [], nameOf(endpoint));
  if (answer.ok) return undefined;
  const problemType = 'application/problem+json; charset=utf-8';
  assert.equal(answer.headers.get('content-type'), problemType, nameOf(endpoint));
  const challenge = answer.headers.get('www-authenticate');
  assert.equal(
    challenge !== null,
    answer.status === 401 || challenge?.includes('insufficient_scope') === true,
  );
  return [answer.status, text && (JSON.parse(text) as Problem).code];
}

const admins = new WeakMap<TestServer, Awaited<ReturnType<TestServer['signIn']>>>();

async function signedInAsAdmin(server: TestServer) {
  const admin = admins.get(server) ?? (await server.signIn('ada'));
  admins.set(server, admin);
  return admin;
}

function makeKey({ context, userId }: TestServer, columns: Parameters<typeof createApiKey>[3] = {}) {
  return createApiKey(context, userId('prem'), ['read', 'write'], columns);
}

async function makeKeyOf(own: TestServer, owner: Partial<UserRow>): Promise<TestKey> {
  await own.context.db.updateTable('users').set(owner).where('id', '=', own.userId('prem')).execute();
  return makeKey(own);
}

async function makeDeletedKey(own: TestServer): Promise<TestKey> {
  const key = await makeKey(own);
  const prem = await own.signIn('prem');
  await prem.call(deleteApiKey, { params: { id: key.id } });
  return key;
}

function keyOf(key: string): TestKey {
  return { id: '', key, headers: { authorization: `Bearer ${key}` } };
}

function pathOf({ path }: Endpoint): string {
  return path.replace(/:(\w+)/g, (_place, name: string) => (name === 'index' ? '0' : UNKNOWN_ID));
}

function nameOf({ method, path }: Endpoint): string {
  return `${method} ${path}`;
}

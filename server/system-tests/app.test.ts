import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import test from 'node:test';
import { login, logout } from '../../contracts/accounts/accounts.ts';
import { STEP_UP_MINUTES } from '../../contracts/accounts/sign-in/sign-in.ts';
import { allEndpoints } from '../../contracts/all-endpoints.ts';
import { type Access, type Endpoint, isForAdmins, needsStepUp } from '../../contracts/endpoint.ts';
import { plainSharePath } from '../../contracts/values/addresses/links.ts';
import { MINUTE_MS } from '../../contracts/values/durations.ts';
import { CAST, PASSWORD } from '../../testing/cast.ts';
import { createReadyTransfer } from '../../testing/factories.ts';
import { startTestServer, type TestServer } from '../../testing/test-context.ts';
import { SECRETS } from '../environment/env-file.ts';
import { Environment } from '../environment/variables.ts';

const UNKNOWN_ID = '0'.repeat(26);

test('every call of the contracts is listed once', () => {
  const names = allEndpoints.map(({ method, path }) => `${method} ${path}`);
  assert.deepEqual(names, [...new Set(names)]);
  assert.ok(names.length >= 26);
});

test('every call is mounted and refuses callers without access', async (t) => {
  const server = await startTestServer(t);
  await makeUnverified(server, 'frida');
  const callers = {
    anonymous: server.anonymous(),
    unverified: await signInAs(server, 'frida'),
    free: await server.signIn('paula'),
  };
  // Logging out comes last: it ends the callers' sessions.
  for (const endpoint of [...allEndpoints.filter((each) => each !== logout), logout]) {
    for (const [caller, client] of Object.entries(callers)) {
      const answer = await client.fetch(pathOf(endpoint), requestOf(endpoint));
      const body = await answer.text();
      const label = `${endpoint.method} ${endpoint.path} as ${caller}: ${answer.status} ${body}`;
      assert.ok(answer.status !== 500 && !body.includes('    at '), label);
      assert.notEqual(body, 'We couldn’t find what you were looking for.', label);
      const expected = refusalFor(endpoint, caller);
      if (expected) assert.equal(answer.status, expected, label);
      else assert.ok(![401, 403].includes(answer.status) || endpoint.access === 'public', label);
    }
  }
});

test('exactly the calls that need a recent sign-in refuse an older one, and one without the second factor', async (t) => {
  const server = await startTestServer(t);
  const { db } = server.context;
  const [stale, weak] = [await server.signIn('ada'), await server.signIn('prem')];
  const of = (name: 'ada' | 'prem') => server.userId(name);
  const authenticatedAt = server.clock.now() - STEP_UP_MINUTES * MINUTE_MS;
  await db.updateTable('sessions').set({ authenticatedAt }).where('userId', '=', of('ada')).execute();
  await db
    .updateTable('users')
    .set({ hasSecondFactor: 1, isAdmin: 1 })
    .where('id', '=', of('prem'))
    .execute();
  for (const endpoint of allEndpoints.filter((each) => each !== logout)) {
    for (const client of [stale, weak]) {
      const { headers, ...rest } = requestOf(endpoint);
      const answer = await client.fetch(pathOf(endpoint), {
        ...rest,
        headers: { ...headers, accept: 'application/problem+json' },
      });
      const isRefused = answer.status === 403 && (await answer.text()).includes('"step_up_required"');
      const name = `${endpoint.method} ${endpoint.path}`;
      // Asks for the password, too, so it needs a recent sign-in only of accounts with a second factor.
      const isDeletion = name === 'DELETE /api/user' && client === weak;
      assert.equal(isRefused, needsStepUp(endpoint.access) || isDeletion, name);
    }
  }
});

test('HEAD answers like GET for routes without a contract', async (t) => {
  const server = await startTestServer(t);
  const { token } = await createReadyTransfer(server.context, {
    userId: server.userId('paula'),
    files: [{ path: 'a.txt', bytes: 'a' }],
  });
  for (const path of [
    '/metrics',
    '/docs/api',
    plainSharePath(token),
    plainSharePath(UNKNOWN_ID),
    '/api/nothing',
  ]) {
    const [head, get] = [
      await server.anonymous().fetch(path, { method: 'HEAD' }),
      await server.anonymous().fetch(path),
    ];
    assert.equal(head.status, get.status, path);
    assert.equal(head.headers.get('content-type'), get.headers.get('content-type'), path);
    assert.equal(await head.text(), '');
    await get.text();
  }
});

test('an unknown call answers 404 with a sentence, or with problem details if JSON is accepted', async (t) => {
  const client = (await startTestServer(t)).anonymous();
  const plain = await client.fetch('/api/nothing');
  assert.equal(plain.status, 404);
  assert.equal(await plain.text(), 'We couldn’t find what you were looking for.');
  const problem = await client.fetch('/api/nothing', { headers: { accept: 'application/json' } });
  assert.equal(problem.headers.get('content-type'), 'application/problem+json; charset=utf-8');
  assert.equal(problem.headers.get('cache-control'), 'no-store');
  assert.deepEqual(await problem.json(), {
    type: 'urn:sendwell:error:not_found',
    title: 'We couldn’t find what you were looking for.',
    status: 404,
    detail: 'We couldn’t find what you were looking for.',
    code: 'not_found',
  });
});

test('.env.example lists exactly the settings that the server reads', () => {
  const listed = readFileSync(join(import.meta.dirname, '../../.env.example'), 'utf8').matchAll(
    /^([A-Z0-9_]+)=/gm,
  );
  const names = [...listed].map(([, name]) => name!);
  assert.deepEqual(names.sort(), Object.keys(Environment.shape).sort());
  assert.deepEqual(
    SECRETS.filter((name) => !names.includes(name)),
    [],
  );
});

test('pages are served with a content security policy, unknown paths with 404', async (t) => {
  if (!existsSync(join(import.meta.dirname, '../../dist/web/index.html')))
    return t.skip('the pages are not built');
  const client = (await startTestServer(t)).anonymous();
  const page = await client.fetch(`/download/${UNKNOWN_ID}`);
  assert.equal(page.status, 200);
  assert.match(page.headers.get('content-security-policy')!, /default-src 'self'.*frame-ancestors 'none'/);
  assert.equal((await client.fetch('/nowhere')).status, 404);
  assert.equal((await client.fetch('/missing.js')).status, 404);
});

function pathOf({ path }: Endpoint): string {
  return path.replace(/:(\w+)/g, (_place, name: string) =>
    name === 'index' ? '0' : name === 'page' ? '1' : UNKNOWN_ID,
  );
}

function requestOf({ method, body }: Endpoint): RequestInit {
  if (body === undefined) return { method };
  const type = body === 'stream' ? 'application/octet-stream' : 'application/json';
  return { method, body: body === 'stream' ? 'x' : '{}', headers: { 'content-type': type } };
}

/** For 'uploader' as far as accounts go; the tests of visits check what visitors may do. */
const NEEDS_VERIFIED: Access[] = ['signed-in', 'step-up', 'uploader', 'admin', 'admin-step-up'];

/** The status of the refusal, or undefined if this caller has access. */
function refusalFor({ access }: Endpoint, caller: string): number | undefined {
  if (access === 'public') return undefined;
  if (caller === 'anonymous') return 401;
  if (caller === 'unverified') return NEEDS_VERIFIED.includes(access) ? 403 : undefined;
  return isForAdmins(access) ? 403 : undefined;
}

async function makeUnverified({ context, userId }: TestServer, name: 'frida'): Promise<void> {
  await context.db.updateTable('users').set({ emailVerified: 0 }).where('id', '=', userId(name)).execute();
}

async function signInAs(server: TestServer, name: 'frida') {
  const client = server.anonymous();
  await client.call(login, { body: { username: CAST[name].username, password: PASSWORD } });
  return client;
}

test('links in mails begin with PUBLIC_URL, regardless of Host and X-Forwarded-Host', async (t) => {
  const server = await startTestServer(t, { PUBLIC_URL: 'https://files.example.org' });
  const body = JSON.stringify({ email: CAST.frida.email });
  const headers = {
    host: 'evil.example',
    'x-forwarded-host': 'evil.example',
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  };
  const status = await new Promise((resolve, reject) => {
    const url = `${server.url}/api/password-reset/request`;
    const outgoing = request(url, { method: 'POST', headers }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    });
    outgoing.on('error', reject).end(body);
  });
  assert.equal(status, 202);
  await server.drainJobs();
  const [mail] = await server.mails();
  assert.match(mail!.text, /https:\/\/files\.example\.org\/reset-password/);
  assert.doesNotMatch(mail!.text + mail!.html, /evil\.example/);
});

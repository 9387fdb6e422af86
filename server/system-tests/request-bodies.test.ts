import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allEndpoints } from '../../contracts/all-endpoints.ts';
import { JSON_BODY_LIMIT } from '../../contracts/endpoint.ts';
import type { Problem } from '../../contracts/errors.ts';
import { KIB, MIB } from '../../contracts/values/sizes.ts';
import type { Client } from '../../testing/calls/client.ts';
import { RawConnection, writeHead } from '../../testing/network/raw-connection.ts';
import { startTestServer } from '../../testing/test-context.ts';

const JSON_HEADERS = { 'content-type': 'application/json', accept: 'application/json' };

function portOf(url: string): number {
  return Number(new URL(url).port);
}

async function post(client: Client, path: string, body: string) {
  const response = await client.fetch(path, { method: 'POST', headers: JSON_HEADERS, body });
  return { status: response.status, problem: (await response.json()) as Problem };
}

test('a call that needs a sign-in refuses anonymous callers before the body arrives', async (t) => {
  const server = await startTestServer(t);
  for (const { method, path, access, body } of allEndpoints) {
    if (access === 'public' || body === undefined) continue;
    const connection = new RawConnection(portOf(server.url));
    const address = path.replace(/:\w+/g, '0'.repeat(26));
    const type = body === 'stream' ? 'application/octet-stream' : 'application/json';
    const head = writeHead(`${method} ${address}`, { 'content-type': type, 'content-length': MIB });
    await connection.write(head);
    assert.equal(await connection.readStatus(), 401, `${method} ${path}`);
    connection.vanish();
  }
});

test('an administrator call refuses other signed-in callers before the body arrives', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  const connection = new RawConnection(portOf(server.url));
  const cookie = frida.jar.headerFor('/api/admin/users');
  await connection.write(
    writeHead('POST /api/admin/users', {
      cookie,
      'content-type': 'application/json',
      'content-length': KIB,
    }),
  );
  assert.equal(await connection.readStatus(), 403);
  connection.vanish();
});

test('a JSON body may have 64 KiB, or 2 MiB where a call declares it', async (t) => {
  const server = await startTestServer(t);
  const prem = await server.signIn('prem');
  const invite = (bytes: number) => post(prem, '/api/upload-invitations', padTo(bytes, { title: 'x' }));
  assert.equal((await invite(JSON_BODY_LIMIT)).status, 201);
  const { status, problem } = await invite(JSON_BODY_LIMIT + 1);
  assert.equal(status, 413);
  assert.equal(problem.detail, 'The request body is too large. This call accepts at most 64 KB.');
  const files = [{ fileName: 'x', fileSize: 0, totalChunks: 0 }];
  const announce = (bytes: number) => post(prem, '/api/upload/init-many', padTo(bytes, { files }));
  assert.equal((await announce(2 * MIB)).status, 200);
  assert.equal((await announce(2 * MIB + 1)).status, 413);
});

test('a body without a length is cut off at the limit', async (t) => {
  const server = await startTestServer(t);
  const prem = await server.signIn('prem');
  const connection = new RawConnection(portOf(server.url));
  const path = '/api/upload-invitations';
  const cookie = prem.jar.headerFor(path);
  const headers = { cookie, 'content-type': 'application/json', 'transfer-encoding': 'chunked' };
  await connection.write(writeHead(`POST ${path}`, headers));
  const size = JSON_BODY_LIMIT + 1;
  await connection.write(`${size.toString(16)}\r\n${' '.repeat(size)}\r\n`);
  assert.equal(await connection.readStatus(), 413);
  connection.vanish();
});

test('JSON that is nested too deeply is refused before it is parsed', async (t) => {
  const server = await startTestServer(t);
  const prem = await server.signIn('prem');
  for (const [opening, closing] of [
    ['[', ']'],
    ['{"a":', '}'],
  ] as const) {
    for (const depth of [33, 10_000]) {
      const body = `{"title":${opening.repeat(depth)}1${closing.repeat(depth)}}`;
      const { status, problem } = await post(prem, '/api/upload-invitations', body);
      assert.deepEqual([status, problem.code], [400, 'json_too_deep']);
    }
    const unclosed = await post(prem, '/api/upload-invitations', opening.repeat(10_000));
    assert.deepEqual([unclosed.status, unclosed.problem.code], [400, 'json_too_deep']);
  }
  const title = '[{'.repeat(60) + '\\"[['.repeat(10);
  const brackets = await post(prem, '/api/upload-invitations', JSON.stringify({ title }));
  assert.equal(brackets.status, 201);
});

function padTo(bytes: number, body: object): string {
  return JSON.stringify(body).padEnd(bytes, ' ');
}

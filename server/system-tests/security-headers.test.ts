import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { login } from '../../contracts/accounts/accounts.ts';
import { getInvitationDetails } from '../../contracts/transfers/uploads/invitations.ts';
import { listUploads } from '../../contracts/transfers/uploads/uploads.ts';
import {
  fileDownloadPath,
  plainSharePath,
  unlockPath,
  zipDownloadPath,
} from '../../contracts/values/addresses/links.ts';
import { CAST, PASSWORD } from '../../testing/cast.ts';
import { createReadyTransfer } from '../../testing/factories.ts';
import { RawConnection } from '../../testing/network/raw-connection.ts';
import { startTestServer } from '../../testing/test-context.ts';
import { startInvitation, VERA, visitInvitation } from '../../testing/visitors/visit.ts';

const PUBLIC_URL = 'https://files.example.org';
const arePagesBuilt = existsSync(join(import.meta.dirname, '../../dist/web/index.html'));

test('every response has a content security policy and a permissions policy', async (t) => {
  const server = await startTestServer(t);
  const client = server.anonymous();
  const { token, files } = await createReadyTransfer(server.context, {
    userId: server.userId('paula'),
    files: [{ path: 'a.txt', bytes: 'hello' }],
    password: 'open sesame',
  });
  const download = fileDownloadPath(token, files[0]!.id);
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  const json = { 'content-type': 'application/json' };
  const requests: [path: string, status: number, init?: RequestInit][] = [
    ['/healthz', 200],
    ['/api/tier-config', 200],
    ['/api/user', 401],
    ['/api/nothing', 404],
    ['/missing.js', 404],
    ['/%', 400],
    ['/api/login', 400, { method: 'POST', headers: json, body: '{' }],
    [plainSharePath(token), 200],
    [download, 423],
    [unlockPath(token), 303, { method: 'POST', headers: form, body: 'password=open+sesame' }],
    [download, 200],
    [zipDownloadPath(token), 200],
    [zipDownloadPath(token), 200, { method: 'HEAD' }],
    ...(arePagesBuilt
      ? ([
          ['/', 200],
          ['/dashboard', 200],
          ['/nowhere', 404],
          ['/theme.js', 200],
        ] as [string, number][])
      : []),
  ];
  for (const [path, status, init] of requests) {
    const response = await client.fetch(path, init);
    await response.arrayBuffer();
    const where = `${init?.method ?? 'GET'} ${path}`;
    assert.equal(response.status, status, where);
    const policy = response.headers.get('content-security-policy') ?? '';
    assert.match(policy, /default-src '(?:none|self)'|^sandbox/, where);
    assert.match(response.headers.get('permissions-policy') ?? '', /camera=\(\)/, where);
    assert.equal(response.headers.get('x-content-type-options'), 'nosniff', where);
    assert.equal(response.headers.get('strict-transport-security'), null, where);
  }
});

test('a 304 has the file’s own policy, which replaces that of the browser’s cached copy', async (t) => {
  const server = await startTestServer(t);
  const client = server.anonymous();
  const { token, files } = await createReadyTransfer(server.context, {
    userId: server.userId('paula'),
    files: [{ path: 'a.txt', bytes: 'hello' }],
  });
  const path = fileDownloadPath(token, files[0]!.id);
  const first = await client.fetch(path);
  await first.arrayBuffer();
  const headers = { 'if-none-match': first.headers.get('etag')!, 'cache-control': 'max-age=0' };
  const known = await client.fetch(path, { headers });
  assert.equal(known.status, 304);
  assert.equal(known.headers.get('content-security-policy'), first.headers.get('content-security-policy'));
});

test('input that is not HTTP gets the same headers, and the connection is closed', async (t) => {
  const server = await startTestServer(t, { PUBLIC_URL });
  const connection = new RawConnection(Number(new URL(server.url).port));
  await connection.write('NOT HTTP\r\n\r\n');
  assert.equal(await connection.readStatus(), 400);
  await connection.closed;
  assert.match(connection.received, /content-security-policy: default-src 'none'/);
  assert.match(connection.received, /strict-transport-security: max-age=31536000\r\n/);
});

test('HSTS covers subdomains only with HSTS_SUBDOMAINS=on', async (t) => {
  const plain = (await startTestServer(t, { PUBLIC_URL })).anonymous();
  const wide = (await startTestServer(t, { PUBLIC_URL, HSTS_SUBDOMAINS: 'on' })).anonymous();
  const headerOf = async (client: typeof plain) =>
    (await client.fetch('/healthz')).headers.get('strict-transport-security');
  assert.equal(await headerOf(plain), 'max-age=31536000');
  assert.equal(await headerOf(wide), 'max-age=31536000; includeSubDomains');
});

test('on https every cookie is Secure and has a protected name prefix', async (t) => {
  const server = await startTestServer(t, { PUBLIC_URL });
  const seen: string[] = [];
  const { token, files } = await createReadyTransfer(server.context, {
    userId: server.userId('paula'),
    files: [{ path: 'a.txt', bytes: 'hello' }],
    password: 'open sesame',
  });
  const guest = server.anonymous();
  const headers = { 'content-type': 'application/json' };
  const post = (path: string, body: object) =>
    guest.fetch(path, { method: 'POST', headers, body: JSON.stringify(body) });
  const newcomer = { username: 'nora', email: 'nora@example.org', name: 'Nora', password: PASSWORD };
  for (const response of [
    await post('/api/register', newcomer),
    await post('/api/login', { username: CAST.paula.username, password: PASSWORD }),
    await post(`/api/download/${token}/verify`, { password: 'open sesame' }),
    await guest.fetch(fileDownloadPath(token, files[0]!.id)),
  ])
    seen.push(...response.headers.getSetCookie().filter((cookie) => !/max-age=0;/i.test(cookie)));
  assert.deepEqual(seen.map((cookie) => cookie.split('=', 1)[0]).sort(), [
    '__Host-sendwell_browser',
    '__Host-sendwell_pending',
    '__Host-sendwell_session',
    '__Secure-download-grant',
    '__Secure-download-grant',
    '__Secure-download-ticket',
  ]);
  for (const cookie of seen) assert.match(cookie, /; Secure/);
});

test('cookies set by an earlier release under their plain names are still accepted', async (t) => {
  const server = await startTestServer(t, { PUBLIC_URL });
  const { token, files } = await createReadyTransfer(server.context, {
    userId: server.userId('paula'),
    files: [{ path: 'a.txt', bytes: 'hello' }],
    password: 'open sesame',
    maxDownloads: 1,
  });
  const invitation = await startInvitation(await server.signIn('prem'));
  const visitor = await visitInvitation(server, invitation.token);
  await visitor.call(login, { body: { username: CAST.paula.username, password: PASSWORD } });
  await visitor.fetch(`/api/download/${token}/verify`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ password: 'open sesame' }),
  });
  const path = fileDownloadPath(token, files[0]!.id);
  assert.equal(await (await visitor.fetch(path)).text(), 'hello');

  const cookies = visitor.jar.list();
  visitor.jar.clear();
  for (const cookie of cookies) visitor.jar.add({ ...cookie, name: cookie.name.replace('__Secure-', '') });
  const resumed = await visitor.fetch(path, { headers: { range: 'bytes=1-' } });
  assert.deepEqual([resumed.status, await resumed.text()], [206, 'ello']);
  const params = { token: invitation.token };
  assert.equal((await visitor.call(getInvitationDetails, { params })).visitor?.email, VERA);
  assert.deepEqual(await visitor.call(listUploads, { query: { invitationToken: invitation.token } }), []);
});

test('pages contain the public address unless it is a loopback address', {
  skip: !arePagesBuilt,
}, async (t) => {
  const publicUrl = 'https://files.example.org';
  const remote = (await startTestServer(t, { PUBLIC_URL: publicUrl })).anonymous();
  for (const path of ['/dashboard', `/download/${'0'.repeat(26)}`]) {
    const page = await (await remote.fetch(path)).text();
    assert.ok(page.includes(`<meta name="public-url" content="${publicUrl}">`), path);
  }
  const local = (await startTestServer(t)).anonymous();
  assert.doesNotMatch(await (await local.fetch('/dashboard')).text(), /public-url/);
});

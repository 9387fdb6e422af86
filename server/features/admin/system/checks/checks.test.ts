import assert from 'node:assert/strict';
import { unlink } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import {
  type RequestSeen,
  runSystemChecks,
  type SystemCheck,
  seeRequest,
  swallowBody,
} from '../../../../../contracts/admin/system.ts';
import { HOUR_MS } from '../../../../../contracts/values/durations.ts';
import { MIB } from '../../../../../contracts/values/sizes.ts';
import type { Client } from '../../../../../testing/calls/client.ts';
import { startSmtpServer } from '../../../../../testing/network/smtp-server.ts';
import { filesAreOnDisk } from '../../../../../testing/storage/test-storage.ts';
import { startTestServer } from '../../../../../testing/test-context.ts';
import { Sandbox } from '../../../../platform/images/sandbox.ts';
import { toIso } from '../../../../platform/lib/clock.ts';
import { MARKER_NAME } from '../../../../platform/storage/installation/installation-marker.ts';
import { checkPasskeys } from './service-checks.ts';

/** An address where nothing listens, so that no test connects to another process on this machine. */
const NOWHERE = 'http://127.0.0.1:9';

async function check(ada: Client): Promise<Record<string, SystemCheck>> {
  const checks = await ada.call(runSystemChecks, { body: {} });
  return Object.fromEntries(checks.map((each) => [each.name, each]));
}

async function startWithAda(t: TestContext, env: Record<string, string> = {}) {
  const server = await startTestServer(t, { PUBLIC_URL: NOWHERE, ...env });
  return { server, ada: await server.signIn('ada') };
}

test('working parts report success, and missing parts say which setting to set', async (t) => {
  const { server, ada } = await startWithAda(t);
  const found = await check(ada);
  for (const name of ['database', 'installation', 'storage', 'storage-multipart']) {
    assert.deepEqual([found[name]!.state, found[name]!.fix], ['ok', null], name);
  }
  assert.match(found.database!.found, /^(SQLite 3\.|PostgreSQL \d)/);
  assert.match(found['storage-multipart']!.found, /^12 MB in 3 parts/);
  assert.match(found.disk!.found, filesAreOnDisk ? / of .* are free\./ : /does not say how much room/);
  assert.deepEqual([found.smtp!.state, found.payments!.state], ['warning', 'warning']);
  assert.match(found.smtp!.fix!, /SMTP_URL/);
  assert.match(found.payments!.fix!, /STRIPE_SECRET_KEY/);
  const blobs = [];
  for await (const blob of server.context.blobs.list()) blobs.push(blob);
  assert.deepEqual(blobs, []);
  const settings = await server.context.db
    .selectFrom('settings')
    .select('key')
    .where('key', 'like', 'probe.%')
    .execute();
  assert.deepEqual(settings, []);
});

test('the sandbox check reports its strength and how to improve a weak one', async (t) => {
  const { server, ada } = await startWithAda(t);
  const { sandbox } = await server.context.images.findSandbox();
  const strong = (await check(ada)).sandbox!;
  if (sandbox!.hasNamespaces) assert.deepEqual([strong.state, strong.fix], ['ok', null]);
  assert.match(strong.found, /^(Strong|Good|Weak|Very weak): /);
  const rejected = [{ method: 'bubblewrap', reason: 'it does not start here' }] as const;
  const weakest = new Sandbox({ method: 'permissions', hiddenFolders: [], mountPoint: '' });
  t.mock.method(server.context.images, 'findSandbox', async () => ({ sandbox: weakest, rejected }));
  const weak = (await check(ada)).sandbox!;
  assert.equal(weak.state, 'warning');
  assert.match(weak.found, /^Very weak: .*\(bubblewrap: it does not start here\)\.$/);
  assert.match(weak.fix!, /Install bubblewrap/);
  t.mock.method(server.context.images, 'findSandbox', async () => ({ sandbox: undefined, rejected }));
  const none = (await check(ada)).sandbox!;
  assert.equal(none.state, 'failed');
  assert.match(none.found, /no pictures of files are made/);
});

test('a storage without its marker is reported with how to fix it', { skip: !filesAreOnDisk }, async (t) => {
  const { server, ada } = await startWithAda(t);
  // The server reads the marker at its start; this call awaits a read that is still in progress.
  assert.equal((await ada.fetch('/readyz')).status, 200);
  await unlink(join(server.context.config.dataDir, 'blobs', MARKER_NAME));
  const { installation, storage } = await check(ada);
  assert.deepEqual([installation!.state, storage!.state], ['failed', 'failed']);
  assert.match(installation!.fix!, /mounted.*adopt-storage/);
  assert.match(storage!.found, /marker/);
});

test('the mail server check sends no mail and says how to fix a server that is down', async (t) => {
  const smtp = await startSmtpServer();
  const { ada } = await startWithAda(t, { SMTP_URL: smtp.url });
  const { smtp: well } = await check(ada);
  assert.deepEqual([well!.state, well!.fix], ['ok', null]);
  await smtp.stop();
  const { smtp: down } = await check(ada);
  assert.equal(down!.state, 'failed');
  assert.match(down!.fix!, /^Nothing listens at 127\.0\.0\.1:\d+: correct host and port in SMTP_URL/);
  assert.deepEqual(smtp.mails, []);
});

test('a mail server without encryption is reported, and unencrypted sending by configuration is a warning', async (t) => {
  const smtp = await startSmtpServer();
  t.after(() => smtp.stop());
  // Not a loopback address by name, but it reaches this machine.
  const elsewhere = smtp.url.replace('127.0.0.1', '0.0.0.0');
  const { smtp: refused } = await check((await startWithAda(t, { SMTP_URL: elsewhere })).ada);
  assert.equal(refused!.state, 'failed');
  assert.match(refused!.found, /does not offer encryption \(STARTTLS\)/);
  assert.match(refused!.fix!, /smtps:\/\/.*SMTP_REQUIRE_TLS=off/);
  const env = { SMTP_URL: elsewhere, SMTP_REQUIRE_TLS: 'off' };
  const { smtp: allowed } = await check((await startWithAda(t, env)).ada);
  assert.equal(allowed!.state, 'warning');
  assert.match(allowed!.found, /may travel unencrypted/);
});

test('the password of the mail server is never shown', async (t) => {
  const { ada } = await startWithAda(t, { SMTP_URL: 'smtp://user:HIDDEN@127.0.0.1:9' });
  assert.doesNotMatch(JSON.stringify(await check(ada)), /HIDDEN/);
});

test('a wrong clock is detected by comparison with the public address', async (t) => {
  const other = createServer((_request, answer) => {
    answer.setHeader('date', new Date(Date.UTC(2026, 10, 15, 12)).toUTCString()).end('{}');
  });
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  t.after(() => other.close());
  const publicUrl = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
  const { server, ada } = await startWithAda(t, { PUBLIC_URL: publicUrl });
  if (!server.context.config.databaseUrl) {
    assert.deepEqual((await check(ada)).clock!.state, 'ok');
  }
  server.clock.advance(3 * HOUR_MS);
  const { clock } = await check(await server.signIn('ada'));
  assert.equal(clock!.state, 'failed');
  assert.match(clock!.found, /This machine is [\d,]+ seconds (ahead of|behind) /);
  assert.match(clock!.fix!, /NTP/);
});

test('a storage that cannot be written is reported with the failed step, and the other checks still run', async (t) => {
  const { server, ada } = await startWithAda(t);
  t.mock.method(server.context.blobs, 'prepare', async () => {
    throw Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' });
  });
  const found = await check(ada);
  assert.equal(found.storage!.state, 'failed');
  assert.equal(found.storage!.found, 'put: EACCES: permission denied');
  assert.match(
    found.storage!.fix!,
    filesAreOnDisk ? /Let the server's user read and write / : /Check S3_ENDPOINT, S3_REGION, S3_BUCKET/,
  );
  assert.equal(found.database!.state, 'ok');
});

test('a storage that returns other bytes than were written is detected', async (t) => {
  const { server, ada } = await startWithAda(t);
  const { blobs } = server.context;
  const openRange = blobs.openRange.bind(blobs);
  t.mock.method(blobs, 'openRange', async (...place: Parameters<typeof openRange>) => {
    const range = await openRange(...place);
    const fill = async (views: Buffer[]) => {
      await range.fill(views);
      views[0]![0]! ^= 1;
    };
    return { fill, close: () => range.close() };
  });
  const { storage } = await check(ada);
  assert.deepEqual(
    [storage!.state, storage!.found],
    ['failed', 'get: The store returned other bytes than were put into it.'],
  );
});

test('little free disk space is a warning and almost none a failure', async (t) => {
  const { server, ada } = await startWithAda(t);
  const GB = 1024 * MIB;
  const cases = [
    [{ freeBytes: 50 * GB, totalBytes: 100 * GB }, 'ok'],
    [{ freeBytes: 5 * GB, totalBytes: 100 * GB }, 'warning'],
    [{ freeBytes: 1 * GB, totalBytes: 100 * GB }, 'failed'],
  ] as const;
  for (const [space, state] of cases) {
    t.mock.method(server.context.blobs, 'freeSpace', async () => space);
    assert.equal((await check(ada)).disk!.state, state);
  }
});

test('a request is described as it arrives, and forwarded headers are shown but not trusted by default', async (t) => {
  const { server, ada } = await startWithAda(t);
  const forwarded = {
    'x-forwarded-for': '203.0.113.9',
    'x-forwarded-proto': 'https',
    via: `1.1 ${'x'.repeat(900)}`,
  };
  const seen = await see(ada, forwarded);
  assert.equal(seen.forwarded.via!.length, 300);
  assert.deepEqual(
    { ...seen, forwarded: { ...seen.forwarded, via: '' } },
    {
      publicUrl: NOWHERE,
      protocol: 'http',
      host: new URL(server.url).host,
      ip: '127.0.0.1',
      trustsProxy: false,
      forwarded: { 'x-forwarded-for': '203.0.113.9', 'x-forwarded-proto': 'https', via: '' },
      serverTime: toIso(server.clock.now()),
    },
  );
});

test('forwarded headers from a trusted proxy are believed', async (t) => {
  const { ada } = await startWithAda(t, { TRUST_PROXY: '1' });
  const headers = { 'x-forwarded-for': '203.0.113.9', 'x-forwarded-proto': 'https' };
  const seen = await see(ada, headers);
  assert.deepEqual([seen.protocol, seen.ip, seen.trustsProxy], ['https', '203.0.113.9', true]);
});

test('bodies of 0 to 16 MiB are counted to the byte, with and without a declared length', async (t) => {
  const { ada } = await startWithAda(t);
  for (const bytes of [0, 1, MIB, 5 * MIB, 16 * MIB]) {
    assert.equal((await sendBody(ada, new Uint8Array(bytes))).bytes, bytes);
  }
  const pieces = Array.from({ length: 40 }, () => new Uint8Array(100_000));
  assert.equal((await sendBody(ada, ReadableStream.from(pieces))).bytes, 4_000_000);
});

test('a body of more than 64 MiB is refused with 413, with and without a declared length', async (t) => {
  const { ada } = await startWithAda(t);
  const pieces = Array.from({ length: 66 }, () => new Uint8Array(MIB));
  for (const body of [new Uint8Array(65 * MIB), ReadableStream.from(pieces)]) {
    const answer = await post(ada, body);
    assert.equal(answer.status, 413);
    assert.equal(await answer.text(), 'The request body is too large.');
  }
  assert.equal((await sendBody(ada, new Uint8Array(10))).bytes, 10);
});

async function see(ada: Client, headers: Record<string, string>): Promise<RequestSeen> {
  return (await (await ada.fetch(seeRequest.path, { headers })).json()) as RequestSeen;
}

type Body = Uint8Array<ArrayBuffer> | ReadableStream;

function post(ada: Client, body: Body): Promise<Response> {
  const headers = { 'content-type': 'application/octet-stream' };
  return ada.fetch(swallowBody.path, { method: 'POST', headers, body, duplex: 'half' });
}

async function sendBody(ada: Client, body: Body): Promise<{ bytes: number; milliseconds: number }> {
  const answer = await post(ada, body);
  assert.equal(answer.status, 200);
  return swallowBody.response.parse(await answer.json());
}

test('passkeys need https and a host name, except on localhost', async (t) => {
  const states = [
    ['https://files.example.org', 'ok'],
    ['http://localhost:3000', 'ok'],
    ['http://files.example.org', 'warning'],
    ['https://192.0.2.7', 'warning'],
    ['https://[2001:db8::7]', 'warning'],
  ] as const;
  for (const [publicUrl, state] of states)
    assert.equal((await checkPasskeys({ publicUrl }).run()).state, state, publicUrl);
  const { ada } = await startWithAda(t);
  const { passkeys } = await check(ada);
  assert.match(passkeys!.found, /has an IP address/);
  assert.match(passkeys!.fix!, /PUBLIC_URL/);
});

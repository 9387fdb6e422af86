import assert from 'node:assert/strict';
import { request } from 'node:http';
import { test } from 'node:test';
import { login } from '../../../contracts/accounts/accounts.ts';
import { fileDownloadPath, zipDownloadPath } from '../../../contracts/values/addresses/links.ts';
import { MIB } from '../../../contracts/values/sizes.ts';
import { CAST } from '../../../testing/cast.ts';
import { onlyInAll } from '../../../testing/lib/only-in-all.ts';
import { until } from '../../../testing/lib/until.ts';
import { startServerProcess } from '../../../testing/processes/server-process.ts';
import { startTestServer, type TestServer } from '../../../testing/test-context.ts';
import { requireWhole, sendTransfer } from '../../../testing/uploads/send-transfer.ts';
import { makeBytes } from '../../../testing/uploads/upload-files.ts';

type Line = { name: string; labels: Record<string, string>; value: number };

async function readMetrics(url: string, headers: Record<string, string> = {}): Promise<Line[]> {
  const response = await fetch(`${url}/metrics`, { headers });
  const text = await response.text();
  assert.equal(response.status, 200, text);
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name, labels = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
      const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key, text]) => [key, text]);
      return { name: name!, labels: Object.fromEntries(pairs), value: Number(value) };
    });
}

function sum(lines: Line[], name: string, labels: Record<string, string> = {}): number {
  return lines
    .filter((line) => line.name === name)
    .filter((line) => Object.entries(labels).every(([key, value]) => line.labels[key] === value))
    .reduce((total, { value }) => total + value, 0);
}

async function sendOne(server: TestServer) {
  const files = [
    { fileName: 'a.bin', bytes: makeBytes(3 * MIB, 'a') },
    { fileName: 'b.bin', bytes: makeBytes(1000, 'b') },
  ];
  return sendTransfer(await server.signIn('paula'), files);
}

test('the metrics report bytes by kind, requests by route and status, jobs, storage and the process', async (t) => {
  const server = await startTestServer(t);
  const sent = await sendOne(server);
  await requireWhole(server.anonymous(), sent);
  await (await server.anonymous().fetch(zipDownloadPath(sent.token))).arrayBuffer();
  await (await server.anonymous().fetch('/api/tier-config')).arrayBuffer();
  await readMetrics(server.url);
  await server.drainJobs();
  const lines = await readMetrics(server.url);
  for (const [name, kind, least] of [
    ['sendwell_bytes_in_total', 'chunk', 3 * MIB + 1000],
    ['sendwell_bytes_out_total', 'file', 3 * MIB + 1000],
    ['sendwell_bytes_out_total', 'zip', 3 * MIB + 1000],
  ] as const) {
    const bytes = sum(lines, name, { kind });
    assert.ok(bytes >= least && bytes < least + 16_384, `${name} ${kind}: ${bytes}`);
  }
  const chunks = { method: 'POST', route: '/api/upload/chunk/:uploadId/:index' };
  assert.equal(sum(lines, 'sendwell_http_requests_total', { ...chunks, status: '2xx' }), 2);
  assert.equal(sum(lines, 'sendwell_http_first_byte_seconds_count', chunks), 2);
  assert.equal(sum(lines, 'sendwell_http_request_seconds_count', chunks), 0, 'moving bytes takes its time');
  assert.equal(sum(lines, 'sendwell_http_request_seconds_count', { route: '/api/tier-config' }), 1);
  assert.ok(sum(lines, 'sendwell_job_seconds_count', { job: 'check-files', outcome: 'done' }) >= 1);
  assert.equal(sum(lines, 'sendwell_storage_bytes', { state: 'committed' }), 3 * MIB + 1000);
  for (const name of [
    'sendwell_jobs',
    'sendwell_mails',
    'sendwell_oldest_due_job_seconds',
    'process_resident_memory_bytes',
    'nodejs_eventloop_lag_seconds',
  ])
    assert.ok(
      lines.some((line) => line.name === name),
      name,
    );
});

test('the metrics contain no ID, token or requested path', async (t) => {
  const server = await startTestServer(t);
  const sent = await sendOne(server);
  const guest = server.anonymous();
  await guest.fetch(fileDownloadPath(sent.token, sent.fileIds[0]!), { method: 'HEAD' });
  for (let index = 0; index < 50; index += 1) {
    await guest.fetch(`/api/nothing/${sent.token}/${index}`);
    await guest.fetch(`/wp-login-${index}.php`, { method: 'POST' });
  }
  const response = await fetch(`${server.url}/metrics`);
  const text = await response.text();
  for (const secret of [
    sent.token,
    sent.id,
    ...sent.fileIds,
    server.userId('paula'),
    'wp-login',
    '127.0.0.1',
  ])
    assert.ok(!text.includes(secret), secret);
  assert.ok(text.split('\n').length < 1_500, `${text.split('\n').length} lines`);
});

test('refusals are counted by error code, including wrong passwords and rate limits', async (t) => {
  const server = await startTestServer(t);
  const guess = { body: { username: CAST.frida.username, password: 'not this one' } };
  for (let index = 0; index < 15; index += 1) await assert.rejects(server.anonymous().call(login, guess));
  const lines = await readMetrics(server.url);
  const wrong = sum(lines, 'sendwell_refusals_total', { code: 'wrong_credentials' });
  const limited = sum(lines, 'sendwell_refusals_total', { code: 'too_many_requests' });
  assert.ok(wrong > 0 && limited > 0);
  assert.equal(wrong + limited, 15);
});

test('without a token, requests through a proxy get no metrics', async (t) => {
  const server = await startTestServer(t, { TRUST_PROXY: '1' });
  assert.equal(await statusOf(server.url, {}), 200);
  assert.equal(await statusOf(server.url, { host: 'localhost:3000' }), 200);
  const proxied: Record<string, string>[] = [
    { 'x-forwarded-for': '203.0.113.7' },
    { 'x-forwarded-for': '127.0.0.1' },
    { 'x-forwarded-for': '' },
    { forwarded: 'for=127.0.0.1' },
    { 'x-real-ip': '127.0.0.1' },
    { via: '1.1 proxy' },
    { host: 'files.example.org' },
    { host: 'localhost.example.org' },
  ];
  for (const headers of proxied)
    assert.equal(await statusOf(server.url, headers), 404, JSON.stringify(headers));
});

test('with a token only requests that send it get the metrics, from any address', async (t) => {
  const token = 'a-token-of-some-length';
  const server = await startTestServer(t, { METRICS_TOKEN: token });
  assert.equal(await statusOf(server.url, {}), 401);
  for (const authorization of ['Bearer', 'Bearer ', `Bearer ${token}x`, `Basic ${token}`, token])
    assert.equal(await statusOf(server.url, { authorization }), 401, authorization);
  const headers = {
    authorization: `Bearer ${token}`,
    'x-forwarded-for': '203.0.113.7',
    host: 'files.example.org',
  };
  assert.equal(await statusOf(server.url, headers), 200);
});

test('bytes of uploads and downloads in progress are counted before they end', async (t) => {
  const server = await startTestServer(t);
  const sent = await sendTransfer(await server.signIn('paula'), [
    { fileName: 'big.bin', bytes: makeBytes(30 * MIB, 'big') },
  ]);
  const response = await server.anonymous().fetch(fileDownloadPath(sent.token, sent.fileIds[0]!));
  const reader = response.body!.getReader();
  await reader.read();
  const lines = await readMetrics(server.url);
  assert.equal(sum(lines, 'sendwell_running_requests', { kind: 'file' }), 1);
  const bytes = sum(lines, 'sendwell_bytes_out_total', { kind: 'file' });
  assert.ok(bytes > 60_000 && bytes < 30 * MIB, String(bytes));
  await reader.cancel();
});

test('with WORKERS each worker reports the metrics of all', { timeout: 120_000, ...onlyInAll }, async (t) => {
  const server = await startServerProcess(t, { WORKERS: '2' });
  // 503 until the second worker has started, too.
  await until(async () => (await statusOf(server.url, {})) === 200);
  // A new connection per request, so that both workers get some.
  const fetchPath = (path: string) => fetch(server.url + path, { headers: { connection: 'close' } });
  for (let index = 0; index < 20; index += 1) await (await fetchPath('/api/tier-config')).arrayBuffer();
  for (let round = 0; round < 6; round += 1) {
    const lines = await readMetrics(server.url, { connection: 'close' });
    assert.equal(sum(lines, 'sendwell_http_requests_total', { route: '/api/tier-config' }), 20);
    assert.ok(sum(lines, 'sendwell_disk_bytes', { state: 'total' }) > 0);
  }
});

/** Uses Node's own client because `fetch` does not send a custom Host header. */
function statusOf(url: string, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    const outgoing = request(`${url}/metrics`, { headers }, (response) => {
      response.resume();
      resolve(response.statusCode!);
    });
    outgoing.once('error', reject).end();
  });
}

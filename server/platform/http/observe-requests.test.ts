import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Problem } from '../../../contracts/errors.ts';
import { fileDownloadPath } from '../../../contracts/values/addresses/links.ts';
import { type ServerProcess, startServerProcess } from '../../../testing/processes/server-process.ts';
import { startTestServer } from '../../../testing/test-context.ts';
import { sendTransfer } from '../../../testing/uploads/send-transfer.ts';

const HEADER = 'x-request-id';

type LogLine = { level: string; msg: string; requestId?: string; route?: string; [name: string]: unknown };

async function waitForLine(server: ServerProcess, fits: (line: LogLine) => boolean): Promise<LogLine[]> {
  for (;;) {
    const lines = server.output
      .split('\n')
      .filter((line) => line.startsWith('{') && line.endsWith('}'))
      .map((line) => JSON.parse(line) as LogLine);
    if (lines.some(fits)) return lines;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function idFor(url: string, headers: Record<string, string>): Promise<string> {
  const response = await fetch(`${url}/healthz`, { headers });
  await response.arrayBuffer();
  return response.headers.get(HEADER)!;
}

test('every response has its own request id, including refusals, files and malformed URLs', async (t) => {
  const server = await startTestServer(t);
  const sent = await sendTransfer(await server.signIn('paula'), [
    { fileName: 'a.txt', bytes: Buffer.from('hello') },
  ]);
  const ids = new Set<string>();
  for (const path of [
    '/healthz',
    '/healthz',
    '/api/nothing',
    '/%',
    fileDownloadPath(sent.token, sent.fileIds[0]!),
  ]) {
    const response = await server.anonymous().fetch(path);
    await response.arrayBuffer();
    assert.match(response.headers.get(HEADER) ?? '', /^[0-9a-z]{26}$/, path);
    ids.add(response.headers.get(HEADER)!);
  }
  assert.equal(ids.size, 5);
});

test('a request id is accepted only from a trusted proxy, and only if it is well-formed', async (t) => {
  const trusting = await startTestServer(t, { TRUST_PROXY: '1' });
  const proxied = { 'x-forwarded-for': '203.0.113.7' };
  const given = 'from-the-proxy-42';
  assert.equal(await idFor(trusting.url, { ...proxied, [HEADER]: given }), given);
  assert.notEqual(await idFor(trusting.url, { [HEADER]: given }), given);
  for (const bad of ['short', 'with space in it', 'a'.repeat(101), '{"json":"injected"}'])
    assert.match(await idFor(trusting.url, { ...proxied, [HEADER]: bad }), /^[0-9a-z]{26}$/);
  const proud = await startTestServer(t);
  assert.notEqual(await idFor(proud.url, { ...proxied, [HEADER]: given }), given);
});

test('a server error has its request id in the problem details and in the log', async (t) => {
  const server = await startTestServer(t);
  await server.context.db.destroy();
  const response = await fetch(`${server.url}/readyz`, { headers: { accept: 'application/json' } });
  const problem = (await response.json()) as Problem;
  assert.equal(response.status, 503);
  assert.equal(problem.requestId, response.headers.get(HEADER));
  const refused = await fetch(`${server.url}/api/nothing`, { headers: { accept: 'application/json' } });
  assert.ok(!('requestId' in ((await refused.json()) as Problem)), 'a refusal is no failure');
});

test('ACCESS_LOG logs one line per request, with its pattern and ids but never a token', async (t) => {
  const server = await startServerProcess(t, { ACCESS_LOG: 'on', LOG_LEVEL: 'info' });
  const sent = await sendTransfer(await server.signIn(), [
    { fileName: 'a.txt', bytes: Buffer.from('hello') },
  ]);
  const [fileId] = sent.fileIds;
  const response = await server.anonymous().fetch(fileDownloadPath(sent.token, fileId!));
  await response.arrayBuffer();
  const requestId = response.headers.get(HEADER)!;
  const lines = await waitForLine(server, (line) => line.requestId === requestId && line.msg === 'request');
  const line = lines.find((each) => each.requestId === requestId)!;
  assert.deepEqual(
    [line.method, line.route, line.fileId, line.status],
    ['GET', '/api/download/:token/file/:fileId', fileId, 200],
  );
  assert.ok(!server.output.includes(sent.token));
  const jobs = lines.filter(({ job }) => job !== undefined);
  assert.ok(
    jobs.every((each) => each.requestId === undefined),
    'a job is no part of a request',
  );
});

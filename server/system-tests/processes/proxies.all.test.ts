import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { login } from '../../../contracts/accounts/accounts.ts';
import { planChunks } from '../../../contracts/plans/limits.ts';
import { initUpload } from '../../../contracts/transfers/uploads/uploads.ts';
import { fileDownloadPath } from '../../../contracts/values/addresses/links.ts';
import { MIB } from '../../../contracts/values/sizes.ts';
import { Client } from '../../../testing/calls/client.ts';
import { CAST, PASSWORD } from '../../../testing/cast.ts';
import { isProxyInstalled, type ProxyName, startProxy } from '../../../testing/network/proxies.ts';
import { type ServerProcess, startServerProcess } from '../../../testing/processes/server-process.ts';
import { requireWhole, sendTransfer } from '../../../testing/uploads/send-transfer.ts';
import { completeFile, describeFile, makeBytes, sendChunk } from '../../../testing/uploads/upload-files.ts';

const IDS: Record<ProxyName, RegExp> = { nginx: /^[0-9a-f]{32}$/, caddy: /^[0-9a-f-]{36}$/ };

async function startBehind(t: TestContext, name: ProxyName) {
  const server = await startServerProcess(t, { TRUST_PROXY: '1' });
  const { url, plainUrl } = await startProxy(t, name, server.port);
  const client = new Client(url);
  await client.call(login, { body: { username: CAST.ada.username, password: PASSWORD } });
  return { server, url, plainUrl, client };
}

/** Bytes of uploads that the server has received so far, including those in flight. */
async function countReceived(server: ServerProcess): Promise<number> {
  return readMetric(server, 'sendwell_bytes_in_total', 'chunk');
}

async function readMetric({ url }: ServerProcess, name: string, kind: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(new RegExp(`^${name}\\{kind="${kind}"\\} (\\S+)$`, 'm').exec(text)?.[1]);
}

async function waitFor(isTrue: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; !(await isTrue()); tries += 1) {
    assert.ok(tries < 400, 'the condition was not met in time');
    await sleep(25);
  }
}

for (const name of ['nginx', 'caddy'] as const) {
  const skip = !isProxyInstalled(name) && `no ${name} here`;
  describe(`behind ${name} configured as in docs/proxies`, { skip, concurrency: 2 }, () => {
    test('files of many chunks are uploaded and downloaded, completely and in ranges', async (t) => {
      const { client } = await startBehind(t, name);
      const bytes = makeBytes(25 * MIB + 11, name);
      const sent = await sendTransfer(client, [{ fileName: 'large.bin', bytes }]);
      await requireWhole(client, sent);
      const path = fileDownloadPath(sent.token, sent.fileIds[0]!);
      const range = await client.fetch(path, { headers: { range: 'bytes=20000000-20999999' } });
      assert.equal(range.status, 206);
      assert.equal(range.headers.get('content-range'), `bytes 20000000-20999999/${bytes.length}`);
      const part = Buffer.from(await range.arrayBuffer());
      assert.ok(part.equals(bytes.subarray(20_000_000, 21_000_000)));
      const etag = range.headers.get('etag')!;
      const same = await client.fetch(path, { headers: { 'if-none-match': etag } });
      assert.equal(same.status, 304);
    });

    test('a chunk reaches the server while it is being sent and may pause on its way', {
      timeout: 60_000,
    }, async (t) => {
      const { server, client } = await startBehind(t, name);
      const bytes = makeBytes(5 * MIB, 'slow');
      assert.equal(planChunks(bytes.length).totalChunks, 1);
      const { uploadId } = await client.call(initUpload, { body: describeFile('slow.bin', bytes) });
      const before = await countReceived(server);
      const body = new ReadableStream({
        async start(controller) {
          controller.enqueue(bytes.subarray(0, 2 * MIB));
          await waitFor(async () => (await countReceived(server)) - before > MIB);
          await sleep(7_000);
          controller.enqueue(bytes.subarray(2 * MIB));
          controller.close();
        },
      });
      const headers = { 'content-length': String(bytes.length) };
      const response = await sendChunk(client, { uploadId, index: 0, body, headers });
      assert.equal(response.status, 200, await response.text());
      await completeFile(client, uploadId);
    });

    test('the server notices immediately when a download is aborted', async (t) => {
      const { server, client } = await startBehind(t, name);
      const sent = await sendTransfer(client, [{ fileName: 'b.bin', bytes: makeBytes(40 * MIB, 'b') }]);
      const stop = new AbortController();
      const path = fileDownloadPath(sent.token, sent.fileIds[0]!);
      const response = await client.fetch(path, { signal: stop.signal });
      await response.body!.getReader().read();
      await waitFor(async () => (await readMetric(server, 'sendwell_running_requests', 'file')) === 1);
      stop.abort();
      await waitFor(async () => (await readMetric(server, 'sendwell_running_requests', 'file')) === 0);
    });

    test('over plain http pages redirect to https, and calls are refused', async (t) => {
      const { plainUrl } = await startBehind(t, name);
      const page = await fetch(`${plainUrl}/download/abc?r=1`, { redirect: 'manual' });
      assert.equal(page.status, 308);
      assert.match(page.headers.get('location') ?? '', /^https:\/\/127\.0\.0\.1(:\d+)?\/download\/abc\?r=1$/);
      for (const path of ['/api/user', '/api/login', '/api/tus', '/api/files/a.txt']) {
        const refused = await fetch(plainUrl + path, { method: 'POST', redirect: 'manual' });
        assert.equal(refused.status, 403, path);
      }
    });

    test('the server sees the address of the caller and the proxy’s request ID, and nobody can read the metrics', async (t) => {
      const { server, url } = await startBehind(t, name);
      const liar = new Client(url);
      const body = JSON.stringify({ username: CAST.ada.username, password: PASSWORD });
      const headers = { 'content-type': 'application/json', 'x-forwarded-for': '203.0.113.9' };
      const response = await liar.fetch('/api/login', { method: 'POST', body, headers });
      assert.match(response.headers.get('x-request-id') ?? '', IDS[name]);
      const addresses = server.withDatabase((db) =>
        db.prepare('select distinct "ipAddress" from sessions').all(),
      );
      assert.deepEqual(
        addresses.map((row) => row.ipAddress),
        ['127.0.0.1'],
      );
      assert.equal((await fetch(`${url}/metrics`)).status, 404);
      assert.equal((await fetch(`${server.url}/metrics`)).status, 200);
    });
  });
}

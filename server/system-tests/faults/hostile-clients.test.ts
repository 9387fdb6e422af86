import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { CHUNK_BYTES } from '../../../contracts/plans/limits.ts';
import { initUploads, listChunks } from '../../../contracts/transfers/uploads/uploads.ts';
import { fileDownloadPath, zipDownloadPath } from '../../../contracts/values/addresses/links.ts';
import { KIB, MIB } from '../../../contracts/values/sizes.ts';
import type { Client } from '../../../testing/calls/client.ts';
import { onlyInAll } from '../../../testing/lib/only-in-all.ts';
import { RawConnection, writeHead } from '../../../testing/network/raw-connection.ts';
import { type ServerProcess, startServerProcess } from '../../../testing/processes/server-process.ts';
import { sendTransfer } from '../../../testing/uploads/send-transfer.ts';
import { announceByTus, OFFSET_STREAM } from '../../../testing/uploads/tus-calls.ts';
import {
  announceFile,
  describeFile,
  makeBytes,
  sendChunk,
  uploadFile,
} from '../../../testing/uploads/upload-files.ts';

/** Connections of this test's own calls that may stay open, far fewer than those of the vanishing clients. */
const OWN_CONNECTIONS = 10;

describe('the server survives', { concurrency: 3 }, () => {
  test(
    '60 clients that vanish: their connections and files are closed, and no partial chunk is kept',
    onlyInAll,
    async (t) => {
      const server = await startServerProcess(t);
      const client = await server.signIn();
      const base = server.countDescriptors();
      const body = makeBytes(2 * MIB);
      const { token, fileIds } = await sendTransfer(client, [
        { fileName: 'a.bin', bytes: makeBytes(16 * MIB) },
        { fileName: 'b.bin', bytes: body },
      ]);
      const { uploads } = await client.call(initUploads, {
        body: { files: Array.from({ length: 30 }, (_, index) => describeFile(`${index}.bin`, body)) },
      });
      await Promise.all(
        uploads.map(async ({ uploadId }, index) => {
          const connection = new RawConnection(server.port);
          await connection.write(chunkHead(client, uploadId, { 'content-length': body.length }));
          await connection.write(body.subarray(0, MIB + 1));
          connection.vanish({ rudely: index % 2 === 0 });
        }),
      );
      const paths = [fileDownloadPath(token, fileIds[0]!), zipDownloadPath(token)];
      await Promise.all(
        Array.from({ length: 30 }, async (_, index) => {
          const connection = new RawConnection(server.port);
          await connection.write(writeHead(`GET ${paths[index % 2]}`, {}));
          assert.equal(await connection.readStatus(), 200);
          connection.vanish({ rudely: index % 3 === 0 });
        }),
      );
      for (const { uploadId } of uploads) {
        const { chunks } = await client.call(listChunks, { params: { uploadId } });
        assert.deepEqual(chunks, []);
      }
      // Files may stay open for some time. If one never closes, this test times out.
      while (server.countDescriptors() > base + OWN_CONNECTIONS) await sleep(200);
      await uploadFile(client, 'after.bin', body);
    },
  );

  test(
    'clients that disconnect in the middle of any request, without an error in the log or a 500',
    onlyInAll,
    async (t) => {
      const server = await startServerProcess(t, { LOG_LEVEL: 'info', ACCESS_LOG: 'on' });
      const client = await server.signIn();
      const bytes = makeBytes(2 * MIB);
      const { token, fileIds } = await sendTransfer(client, [
        { fileName: 'a.bin', bytes: makeBytes(16 * MIB) },
        { fileName: 'b.bin', bytes },
      ]);
      const { uploadId } = await announceFile(client, 'chunk.bin', bytes);
      const tus = await announceByTus(client, bytes.length);
      const cookie = client.jar.headerFor('/api/user');
      const sending = (requestLine: string, type: string, headers: Record<string, string> = {}) =>
        writeHead(requestLine, { cookie, 'content-type': type, 'content-length': bytes.length, ...headers });
      const octets = 'application/octet-stream';
      const form = `--x\r\ncontent-disposition: form-data; name="file"; filename="a.png"\r\n\r\n`;
      const forms = (requestLine: string) => sending(requestLine, 'multipart/form-data; boundary=x') + form;
      const json = (requestLine: string) => `${sending(requestLine, 'application/json')}{"a":`;
      const requests: string[] = [
        json('POST /api/login'),
        json('POST /api/upload/init'),
        json('PATCH /api/transfers/00000000000000000000000000'),
        sending(`POST /api/upload/chunk/${uploadId}/0`, octets),
        sending(`PATCH ${tus}`, OFFSET_STREAM, { 'tus-resumable': '1.0.0', 'upload-offset': '0' }),
        sending(`PATCH ${tus}`, OFFSET_STREAM, {
          'tus-resumable': '1.0.0',
          'upload-offset': '0',
          'upload-checksum': `sha1 ${Buffer.alloc(20).toString('base64')}`,
        }),
        sending('POST /api/tus', OFFSET_STREAM, {
          'tus-resumable': '1.0.0',
          'upload-length': String(bytes.length),
        }),
        sending('PUT /api/files/put.bin', octets),
        forms('POST /api/user/background'),
        forms('POST /api/admin/ads/upload'),
        forms('POST /api/admin/ads'),
        sending('POST /api/webhooks/stripe', 'application/json'),
        ...[`/api/download/${token}`, '/api/transfers', '/api/openapi.json', '/healthz', '/'].map((path) =>
          writeHead(`GET ${path}`, { cookie }),
        ),
        ...[fileDownloadPath(token, fileIds[0]!), zipDownloadPath(token)].map((path) =>
          writeHead(`GET ${path}`, {}),
        ),
      ];
      for (const rudely of [false, true])
        for (const wait of [0, 50])
          await Promise.all(
            requests.map(async (request) => {
              const connection = new RawConnection(server.port);
              await connection.write(Buffer.concat([Buffer.from(request), bytes.subarray(0, 100_000)]));
              if (wait > 0) await sleep(wait);
              connection.vanish({ rudely });
              await connection.closed;
            }),
          );
      assert.equal((await server.anonymous().fetch('/readyz')).status, 200);
      assert.equal(await server.terminate(), 0);
      const lines = server.output.split('\n').filter((line) => line.startsWith('{'));
      assert.ok(lines.some((line) => line.includes('"brokenOff":true')));
      const bad = lines.filter((line) => /"level":"(error|fatal)"|"status":5\d\d/.test(line));
      assert.deepEqual(bad, []);
    },
  );

  test('input that is not HTTP and bodies that contradict their headers', async (t) => {
    const server = await startServerProcess(t);
    const client = await server.signIn();
    const bytes = makeBytes(CHUNK_BYTES + 1_000);
    const { uploadId } = await announceFile(client, 'two-chunks.bin', bytes);
    const first = new Uint8Array(bytes.subarray(0, CHUNK_BYTES));
    assert.equal((await sendChunk(client, { uploadId, index: 0, body: first })).status, 200);

    const last = (headers: Record<string, string | number>) => chunkHead(client, uploadId, headers, 1);
    const chunked = { 'transfer-encoding': 'chunked' };
    const kilobyte = 'x'.repeat(1_000);
    const cases: [name: string, wire: string][] = [
      ['garbage', '\x16\x03\x01\x02\x00\x01\x00\xff\xfe\r\n\r\n'],
      ['a method that does not exist', 'BREW / HTTP/1.1\r\nhost: x\r\n\r\n'],
      ['no host', 'GET /readyz HTTP/1.1\r\n\r\n'],
      ['a space in a header’s name', 'GET /readyz HTTP/1.1\r\nhost: x\r\nbad name: y\r\n\r\n'],
      ['an address with NUL', 'GET /\0 HTTP/1.1\r\nhost: x\r\n\r\n'],
      ['an address that cannot be decoded', 'GET /api/download/%E0%A4%A HTTP/1.1\r\nhost: x\r\n\r\n'],
      ['200 KiB of headers', writeHead('GET /readyz', { 'x-much': 'y'.repeat(200 * KIB) })],
      ['5,000 headers', writeHead('GET /readyz', manyHeaders(5_000))],
      ['two lengths', last({ 'content-length': '1000\r\ncontent-length: 999' }) + kilobyte],
      ['a length and chunks', last({ 'content-length': 1_000, ...chunked }) + kilobyte],
      ['a length that is no number', last({ 'content-length': '1e3' }) + kilobyte],
      ['a negative length', last({ 'content-length': -1 })],
      ['a length beyond every number', last({ 'content-length': '9'.repeat(30) }) + kilobyte],
      ['a length too small for the chunk', last({ 'content-length': 999 }) + kilobyte.slice(1)],
      ['a length too great for the chunk', `${last({ 'content-length': 1_001 })}${kilobyte}x`],
      ['more than the chunk, in pieces', `${last(chunked)}3e9\r\n${kilobyte}x\r\n0\r\n\r\n`],
      ['less than the chunk, in pieces', `${last(chunked)}3e7\r\n${kilobyte.slice(1)}\r\n0\r\n\r\n`],
      ['pieces of no length', `${last(chunked)}zz\r\n${kilobyte}\r\n0\r\n\r\n`],
      ['a body that ends early', last({ 'content-length': 1_000 }) + kilobyte.slice(1)],
      ['pieces that end early', `${last(chunked)}3e8\r\n${kilobyte.slice(1)}`],
      ['JSON cut short', jsonCall(client, 40, '{"fileName":')],
      ['JSON nested without end', jsonCall(client, 20_000, '['.repeat(20_000))],
    ];
    for (const [name, wire] of cases) {
      const connection = new RawConnection(server.port);
      await connection.write(Buffer.from(wire, 'latin1'));
      if (name.includes('early') || name.includes('short')) connection.end();
      const status = await connection.readStatus();
      assert.ok(status === undefined || (status >= 400 && status < 500), `${name}: ${status}`);
      connection.vanish();
      assert.equal((await server.anonymous().fetch('/readyz')).status, 200, `after ${name}`);
      const { chunks } = await client.call(listChunks, { params: { uploadId } });
      assert.deepEqual(chunks, [0], `after ${name}`);
    }
    const rest = new Uint8Array(bytes.subarray(CHUNK_BYTES));
    assert.equal((await sendChunk(client, { uploadId, index: 1, body: rest })).status, 200);
    requireSilence(server);
  });
});

function chunkHead(
  client: Client,
  uploadId: string,
  headers: Record<string, string | number>,
  index = 0,
): string {
  const path = `/api/upload/chunk/${uploadId}/${index}`;
  const cookie = client.jar.headerFor(path);
  return writeHead(`POST ${path}`, { cookie, 'content-type': 'application/octet-stream', ...headers });
}

function jsonCall(client: Client, length: number, body: string): string {
  const path = '/api/upload/init';
  const cookie = client.jar.headerFor(path);
  const head = { cookie, 'content-type': 'application/json', 'content-length': length };
  return writeHead(`POST ${path}`, head) + body;
}

function manyHeaders(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`x-${index}`, 'y']));
}

/** Errors of clients must not fill the log. */
function requireSilence(server: ServerProcess): void {
  assert.equal(server.output, '');
}

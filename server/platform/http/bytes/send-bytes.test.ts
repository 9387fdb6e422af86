import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, get, request as httpRequest, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { after, beforeEach, test } from 'node:test';
import Fastify from 'fastify';
import { AppError } from '../../lib/app-error.ts';
import { type BlobOpener, type ByteSource, blobSource } from '../../lib/byte-source.ts';
import { createLog } from '../../lib/logging/log.ts';
import { Metrics } from '../../metrics/metrics.ts';
import { installErrorHandler } from '../error-handler.ts';
import { SecurityLog } from '../security/security-log.ts';
import { type SentBytes, sendBytes } from './send-bytes.ts';

const MIB = 1024 * 1024;
const CHANGED_AT = Date.UTC(2026, 10, 21, 12, 0, 0);

function patternOf(sizeBytes: number): Buffer {
  const bytes = Buffer.alloc(sizeBytes);
  for (let at = 0; at + 4 <= sizeBytes; at += 4) bytes.writeUInt32LE((at * 2654435761) >>> 0, at);
  return bytes;
}

const blobs = new Map<string, Buffer>([
  ['small', Buffer.from('0123456789')],
  ['empty', Buffer.alloc(0)],
  ['middle', patternOf(200_000)],
  ['big', patternOf(5 * MIB + 12_345)],
  ['huge', Buffer.alloc(64 * MIB, 7)],
]);

let opened = 0;
let closed = 0;
let brokenFrom = Number.POSITIVE_INFINITY;

const memory: BlobOpener = {
  async openRange(storageKey, start) {
    const blob = blobs.get(storageKey);
    if (!blob) throw new AppError('file_not_found');
    opened += 1;
    let at = start;
    return {
      async fill(views) {
        for (const view of views) {
          if (at + view.length > Math.min(blob.length, brokenFrom)) throw new Error('the blob is shorter');
          at += blob.copy(view, 0, at, at + view.length);
        }
      },
      async close() {
        closed += 1;
      },
    };
  },
};

let onSent: (sent: SentBytes) => void = () => undefined;

const app = Fastify();
app.decorate('metrics', new Metrics());
app.decorate('security', new SecurityLog(createLog('silent')));
installErrorHandler(app);
app.get<{ Params: { name: string } }>('/:name', async (request, reply) => {
  const { name } = request.params;
  const sizeBytes = blobs.get(name)?.length ?? 10;
  const source: ByteSource = blobSource(memory, { storageKey: name, offset: 0, sizeBytes });
  reply.header('set-cookie', 'ticket=1').header('x-content-type-options', 'wrong');
  const head = {
    etag: `"${name}"`,
    lastModifiedAt: CHANGED_AT,
    contentType: 'text/plain',
    fileName: `${name} é.txt`,
  };
  // The client may send its next request before this one has ended.
  const report = onSent;
  await sendBytes(request, reply, source, head, { onEnd: (sent) => report(sent) });
  return reply;
});
await app.listen({ host: '127.0.0.1', port: 0 });
const { port } = app.server.address() as AddressInfo;
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
after(async () => {
  agent.destroy();
  await app.close();
});

beforeEach(() => {
  opened = 0;
  closed = 0;
  brokenFrom = Number.POSITIVE_INFINITY;
  onSent = () => undefined;
});

const nextEnd = () => new Promise<SentBytes>((resolve) => (onSent = resolve));

async function fetchBytes(name: string, headers: Record<string, string> = {}, method = 'GET') {
  const request = httpRequest({ port, host: '127.0.0.1', path: `/${name}`, method, headers, agent });
  request.end();
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return { status: response.statusCode, headers: response.headers, body: await buffer(response) };
}

test('a whole file has the headers to resume it, and is sandboxed', async () => {
  const ended = nextEnd();
  const { status, headers, body } = await fetchBytes('small');
  assert.equal(status, 200);
  assert.equal(body.toString(), '0123456789');
  const { date: _date, connection: _connection, 'keep-alive': _keepAlive, ...told } = headers;
  assert.deepEqual(told, {
    'set-cookie': ['ticket=1'],
    'x-content-type-options': 'nosniff',
    etag: '"small"',
    'last-modified': 'Sat, 21 Nov 2026 12:00:00 GMT',
    'cache-control': 'private, no-cache',
    'accept-ranges': 'bytes',
    'content-type': 'text/plain',
    'content-length': '10',
    'content-disposition': `attachment; filename="small e.txt"; filename*=UTF-8''small%20%C3%A9.txt`,
    'content-security-policy': 'sandbox',
  });
  assert.deepEqual(await ended, { start: 0, end: 10, sentBytes: 10, begunBytes: 10, complete: true });
  assert.deepEqual([opened, closed], [1, 1]);
});

test('files of all sizes arrive intact over one connection', async () => {
  for (const name of ['big', 'small', 'empty', 'middle', 'big']) {
    const { status, headers, body } = await fetchBytes(name);
    assert.equal(status, 200);
    assert.equal(headers['content-length'], String(blobs.get(name)!.length));
    assert.ok(body.equals(blobs.get(name)!), name);
  }
  assert.equal(Object.values(agent.freeSockets).flat().length, 1);
});

test('a range is answered 206 with exactly its bytes', async () => {
  const big = blobs.get('big')!;
  const size = big.length;
  const cases: [string, number, number][] = [
    ['bytes=0-0', 0, 1],
    [`bytes=${MIB - 1}-${3 * MIB}`, MIB - 1, 3 * MIB + 1],
    ['bytes=-70000', size - 70_000, size],
    [`bytes=${size - 1}-`, size - 1, size],
  ];
  for (const [range, start, end] of cases) {
    const ended = nextEnd();
    const { status, headers, body } = await fetchBytes('big', { range });
    assert.equal(status, 206, range);
    assert.equal(headers['content-range'], `bytes ${start}-${end - 1}/${size}`);
    assert.equal(headers['content-length'], String(end - start));
    assert.ok(body.equals(big.subarray(start, end)), range);
    assert.deepEqual(await ended, {
      start,
      end,
      sentBytes: end - start,
      begunBytes: end - start,
      complete: true,
    });
  }
});

test('a range beyond the end is answered 416 with the size, without opening the blob', async () => {
  const { status, headers, body } = await fetchBytes('small', { range: 'bytes=10-' });
  assert.equal(status, 416);
  assert.equal(headers['content-range'], 'bytes */10');
  assert.equal(headers['cache-control'], 'no-store');
  assert.equal(headers['content-disposition'], undefined);
  assert.doesNotMatch(body.toString(), /0123/);
  assert.equal(opened, 0);
});

test('several ranges, or a changed file, get the whole file', async () => {
  assert.equal((await fetchBytes('small', { range: 'bytes=0-1,3-4' })).status, 200);
  assert.equal((await fetchBytes('small', { range: 'bytes=5-', 'if-range': '"other"' })).body.length, 10);
  assert.equal(
    (await fetchBytes('small', { range: 'bytes=5-', 'if-range': '"small"' })).body.toString(),
    '56789',
  );
});

test('304 and 412 have no body and open nothing', async () => {
  const unchanged = await fetchBytes('small', { 'if-none-match': 'W/"small"' });
  assert.equal(unchanged.status, 304);
  assert.equal(unchanged.headers.etag, '"small"');
  assert.equal(unchanged.headers['content-length'], undefined);
  assert.equal(unchanged.headers['content-type'], undefined);
  const failed = await fetchBytes('small', { 'if-match': '"other"' });
  assert.equal(failed.status, 412);
  assert.equal(failed.headers['content-length'], '0');
  assert.equal(opened, 0);
});

test('HEAD sends the headers of GET without opening or counting anything', async () => {
  onSent = () => assert.fail('HEAD is no download');
  const { status, headers, body } = await fetchBytes('big', { range: 'bytes=0-1' }, 'HEAD');
  assert.equal(status, 200);
  assert.equal(headers['content-length'], String(blobs.get('big')!.length));
  assert.equal(headers['accept-ranges'], 'bytes');
  assert.equal(body.length, 0);
  assert.equal(opened, 0);
});

test('a missing file is an error response, not a broken connection', async () => {
  const ended = nextEnd();
  const { status, headers } = await fetchBytes('gone');
  assert.equal(status, 404);
  assert.equal(headers.etag, undefined);
  assert.deepEqual(await ended, { start: 0, end: 10, sentBytes: 0, begunBytes: 0, complete: false });
  brokenFrom = 5;
  assert.equal((await fetchBytes('small')).status, 500);
  assert.equal(opened, closed);
});

test('a read error in the middle of a file breaks the connection', async () => {
  brokenFrom = 3 * MIB;
  const ended = nextEnd();
  await assert.rejects(fetchBytes('big'), { code: 'ECONNRESET' });
  const sent = await ended;
  assert.equal(sent.complete, false);
  assert.ok(sent.sentBytes < 3 * MIB);
  assert.equal(opened, closed);
});

test('a client that disconnects ends the read immediately', async () => {
  const ended = nextEnd();
  const client = get({ port, host: '127.0.0.1', path: '/huge', agent: false });
  client.on('error', () => undefined);
  const [response] = (await once(client, 'response')) as [IncomingMessage];
  response.on('error', () => undefined);
  await once(response, 'data');
  response.destroy();
  const sent = await ended;
  assert.equal(sent.complete, false);
  assert.ok(sent.sentBytes < 64 * MIB);
  assert.ok(sent.begunBytes > sent.sentBytes, 'the block being written may have arrived in part');
  assert.deepEqual([opened, closed], [1, 1]);
});

test('concurrent downloads do not share blocks', async () => {
  const wanted = ['big', 'middle', 'big', 'small', 'big', 'middle', 'big', 'big'];
  const bodies = await Promise.all(
    wanted.map(async (name) => (await fetch(`http://127.0.0.1:${port}/${name}`)).arrayBuffer()),
  );
  for (const [index, name] of wanted.entries())
    assert.ok(Buffer.from(bodies[index]!).equals(blobs.get(name)!));
  assert.equal(opened, closed);
});

test('pipelined requests are answered in order', async () => {
  const socket = connect(port, '127.0.0.1');
  const ask = (name: string, more = '') => `GET /${name} HTTP/1.1\r\nHost: x\r\n${more}\r\n`;
  socket.write(ask('middle') + ask('big') + ask('small', 'Connection: close\r\n'));
  const all = await buffer(socket);
  const at = [blobs.get('middle')!, blobs.get('big')!, blobs.get('small')!].map((body) => all.indexOf(body));
  assert.ok(at[0]! > 0 && at[0]! < at[1]! && at[1]! < at[2]!, String(at));
});

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request as startRequest } from 'node:http';
import { connect } from 'node:net';
import test from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import { CHUNK_BYTES } from '../../../../contracts/plans/limits.ts';
import { listChunks } from '../../../../contracts/transfers/uploads/uploads.ts';
import type { Client } from '../../../../testing/calls/client.ts';
import { until } from '../../../../testing/lib/until.ts';
import { startTestServer, type TestServer } from '../../../../testing/test-context.ts';
import {
  announceFile,
  completeFile,
  makeBytes,
  readStored,
  sendChunk,
  sendChunks,
  uploadFile,
} from '../../../../testing/uploads/upload-files.ts';
import { gateKey, uploadGate } from './upload-gate.ts';

const plain = (bytes: Buffer) => new Uint8Array(bytes);

test('a chunk of the wrong length is refused, and received chunks are kept', async (t) => {
  const { frida, uploadId, bytes, received } = await startUpload(t);
  assert.equal((await sendChunk(frida, { uploadId, index: 0, body: plain(bytes) })).status, 200);
  const short = await sendChunk(frida, { uploadId, index: 0, body: plain(bytes.subarray(1)) });
  assert.deepEqual([short.status, await codeOf(short)], [400, 'wrong_chunk_length']);
  const long = await sendChunk(frida, { uploadId, index: 0, body: plain(Buffer.concat([bytes, bytes])) });
  assert.deepEqual([long.status, await codeOf(long)], [413, 'chunk_too_long']);
  assert.deepEqual(await received(), [0]);
  await completeFile(frida, uploadId);
});

test('a body without a declared length is counted and cut off at the chunk’s size', async (t) => {
  const { frida, uploadId, bytes, received } = await startUpload(t);
  const endless = new ReadableStream({
    pull: (controller) => controller.enqueue(new Uint8Array(1024)),
  });
  const long = await sendChunk(frida, { uploadId, index: 0, body: endless }).catch(() => undefined);
  // A client that keeps sending may see the connection closed instead of the response.
  if (long) assert.equal(long.status, 413);
  const short = await sendChunk(frida, {
    uploadId,
    index: 0,
    body: new Blob([plain(bytes.subarray(2))]).stream(),
  });
  assert.equal(short.status, 400);
  assert.deepEqual(await received(), []);
  const right = await sendChunk(frida, { uploadId, index: 0, body: new Blob([plain(bytes)]).stream() });
  assert.equal(right.status, 200);
});

test('chunk indexes after the last and those that are not plain numbers are refused', async (t) => {
  const { frida, uploadId, bytes, received } = await startUpload(t);
  for (const index of [
    '1',
    '9007199254740993',
    '99999999999999999999',
    '-1',
    '0.0',
    '1e0',
    '0x0',
    'a',
    '%00',
  ]) {
    const response = await sendChunk(frida, { uploadId, index, body: plain(bytes) });
    assert.equal(response.status, 400, index);
    assert.equal(await codeOf(response), 'chunk_index_out_of_range');
  }
  assert.deepEqual(await received(), []);
});

test('only raw bytes are accepted', async (t) => {
  const { frida, uploadId, bytes, received } = await startUpload(t);
  for (const type of ['application/json', 'multipart/form-data; boundary=x', 'text/plain']) {
    const headers = { 'content-type': type };
    const response = await sendChunk(frida, { uploadId, index: 0, body: plain(bytes), headers });
    // A JSON body must not be as long as a chunk.
    assert.ok([400, 413, 415].includes(response.status), `${type}: ${response.status}`);
  }
  assert.deepEqual(await received(), []);
});

test('Content-Digest is verified with either algorithm', async (t) => {
  const { frida, uploadId, bytes, received } = await startUpload(t);
  const sums = [crc32Member(bytes), sha256Member(bytes)];
  const wrong = [crc32Member(Buffer.from('x')), sha256Member(Buffer.from('x'))];
  for (const digest of wrong) {
    const headers = { 'content-digest': digest };
    const response = await sendChunk(frida, { uploadId, index: 0, body: plain(bytes), headers });
    assert.deepEqual([response.status, await codeOf(response)], [400, 'digest_mismatch']);
  }
  assert.deepEqual(await received(), []);
  for (const digest of ['md5=:AAAA:', 'crc32=AAAAAA==', 'crc32=:AAAA:', 'sha-256=::', 'nonsense']) {
    const headers = { 'content-digest': digest };
    const response = await sendChunk(frida, { uploadId, index: 0, body: plain(bytes), headers });
    assert.deepEqual([response.status, await codeOf(response)], [400, 'bad_digest'], digest);
  }
  for (const digest of [...sums, `md5=:AAAA:, ${sums[0]}`]) {
    const headers = { 'content-digest': digest };
    const response = await sendChunk(frida, { uploadId, index: 0, body: plain(bytes), headers });
    assert.equal(response.status, 200, digest);
  }
});

test('the last complete request for a chunk wins', async (t) => {
  const { server, frida, uploadId, bytes } = await startUpload(t);
  const other = makeBytes(bytes.length, 'other');
  for (const body of [bytes, bytes, other]) {
    assert.equal((await sendChunk(frida, { uploadId, index: 0, body: plain(body) })).status, 200);
  }
  await completeFile(frida, uploadId);
  assert.ok((await readFile(server)).equals(other));
});

test('concurrent requests for one chunk are never mixed', async (t) => {
  const { server, frida, uploadId, bytes } = await startUpload(t, CHUNK_BYTES);
  const variants = [bytes, makeBytes(CHUNK_BYTES, 'b'), makeBytes(CHUNK_BYTES, 'c')];
  const answers = await Promise.all(
    variants.map((body) => sendChunk(frida, { uploadId, index: 0, body: plain(body) })),
  );
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 200],
  );
  await completeFile(frida, uploadId);
  const stored = await readFile(server);
  assert.ok(variants.some((bytes) => stored.equals(bytes)));
  const { crc32: noted } = await server.context.db
    .selectFrom('files')
    .select('crc32')
    .executeTakeFirstOrThrow();
  assert.equal(noted, crc32(stored));
});

test('pipelined chunks keep their bytes, although reads from the socket contain parts of two', async (t) => {
  const { server, frida, bytes, uploadId } = await startUpload(t, 200_000);
  const bodies = [bytes, makeBytes(100, 'short'), makeBytes(300_000, 'long')];
  const [, ...others] = bodies;
  const ids = [uploadId];
  for (const body of others) ids.push((await announceFile(frida, 'other.bin', body)).uploadId);
  const requests = bodies.map((body, index) => {
    const path = `/api/upload/chunk/${ids[index]}/0`;
    const head = [
      `POST ${path} HTTP/1.1`,
      'host: x',
      'content-type: application/octet-stream',
      `content-length: ${body.length}`,
      `cookie: ${frida.jar.headerFor(path)}`,
    ];
    return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), body]);
  });
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  t.after(() => socket.destroy());
  let answers = '';
  socket.on('data', (data) => {
    answers += data;
  });
  socket.write(Buffer.concat(requests));
  await until(async () => answers.split('HTTP/1.1 200').length === 4);
  for (const id of ids) await completeFile(frida, id);
  const files = await server.context.db.selectFrom('files').selectAll().execute();
  for (const [index, id] of ids.entries()) {
    const file = files.find((each) => each.id === id)!;
    assert.ok((await readStored(server.context, file)).equals(bodies[index]!), `file ${index}`);
  }
});

test('a completed upload accepts no more chunks', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  const bytes = makeBytes(1_000);
  const { uploadId } = await uploadFile(frida, 'done', bytes);
  const other = plain(makeBytes(1_000, 'other'));
  const response = await sendChunk(frida, { uploadId, index: 0, body: other });
  assert.deepEqual([response.status, await codeOf(response)], [409, 'upload_closed']);
  assert.ok((await readFile(server)).equals(bytes));
});

test('a chunk whose sender disconnected is dropped and can be sent again', async (t) => {
  const { server, frida, uploadId, bytes, received } = await startUpload(t);
  for (let times = 0; times < 5; times += 1) {
    const half = sendSlowly(server, frida, uploadId, bytes.length);
    half.write(bytes.subarray(0, 100));
    await untilWriting(server, uploadId);
    half.destroy();
    await untilWriting(server, uploadId, false);
  }
  assert.equal((await sendChunk(frida, { uploadId, index: 0, body: plain(bytes) })).status, 200);
  assert.deepEqual(await received(), [0]);
  await completeFile(frida, uploadId);
  assert.ok((await readFile(server)).equals(bytes));
});

test('a stalled sender is aborted when another one waits for its chunk', async (t) => {
  const { server, frida, uploadId, bytes } = await startUpload(t);
  const silent = sendSlowly(server, frida, uploadId, bytes.length);
  silent.write(bytes.subarray(0, 100));
  const broken = new Promise((resolve) => silent.on('close', resolve));
  await untilWriting(server, uploadId);
  assert.equal((await sendChunk(frida, { uploadId, index: 0, body: plain(bytes) })).status, 200);
  await broken;
  await completeFile(frida, uploadId);
  assert.ok((await readFile(server)).equals(bytes));
});

test('an upload with all chunks completes while one of them is being sent again', async (t) => {
  const { server, frida, uploadId, bytes } = await startUpload(t);
  await sendChunks(frida, uploadId, bytes);
  const resend = sendSlowly(server, frida, uploadId, bytes.length);
  resend.write(makeBytes(100, 'other'));
  await untilWriting(server, uploadId);
  await completeFile(frida, uploadId);
  assert.ok((await readFile(server)).equals(bytes));
  resend.destroy();
});

test('a premature completion does not abort chunks sent for the first time', async (t) => {
  const { server, frida, uploadId, bytes } = await startUpload(t);
  const slow = sendSlowly(server, frida, uploadId, bytes.length);
  const answer = once(slow, 'response') as Promise<[IncomingMessage]>;
  slow.write(bytes.subarray(0, 100));
  await untilWriting(server, uploadId);
  await assert.rejects(completeFile(frida, uploadId), { code: 'chunks_missing' });
  slow.end(bytes.subarray(100));
  const [response] = await answer;
  assert.equal(response.statusCode, 200);
  response.resume();
  await completeFile(frida, uploadId);
});

test('chunk activity is recorded at most once a minute', async (t) => {
  const { server, frida, uploadId, bytes } = await startUpload(t);
  const { db } = server.context;
  const started = server.clock.now();
  const lastActivity = async () =>
    (await db.selectFrom('uploads').select('lastActivityAt').executeTakeFirstOrThrow()).lastActivityAt;
  server.clock.advance(59_000);
  await sendChunk(frida, { uploadId, index: 0, body: plain(bytes) });
  assert.equal(await lastActivity(), started);
  server.clock.advance(1_000);
  await sendChunk(frida, { uploadId, index: 0, body: plain(bytes) });
  assert.equal(await lastActivity(), started + 60_000);
});

async function startUpload(t: Parameters<typeof startTestServer>[0], sizeBytes = 70_000) {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  const bytes = makeBytes(sizeBytes);
  const { uploadId } = await announceFile(frida, 'file.bin', bytes);
  const received = async () => (await frida.call(listChunks, { params: { uploadId } })).chunks;
  return { server, frida, uploadId, bytes, received };
}

/** Starts a chunk whose body the test writes. */
function sendSlowly(server: TestServer, client: Client, uploadId: string, sizeBytes: number): ClientRequest {
  const path = `/api/upload/chunk/${uploadId}/0`;
  const request = startRequest(server.url + path, {
    method: 'POST',
    agent: false,
    headers: {
      'content-type': 'application/octet-stream',
      'content-length': sizeBytes,
      cookie: client.jar.headerFor(path),
    },
  });
  return request.on('error', () => undefined);
}

/** Waits until frida's chunk has a writer in the server, or no longer has one. */
async function untilWriting(server: TestServer, id: string, isWriting = true): Promise<void> {
  const key = gateKey({ userId: server.userId('frida'), visitorKey: null, id });
  while (uploadGate.isBusy(key) !== isWriting) await setImmediate();
}

async function codeOf(response: Response): Promise<unknown> {
  return ((await response.json()) as { code: unknown }).code;
}

async function readFile({ context }: TestServer): Promise<Buffer> {
  return readStored(context, await context.db.selectFrom('files').selectAll().executeTakeFirstOrThrow());
}

function crc32Member(bytes: Buffer): string {
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(bytes));
  return `crc32=:${sum.toString('base64')}:`;
}

function sha256Member(bytes: Buffer): string {
  return `sha-256=:${createHash('sha256').update(bytes).digest('base64')}:`;
}

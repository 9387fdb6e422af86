import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type ClientRequest, request } from 'node:http';
import test, { type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { CHUNK_BYTES } from '../../../../contracts/plans/limits.ts';
import { viewDownload } from '../../../../contracts/transfers/downloads/downloads.ts';
import { listTransfers } from '../../../../contracts/transfers/transfers.ts';
import { listUploads } from '../../../../contracts/transfers/uploads/uploads.ts';
import { fileDownloadPath } from '../../../../contracts/values/addresses/links.ts';
import { DAY_MS, HOUR_MS } from '../../../../contracts/values/durations.ts';
import { GIB, KIB, MIB } from '../../../../contracts/values/sizes.ts';
import type { Client } from '../../../../testing/calls/client.ts';
import { until } from '../../../../testing/lib/until.ts';
import { startTestServer } from '../../../../testing/test-context.ts';
import {
  announceByTus,
  expectOk,
  OFFSET_STREAM,
  offsetByTus,
  patchByTus,
  requireStored,
  tokenOfLink,
  tusCall,
} from '../../../../testing/uploads/tus-calls.ts';
import { makeBytes, sendChunk } from '../../../../testing/uploads/upload-files.ts';

/** Status of a request without a response: deleting an upload disconnects its senders. */
const CUT_OFF = 0;
/** A bucket may refuse one of two concurrent writes of an object; the client then continues. */
const UNAVAILABLE = 503;

async function start(t: TestContext) {
  const server = await startTestServer(t);
  return { server, prem: await server.signIn('prem') };
}

/** Opens a PATCH with this Content-Length; the test writes its bytes. */
async function openPatch(
  client: Client,
  path: string,
  { offset, length }: { offset: number; length: number },
) {
  const call = request(client.url + path, {
    method: 'PATCH',
    headers: {
      cookie: client.jar.headerFor(path)!,
      'tus-resumable': '1.0.0',
      'content-type': OFFSET_STREAM,
      'upload-offset': String(offset),
      'content-length': String(length),
    },
  });
  call.on('error', () => undefined);
  return call;
}

/** Resolves when the operating system has accepted the bytes or the connection is closed. */
function write(call: ClientRequest, bytes: Buffer): Promise<void> {
  return new Promise((resolve) => call.write(bytes, () => resolve()));
}

test('exactly one of many concurrent pieces at an offset is accepted, and they are never mixed', async (t) => {
  const { prem } = await start(t);
  const candidates = Array.from({ length: 6 }, (_, index) => makeBytes(CHUNK_BYTES + 9_999, `${index}`));
  const size = candidates[0]!.length;
  const path = await announceByTus(prem, size);
  const bytes = Buffer.alloc(size);
  for (let offset = 0; offset < size; ) {
    const end = Math.min(size, offset + 777_777);
    const patches = candidates.map((each) =>
      patchByTus(prem, path, { offset, body: each.subarray(offset, end) }),
    );
    // Completing the file disconnects all other senders.
    const settled = end === size ? patches.map((patch) => patch.catch(() => undefined)) : patches;
    const answers = await Promise.all(settled);
    const statuses = answers.map((answer) => answer?.status);
    assert.equal(statuses.filter((status) => status === 204).length, 1, statuses.join());
    for (const status of statuses) assert.ok([204, 409, undefined].includes(status), statuses.join());
    const accepted = statuses.indexOf(204);
    candidates[accepted]!.copy(bytes, offset, offset, end);
    if (end === size) await requireStored(prem, answers[accepted]!, bytes);
    for (const answer of answers) await answer?.text();
    offset = end;
  }
});

test('asking for the offset aborts a stalled sender, whose bytes count', async (t) => {
  const { prem } = await start(t);
  const bytes = makeBytes(2 * CHUNK_BYTES);
  const path = await announceByTus(prem, bytes.length);
  const silent = await openPatch(prem, path, { offset: 0, length: bytes.length });
  const sentBytes = CHUNK_BYTES + 3 * MIB;
  await write(silent, bytes.subarray(0, sentBytes));
  await until(async () => (await prem.call(listUploads))[0]!.receivedChunks.length === 1);
  const closed = new Promise((resolve) => silent.once('close', resolve));
  let offset = 0;
  // A sender is not stalled while its last bytes are still being read.
  await until(async () => {
    offset = await offsetByTus(prem, path);
    return offset > CHUNK_BYTES;
  });
  await closed;
  assert.ok(offset <= sentBytes, `it resumes at ${offset}`);
  const answer = await expectOk(await patchByTus(prem, path, { offset, body: bytes.subarray(offset) }));
  await requireStored(prem, answer, bytes);
});

test('asking for the offset does not disturb an active sender', async (t) => {
  const { prem } = await start(t);
  const bytes = makeBytes(CHUNK_BYTES + MIB);
  const path = await announceByTus(prem, bytes.length);
  const slow = await openPatch(prem, path, { offset: 0, length: bytes.length });
  const answered = once(slow, 'response');
  let isDone = false;
  const polling = (async () => {
    while (!isDone) assert.ok((await offsetByTus(prem, path).catch(() => 0)) <= bytes.length);
  })();
  for (let at = 0; at < bytes.length; at += 512 * KIB) {
    await write(slow, bytes.subarray(at, at + 512 * KIB));
    await sleep(100);
  }
  slow.end();
  const [response] = await answered;
  isDone = true;
  await polling;
  assert.equal(response.statusCode, 204);
  response.resume();
  await requireStored(prem, await expectOk(await tusCall(prem, 'HEAD', path)), bytes);
});

test('terminating an upload while bytes arrive removes it and the bytes', async (t) => {
  const { server, prem } = await start(t);
  const bytes = makeBytes(2 * CHUNK_BYTES);
  for (const size of [CHUNK_BYTES / 2, bytes.length]) {
    const path = await announceByTus(prem, size);
    const sender = await openPatch(prem, path, { offset: 0, length: size });
    await write(sender, bytes.subarray(0, size - 1));
    assert.equal((await tusCall(prem, 'DELETE', path)).status, 204);
    sender.destroy();
    assert.equal((await tusCall(prem, 'HEAD', path)).status, 404);
  }
  assert.deepEqual(await prem.call(listUploads), []);
  assert.deepEqual(await Array.fromAsync(server.context.blobs.list()), []);
});

test('concurrent last bytes, termination and HEAD leave a complete file or nothing', async (t) => {
  const { prem } = await start(t);
  for (let round = 0; round < 5; round += 1) {
    const path = await announceByTus(prem, 1_000);
    await expectOk(await patchByTus(prem, path, { offset: 0, body: Buffer.alloc(500) }));
    const body = Buffer.alloc(500);
    const calls = [
      patchByTus(prem, path, { offset: 500, body }),
      tusCall(prem, 'DELETE', path),
      tusCall(prem, 'HEAD', path),
      patchByTus(prem, path, { offset: 500, body }),
    ];
    const statuses = await Promise.all(
      calls.map((call) =>
        call.then(
          ({ status }) => status,
          () => CUT_OFF,
        ),
      ),
    );
    assert.ok(
      statuses.every((status) => [CUT_OFF, 200, 204, 400, 404, 409, UNAVAILABLE].includes(status)),
      statuses.join(),
    );
    const { status } = await tusCall(prem, 'HEAD', path);
    assert.equal(status, statuses[1] === 204 ? 404 : 200, statuses.join());
  }
  assert.deepEqual(await prem.call(listUploads), []);
});

test('a chunk sent by the other API and a tus piece are never mixed', async (t) => {
  const { prem } = await start(t);
  const [ours, theirs] = [makeBytes(CHUNK_BYTES, 'ours'), makeBytes(CHUNK_BYTES, 'theirs')];
  const path = await announceByTus(prem, CHUNK_BYTES);
  const uploadId = path.split('/').at(-1)!;
  await expectOk(await patchByTus(prem, path, { offset: 0, body: ours.subarray(0, MIB) }));
  // A sender that is too late, because the file is already complete, is disconnected.
  await Promise.allSettled([
    patchByTus(prem, path, { offset: MIB, body: ours.subarray(MIB) }),
    sendChunk(prem, { uploadId, index: 0, body: new Uint8Array(theirs) }),
  ]);
  const offset = await offsetByTus(prem, path);
  if (offset < CHUNK_BYTES)
    await expectOk(await patchByTus(prem, path, { offset, body: ours.subarray(offset) }));
  const head = await expectOk(await tusCall(prem, 'HEAD', path));
  const token = tokenOfLink(head);
  const { files } = await prem.call(viewDownload, { params: { token } });
  const stored = Buffer.from(await (await prem.fetch(fileDownloadPath(token, files![0]!.id))).arrayBuffer());
  assert.ok(stored.equals(ours) || stored.equals(theirs));
});

test('concurrent announcements never reserve more than the plan allows', async (t) => {
  const { server } = await start(t);
  const frida = await server.signIn('frida');
  const headers = { 'upload-length': String(GIB) };
  const answers = await Promise.all(
    Array.from({ length: 16 }, () => tusCall(frida, 'POST', '/api/tus', { headers })),
  );
  const statuses = answers.map(({ status }) => status).sort();
  assert.deepEqual(statuses, [...Array(10).fill(201), ...Array(6).fill(413)]);
});

test('an upload idle for a day expires, as announced in Upload-Expires', async (t) => {
  const { server, prem } = await start(t);
  const path = await announceByTus(prem, 100);
  server.clock.advance(20 * HOUR_MS);
  const answer = await expectOk(await patchByTus(prem, path, { offset: 0, body: Buffer.alloc(50) }));
  const expires = Date.parse(answer.headers.get('upload-expires')!);
  assert.ok(Math.abs(expires - (server.clock.now() + DAY_MS)) <= 61_000);
  await sweepFor(server, 23 * HOUR_MS);
  assert.equal(await offsetByTus(prem, path), 50);
  await sweepFor(server, 5 * HOUR_MS);
  assert.equal((await tusCall(prem, 'HEAD', path)).status, 404);
  assert.deepEqual(await prem.call(listTransfers), []);
});

async function sweepFor(server: Awaited<ReturnType<typeof startTestServer>>, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += HOUR_MS) {
    server.clock.advance(HOUR_MS);
    await server.drainJobs();
  }
}

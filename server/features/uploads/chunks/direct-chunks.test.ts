import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { crc32 } from 'node:zlib';
import { ApiError } from '../../../../client/api-error.ts';
import { runSystemChecks } from '../../../../contracts/admin/system.ts';
import { planChunks } from '../../../../contracts/plans/limits.ts';
import { viewDownload } from '../../../../contracts/transfers/downloads/downloads.ts';
import {
  confirmChunks,
  listChunks,
  listUploads,
  signChunks,
} from '../../../../contracts/transfers/uploads/uploads.ts';
import { fileDownloadPath, zipDownloadPath } from '../../../../contracts/values/addresses/links.ts';
import { PAGES } from '../../../../contracts/values/addresses/pages.ts';
import { MIB } from '../../../../contracts/values/sizes.ts';
import type { Client } from '../../../../testing/calls/client.ts';
import { startDirectServer } from '../../../../testing/storage/direct-bucket.ts';
import { isS3ServerInstalled, openS3Server, type S3Server } from '../../../../testing/storage/s3-server.ts';
import type { TestServer } from '../../../../testing/test-context.ts';
import { sha256 } from '../../../../testing/uploads/send-transfer.ts';
import {
  announceFile,
  completeFile,
  makeBytes,
  sendChunk,
  uploadFile,
} from '../../../../testing/uploads/upload-files.ts';

const SIZE = 12 * MIB + 5;
const { chunkSize, totalChunks } = planChunks(SIZE);

if (isS3ServerInstalled()) testDirect();
else test('direct chunks', { skip: 'OpenStack Swift is missing: run bin/install-test-servers.ts' });

function testDirect(): void {
  let s3: S3Server;
  before(async () => {
    s3 = await openS3Server();
  });
  after(() => s3?.stop());

  test('chunks can be sent directly to the bucket, resumed and mixed with chunks sent to the server', async (t) => {
    const { server, proxy } = await startDirectServer(t, s3);
    const frida = await server.signIn('frida');
    const bytes = makeBytes(SIZE);
    const session = await announceFile(frida, 'large.bin', bytes);
    const { uploadId } = session;
    assert.equal(session.direct, true);
    await putDirect(frida, uploadId, bytes, [0]);
    assert.deepEqual(
      await frida.call(confirmChunks, { params: { uploadId }, body: { indexes: [0, 1, 1] } }),
      {
        chunks: [0],
      },
    );
    assert.deepEqual(await frida.call(listChunks, { params: { uploadId } }), { chunks: [0] });
    const [unfinished] = await frida.call(listUploads, {});
    assert.deepEqual([unfinished!.direct, unfinished!.receivedChunks], [true, [0]]);
    const body = new Uint8Array(chunkAt(bytes, 1));
    assert.equal((await sendChunk(frida, { uploadId, index: 1, body })).status, 200);
    await assert.rejects(completeFile(frida, uploadId), isCode('chunks_missing'));
    await putDirect(frida, uploadId, bytes, [2]);
    await assert.rejects(completeFile(frida, uploadId), isCode('chunks_missing'));
    await frida.call(confirmChunks, { params: { uploadId }, body: { indexes: [2] } });
    const { token } = await completeFile(frida, uploadId);
    await server.drainJobs();
    const { files } = await server.anonymous().call(viewDownload, { params: { token } });
    assert.equal(files![0]!.sha256, sha256(bytes), 'the job has read the same bytes, with the same CRC-32');
    const puts = proxy.seen.filter(
      ({ url }) => url.includes('X-Amz-Signature') && url.includes('partNumber'),
    );
    assert.ok(puts.some(({ method }) => method === 'PUT'));
  });

  test('chunks of other users’ and closed uploads are refused as for any chunk', async (t) => {
    const { server } = await startDirectServer(t, s3);
    const [frida, paula] = [await server.signIn('frida'), await server.signIn('paula')];
    const bytes = makeBytes(SIZE);
    const { uploadId } = await announceFile(frida, 'large.bin', bytes);
    const parts = [{ index: 0, crc32: 1 }];
    for (const call of [
      () => paula.call(signChunks, { params: { uploadId }, body: { parts } }),
      () => paula.call(confirmChunks, { params: { uploadId }, body: { indexes: [0] } }),
    ])
      await assert.rejects(call(), isCode('upload_not_found'));
    await assert.rejects(
      frida.call(signChunks, { params: { uploadId }, body: { parts: [{ index: totalChunks, crc32: 1 }] } }),
      isCode('chunk_index_out_of_range'),
    );
    const small = await uploadFile(frida, 'small.txt', Buffer.from('small'));
    await assert.rejects(
      frida.call(signChunks, { params: { uploadId: small.uploadId }, body: { parts } }),
      isCode('upload_closed'),
    );
    const tiny = await announceFile(frida, 'tiny.txt', Buffer.from('tiny'));
    assert.equal(tiny.direct, undefined);
    const answer = await frida.call(signChunks, { params: { uploadId: tiny.uploadId }, body: { parts } });
    assert.deepEqual(answer, { parts: [] });
  });

  test('a download is counted, then redirected to the bucket; resuming is free; the server answers zips and HEAD', async (t) => {
    const { server, proxy } = await startDirectServer(t, s3);
    const frida = await server.signIn('frida');
    const bytes = makeBytes(SIZE);
    const { token } = await uploadFile(frida, 'größe.bin', bytes);
    const fileId = await onlyFileId(server);
    const path = fileDownloadPath(token, fileId);
    const guest = server.anonymous();
    const head = await guest.fetch(path, { method: 'HEAD' });
    assert.deepEqual([head.status, head.headers.get('content-length')], [200, String(SIZE)]);
    assert.equal(await countOf(server, token), 0);
    const first = await guest.fetch(path);
    assert.deepEqual([first.status, first.headers.get('cache-control')], [302, 'no-store']);
    const location = first.headers.get('location')!;
    assert.ok(location.startsWith(`${proxy.endpoint}/`));
    const whole = await fetch(location);
    assert.equal(whole.headers.get('content-length'), String(SIZE));
    assert.match(whole.headers.get('content-disposition')!, /^attachment; .*UTF-8''gr%C3%B6%C3%9Fe\.bin$/);
    assert.ok(Buffer.from(await whole.arrayBuffer()).equals(bytes));
    assert.equal(await countOf(server, token), 1);
    const rest = await guest.fetch(path, { headers: { range: 'bytes=1000-' } });
    assert.equal(rest.status, 302);
    const tail = await fetch(rest.headers.get('location')!, { headers: { range: 'bytes=1000-' } });
    assert.ok(Buffer.from(await tail.arrayBuffer()).equals(bytes.subarray(1000)));
    assert.equal(await countOf(server, token), 1);
    const stranger = await server.anonymous().fetch(path, { headers: { range: 'bytes=1000-' } });
    assert.equal(stranger.status, 302);
    assert.equal(await countOf(server, token), 2);
    const ours = { 'if-range': head.headers.get('etag')!, range: 'bytes=5-9' };
    const streamed = await guest.fetch(path, { headers: ours });
    assert.equal(streamed.status, 206);
    assert.ok(Buffer.from(await streamed.arrayBuffer()).equals(bytes.subarray(5, 10)));
    assert.equal((await guest.fetch(path, { headers: { range: `bytes=${SIZE}-` } })).status, 416);
    const zip = await guest.fetch(zipDownloadPath(token));
    assert.equal(zip.status, 200);
    await zip.arrayBuffer();
    assert.equal(await countOf(server, token), 3);
  });

  test('five concurrent downloads at a limit of two get exactly two addresses', async (t) => {
    const { server } = await startDirectServer(t, s3);
    const frida = await server.signIn('paula');
    const { token } = await uploadFile(frida, 'a.txt', Buffer.from('hello'), { maxDownloads: 2 });
    const path = fileDownloadPath(token, await onlyFileId(server));
    const answers = await Promise.all([1, 2, 3, 4, 5].map(() => server.anonymous().fetch(path)));
    const statuses = answers.map(({ status }) => status).sort();
    assert.deepEqual(statuses.slice(0, 2), [302, 302]);
    assert.ok(statuses.slice(2).every((status) => status >= 400));
  });

  test('the server streams auto-delete transfers, so that it knows when downloads end', async (t) => {
    const { server } = await startDirectServer(t, s3);
    const paula = await server.signIn('paula');
    const settings = { maxDownloads: 1, autoDeleteAfterDownloads: true };
    const { token } = await uploadFile(paula, 'a.txt', Buffer.from('hello'), settings);
    const response = await server.anonymous().fetch(fileDownloadPath(token, await onlyFileId(server)));
    assert.deepEqual([response.status, await response.text()], [200, 'hello']);
  });

  test('a bucket without checksums is logged once, and bytes go through the server as usual', async (t) => {
    const { server } = await startDirectServer(t, s3, { checksums: false });
    const [ada, frida] = [await server.signIn('ada'), await server.signIn('frida')];
    const found = (await ada.call(runSystemChecks, { body: {} })).find(
      ({ name }) => name === 'storage-direct',
    )!;
    assert.equal(found.state, 'warning');
    assert.match(found.found, /accepts other bytes than were signed/);
    const bytes = makeBytes(SIZE);
    const session = await announceFile(frida, 'large.bin', bytes);
    assert.equal(session.direct, undefined);
    const { token } = await uploadFile(frida, 'a.txt', Buffer.from('hello'));
    const response = await server.anonymous().fetch(fileDownloadPath(token, await onlyFileId(server)));
    assert.deepEqual([response.status, await response.text()], [200, 'hello']);
  });

  test('the administrators’ check enables direct uploads and allows pages to connect to the bucket', async (t) => {
    const { server, proxy } = await startDirectServer(t, s3);
    const ada = await server.signIn('ada');
    const fetchState = async () =>
      (await ada.call(runSystemChecks, { body: {} })).find(({ name }) => name === 'storage-direct')!;
    assert.equal((await fetchState()).state, 'ok');
    proxy.origins = [];
    const closed = await fetchState();
    assert.equal(closed.state, 'warning');
    assert.match(closed.fix!, /CORS configuration: \[\{"AllowedOrigins":\["http:\/\/localhost:3000"\]/);
    assert.equal(server.context.blobs.direct!.isOpen, false);
    const page = await server.anonymous().fetch(PAGES.dashboard);
    const policy = page.headers.get('content-security-policy');
    if (policy) assert.ok(policy.includes(`connect-src 'self' ${proxy.endpoint}`), policy);
  });
}

async function putDirect(client: Client, uploadId: string, bytes: Buffer, indexes: number[]): Promise<void> {
  const parts = indexes.map((index) => ({ index, crc32: crc32(chunkAt(bytes, index)) }));
  const signed = await client.call(signChunks, { params: { uploadId }, body: { parts } });
  assert.deepEqual(
    signed.parts.map(({ index }) => index),
    indexes,
  );
  for (const { index, url, headers } of signed.parts) {
    const response = await fetch(url, {
      method: 'PUT',
      headers,
      body: new Uint8Array(chunkAt(bytes, index)),
    });
    assert.equal(response.status, 200, await response.text());
  }
}

function chunkAt(bytes: Buffer, index: number): Buffer {
  return bytes.subarray(index * chunkSize, (index + 1) * chunkSize);
}

const isCode = (code: string) => (error: unknown) => error instanceof ApiError && error.code === code;

async function onlyFileId({ context }: TestServer): Promise<string> {
  return (await context.db.selectFrom('files').select('id').executeTakeFirstOrThrow()).id;
}

async function countOf(server: TestServer, token: string): Promise<number> {
  return (await server.anonymous().call(viewDownload, { params: { token } })).downloadCount!;
}

import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { Upload, type UploadOptions } from 'tus-js-client';
import { CHUNK_BYTES } from '../../../../contracts/plans/limits.ts';
import { viewDownload } from '../../../../contracts/transfers/downloads/downloads.ts';
import { getTransfer, listTransfers } from '../../../../contracts/transfers/transfers.ts';
import { listUploads } from '../../../../contracts/transfers/uploads/uploads.ts';
import { fileDownloadPath } from '../../../../contracts/values/addresses/links.ts';
import { KIB, MIB } from '../../../../contracts/values/sizes.ts';
import { createApiKey } from '../../../../testing/calls/api-keys.ts';
import { Client } from '../../../../testing/calls/client.ts';
import { onlyInAll } from '../../../../testing/lib/only-in-all.ts';
import { startFaultProxy } from '../../../../testing/network/fault-proxy.ts';
import { startServerProcess } from '../../../../testing/processes/server-process.ts';
import { startTestServer } from '../../../../testing/test-context.ts';
import {
  memoryUrlStorage,
  resumePrevious,
  runTusUpload,
  tusOptions,
} from '../../../../testing/uploads/tus-uploads.ts';
import { makeBytes } from '../../../../testing/uploads/upload-files.ts';

async function start(t: TestContext) {
  const server = await startTestServer(t);
  return { server, prem: await server.signIn('prem') };
}

async function requireStored(client: Client, link: string, bytes: Buffer): Promise<void> {
  const token = link.split('/').at(-1)!;
  const { files } = await client.call(viewDownload, { params: { token } });
  const response = await client.fetch(fileDownloadPath(token, files![0]!.id));
  assert.ok(Buffer.from(await response.arrayBuffer()).equals(bytes));
}

/**
 * Sends requests of `chunkSize` bytes until at least `atBytes` are acknowledged, then stops. Without `chunkSize` it
 * relies on the client's progress, which lags by 100 ms or more.
 */
function sendUntil(
  bytes: Buffer,
  atBytes: number,
  options: UploadOptions & { chunkSize: number },
): Promise<void> {
  return new Promise((resolve, reject) => {
    const upload = new Upload(bytes, {
      ...options,
      onError: reject,
      onChunkComplete: (_size, acknowledgedBytes) => {
        if (acknowledgedBytes >= atBytes) upload.abort().then(resolve, reject);
      },
    });
    upload.start();
  });
}

const SIZES: [name: string, sizeBytes: number, chunkSize: number][] = [
  ['nothing', 0, Number.POSITIVE_INFINITY],
  ['one byte', 1, Number.POSITIVE_INFINITY],
  ['exactly a chunk', CHUNK_BYTES, Number.POSITIVE_INFINITY],
  ['chunks and a bit in one request', 2 * CHUNK_BYTES + 1, Number.POSITIVE_INFINITY],
  ['pieces smaller than our chunks', CHUNK_BYTES + MIB + 3, 300 * KIB],
  ['pieces larger than our chunks', 3 * CHUNK_BYTES - 1, 7 * MIB + 1],
];
for (const [name, sizeBytes, chunkSize] of SIZES)
  for (const uploadDataDuringCreation of [false, true])
    test(`tus-js-client sends ${name}${uploadDataDuringCreation ? ', starting with the announcement' : ''}`, async (t) => {
      const { prem } = await start(t);
      const bytes = makeBytes(sizeBytes);
      const metadata = { filename: 'a.bin', filetype: 'image/png' };
      const sent = await runTusUpload(
        bytes,
        tusOptions(prem, { chunkSize, uploadDataDuringCreation, metadata }),
      );
      await requireStored(prem, sent.link, bytes);
      assert.equal((await prem.call(listTransfers)).length, 1);
      assert.deepEqual(await prem.call(listUploads), []);
    });

test('tus-js-client resumes where it stopped, even within a chunk, with PATCH or POST only', async (t) => {
  const { prem } = await start(t);
  for (const overridePatchMethod of [false, true]) {
    const bytes = makeBytes(3 * CHUNK_BYTES, `${overridePatchMethod}`);
    const urlStorage = memoryUrlStorage();
    const options = {
      ...tusOptions(prem, { urlStorage, overridePatchMethod }),
      chunkSize: 1.5 * MIB,
    };
    for (const atBytes of [MIB, 6 * MIB, 6 * MIB + 1, 12 * MIB])
      await sendAgainUntil(bytes, atBytes, options);
    const offsets: number[] = [];
    const onAfterResponse: UploadOptions['onAfterResponse'] = (request, response) => {
      if (request.getMethod() === 'HEAD') offsets.push(Number(response.getHeader('Upload-Offset')));
    };
    const { link } = await runTusUpload(bytes, { ...options, onAfterResponse }, resumePrevious);
    assert.ok(offsets[0]! >= 12 * MIB, `it went on at ${offsets[0]}`);
    await requireStored(prem, link, bytes);
  }
  assert.equal((await prem.call(listTransfers)).length, 2);
});

async function sendAgainUntil(
  bytes: Buffer,
  atBytes: number,
  options: UploadOptions & { chunkSize: number },
): Promise<void> {
  const upload = new Upload(bytes, options);
  const [previous] = await upload.findPreviousUploads();
  await sendUntil(bytes, atBytes, { ...options, ...(previous && { uploadUrl: previous.uploadUrl }) });
}

test('tus-js-client treats a changed file as a new one, and can terminate an upload', async (t) => {
  const { prem } = await start(t);
  const options = tusOptions(prem, { urlStorage: memoryUrlStorage() });
  const before = makeBytes(2 * CHUNK_BYTES, 'before');
  const after = makeBytes(2 * CHUNK_BYTES, 'after');
  await sendUntil(before, CHUNK_BYTES, { ...options, chunkSize: CHUNK_BYTES });
  const { link } = await runTusUpload(after, options, resumePrevious);
  await requireStored(prem, link, after);
  const [left] = await prem.call(listUploads);
  await Upload.terminate(`${prem.url}/api/tus/${left!.uploadId}`, options);
  assert.deepEqual(await prem.call(listUploads), []);
});

test('tus-js-client reports refusals instead of retrying forever', async (t) => {
  const { server } = await start(t);
  const frida = await server.signIn('frida');
  const options = tusOptions(frida, { metadata: { password: 'secret' } });
  await assert.rejects(runTusUpload(makeBytes(5), options), /402/);
  await assert.rejects(
    runTusUpload(makeBytes(5), { ...options, metadata: {}, uploadLengthDeferred: true, uploadSize: null }),
    /400/,
  );
  await assert.rejects(runTusUpload(makeBytes(5), { ...options, metadata: {}, parallelUploads: 2 }), /400/);
});

test('a folder becomes one transfer with each file’s path, identified by a key', async (t) => {
  const { server, prem } = await start(t);
  const { headers } = await createApiKey(server.context, server.userId('prem'));
  const paths = Array.from({ length: 12 }, (_, index) => `album/day ${index % 3}/picture-${index}.bin`);
  const shared = { transfer: 'album', fileCount: String(paths.length), title: 'Album' };
  const sent = await Promise.all(
    paths.map((relativePath, index) => {
      const metadata = { filename: `picture-${index}.bin`, relativePath, ...shared };
      return runTusUpload(makeBytes(100_000 * index, relativePath), tusOptions(prem, { headers, metadata }));
    }),
  );
  assert.equal(new Set(sent.map(({ link }) => link)).size, 1);
  const transfer = await prem.call(getTransfer, { params: { id: sent[0]!.transferId } });
  assert.deepEqual([transfer.title, transfer.fileCount], ['Album', 12]);
  assert.deepEqual(transfer.files.map(({ relativePath }) => relativePath).sort(), [...paths].sort());
});

test('a connection cut ten times costs little: tus-js-client resumes and the bytes match', async (t) => {
  const { server, prem } = await start(t);
  const proxy = await startFaultProxy(server.url);
  t.after(() => proxy.stop());
  const bytes = makeBytes(40 * MIB);
  proxy.cutAt = Array.from({ length: 10 }, (_, index) => (index + 1) * 3_700_001);
  const through = new Client(proxy.endpoint);
  for (const cookie of prem.jar.list()) through.jar.add(cookie);
  const { link } = await runTusUpload(bytes, tusOptions(through));
  assert.deepEqual(proxy.cutAt, []);
  const patches = proxy.seen.filter(({ method }) => method === 'PATCH').length;
  assert.ok(patches >= 11, `${patches} PATCH requests`);
  await requireStored(prem, link, bytes);
});

test('a killed server loses no acknowledged bytes, and the client resumes', onlyInAll, async (t) => {
  const server = await startServerProcess(t);
  const client = await server.signIn();
  const bytes = makeBytes(30 * MIB + 77);
  let kills = 0;
  let restarting: Promise<void> | undefined;
  let acknowledged = 0;
  const options = tusOptions(client, {
    chunkSize: 2 * MIB + 5,
    retryDelays: Array.from({ length: 200 }, () => 100),
    onAfterResponse: (request, response) => {
      const offset = Number(response.getHeader('Upload-Offset') ?? Number.NaN);
      if (request.getMethod() === 'HEAD')
        assert.ok(offset >= acknowledged, `acknowledged ${acknowledged}, found ${offset}`);
      if (offset > acknowledged) acknowledged = offset;
    },
    onProgress: (sent) => {
      if (kills >= 3 || sent < (kills + 1) * 7_000_000) return;
      kills += 1;
      restarting = server.restart();
    },
  });
  const { link } = await runTusUpload(bytes, options);
  await restarting;
  assert.equal(kills, 3);
  await requireStored(client, link, bytes);
  assert.equal((await client.call(listTransfers)).length, 1);
});

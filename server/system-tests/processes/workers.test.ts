import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, afterEach, before, describe, type TestContext, test } from 'node:test';
import { CHUNK_BYTES } from '../../../contracts/plans/limits.ts';
import { listTransfers } from '../../../contracts/transfers/transfers.ts';
import { initUploads, listChunks } from '../../../contracts/transfers/uploads/uploads.ts';
import { fileDownloadPath } from '../../../contracts/values/addresses/links.ts';
import { onlyInAll } from '../../../testing/lib/only-in-all.ts';
import { until } from '../../../testing/lib/until.ts';
import {
  getThrough,
  listWorkers,
  postSlowly,
  postThrough,
  workerPeers,
} from '../../../testing/processes/peers.ts';
import {
  printIfFailed,
  type ServerProcess,
  startServerProcess,
} from '../../../testing/processes/server-process.ts';
import { requireWhole } from '../../../testing/uploads/send-transfer.ts';
import { completeFile, describeFile, makeBytes } from '../../../testing/uploads/upload-files.ts';
import { type Db, openDatabase } from '../../platform/db/open.ts';
import { declareSeveralTests, type Several } from './several.suite.ts';

const TWO = { WORKERS: '2' };

describe('two workers on SQLite and a disk', onlyInAll, () => {
  let server: ServerProcess;
  let db: Db;
  const cleanUp: (() => Promise<void>)[] = [];
  before(async () => {
    server = await startServerProcess(afterAll(cleanUp), TWO);
    db = await openDatabase({ file: join(server.dataDir, 'sendwell.db') });
  });
  afterEach((t) => printIfFailed(t, server));
  after(async () => {
    await db.destroy();
    for (const each of cleanUp) await each();
  });

  declareSeveralTests(async () => {
    const [one, other] = workerPeers(server);
    const isStored = (bytes: Buffer) => isBeginningOfFile(join(server.dataDir, 'blobs'), bytes);
    return { peers: [one!, other!], client: await server.signIn(), db, isStored } satisfies Several;
  });
});

describe('a server of two workers', () => {
  test('loses nothing when one is killed in the middle of uploads, and replaces it', async (t) => {
    const server = await startServerProcess(t, TWO);
    const client = await server.signIn();
    const bytes = makeBytes(8 * CHUNK_BYTES - 1_234, 'killed worker');
    const file = { fileName: 'killed.bin', bytes };
    const { transferId, uploads } = await client.call(initUploads, {
      body: { files: [describeFile(file.fileName, bytes)] },
    });
    const { uploadId } = uploads[0]!;
    const chunkAt = (index: number) => ({
      uploadId,
      index,
      bytes: bytes.subarray(index * CHUNK_BYTES, (index + 1) * CHUNK_BYTES),
    });
    const [killed, other] = workerPeers(server);
    for (const index of [0, 1, 2, 3])
      assert.equal(await postThrough(index % 2 ? killed! : other!, client, chunkAt(index)), 200);
    const cut = await postSlowly(killed!, client, chunkAt(4));
    process.kill(killed!.pid, 'SIGKILL');
    assert.equal(await cut.status, undefined);
    for (const index of [4, 5, 6, 7]) assert.equal(await postThrough(other!, client, chunkAt(index)), 200);
    await until(async () => listWorkers(server).filter((pid) => pid !== killed!.pid).length === 2);
    const { chunks } = await client.call(listChunks, { params: { uploadId } });
    assert.equal(chunks.length, 8);
    const settings = { recipientEmails: ['rex@example.org'] };
    const { token } = await completeFile(client, uploadId, settings);
    await requireWhole(client, { id: transferId, token, fileIds: [uploadId], files: [file] });
    assert.equal((await client.call(listTransfers)).length, 1);
    const mails = server.withDatabase((database) =>
      database.prepare(`select count(*) as n from mails where recipient = 'rex@example.org'`).get(),
    );
    assert.equal(mails!.n, 1);
  });

  test('on SIGTERM lets a slow download finish and exits with 0', onlyInAll, async (t) => {
    const server = await startServerProcess(t, TWO);
    const client = await server.signIn();
    const bytes = makeBytes(4 * CHUNK_BYTES, 'slow');
    const { uploadId, token } = await sendOne(server, client, bytes);
    const [, peer] = workerPeers(server);
    const response = await getThrough(peer!, client, fileDownloadPath(token, uploadId));
    const exitCode = server.terminate();
    await until(async () => listWorkers(server).length === 1);
    const received = Buffer.concat(await response.toArray());
    assert.ok(received.equals(bytes));
    assert.equal(await exitCode, 0);
    await server.start();
  });
});

async function sendOne(
  server: ServerProcess,
  client: Awaited<ReturnType<ServerProcess['signIn']>>,
  bytes: Buffer,
) {
  const { uploads } = await client.call(initUploads, { body: { files: [describeFile('one.bin', bytes)] } });
  const { uploadId } = uploads[0]!;
  for (let index = 0; index * CHUNK_BYTES < bytes.length; index += 1) {
    const part = bytes.subarray(index * CHUNK_BYTES, (index + 1) * CHUNK_BYTES);
    assert.equal(await postThrough(workerPeers(server)[0]!, client, { uploadId, index, bytes: part }), 200);
  }
  return { uploadId, token: (await completeFile(client, uploadId)).token };
}

async function isBeginningOfFile(folder: string, bytes: Buffer): Promise<boolean> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const found = await readFile(join(entry.parentPath, entry.name));
    if (found.subarray(0, bytes.length).equals(bytes)) return true;
  }
  return false;
}

/** A test context whose `after` collects cleanups for all tests of a suite. */
function afterAll(cleanUp: (() => Promise<void>)[]): TestContext {
  return { after: (run: () => Promise<void>) => void cleanUp.push(run) } as unknown as TestContext;
}

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { MIB } from '../../contracts/values/sizes.ts';
import { inheritCompileCache } from '../../testing/processes/compile-cache.ts';
import { findProgram } from '../../testing/processes/programs.ts';
import { ServerProcess, startServerProcess } from '../../testing/processes/server-process.ts';
import { isS3ServerInstalled, openS3Server, type S3Server } from '../../testing/storage/s3-server.ts';
import { requireWhole, type SentTransfer, sendTransfer } from '../../testing/uploads/send-transfer.ts';
import {
  announceFile,
  completeFile,
  makeBytes,
  sendChunk,
  sendChunks,
} from '../../testing/uploads/upload-files.ts';

const CLI = findProgram('operator');

if (isS3ServerInstalled()) testMoving();
else test('moving to S3', { skip: 'OpenStack Swift is missing: run bin/install-test-servers.ts' });

function testMoving(): void {
  let s3: S3Server;
  before(async () => {
    s3 = await openS3Server();
  });
  after(() => s3?.stop());

  test('files are moved during downloads and uploads, and kill -9 in the middle loses nothing', async (t) => {
    const onDisk = await startServerProcess(t);
    const ada = await onDisk.signIn();
    const transfers = [
      await sendTransfer(ada, [
        { fileName: 'large.bin', bytes: makeBytes(23 * MIB + 1, 'large') },
        ...Array.from({ length: 12 }, (_, index) => ({
          fileName: `small ${index}.txt`,
          bytes: makeBytes(index * 40_000, `small ${index}`),
        })),
      ]),
    ];
    const half = makeBytes(12 * MIB, 'half');
    const { uploadId, transferId } = await announceFile(ada, 'half.bin', half);
    const first = new Uint8Array(half.subarray(0, 5 * MIB));
    assert.equal((await sendChunk(ada, { uploadId, index: 0, body: first })).status, 200);
    await onDisk.terminate();

    const bucket = `move-${randomUUID()}`;
    await s3.createBucket(bucket);
    const env = {
      S3_BUCKET: bucket,
      S3_ENDPOINT: s3.endpoint,
      S3_REGION: s3.region,
      S3_ACCESS_KEY_ID: s3.accessKeyId,
      S3_SECRET_ACCESS_KEY: s3.secretAccessKey,
      S3_FORCE_PATH_STYLE: 'on',
    };
    const server = new ServerProcess(onDisk.port, onDisk.dataDir, env);
    t.after(() => server.kill());
    await server.start();
    const moving = { dataDir: server.dataDir, env };

    const before = listBlobs(server);
    const dry = await runCli(moving, ['--dry-run', '--json']);
    assert.deepEqual(
      [dry.code, JSON.parse(dry.output).moved, JSON.parse(dry.output).busy],
      [3, before.length - 1, 1],
    );
    assert.deepEqual(listBlobs(server), before);

    let isOver = false;
    const downloading = keepDownloading(server, transfers, () => isOver);
    // The bucket gets six parts: five of the large file and one of the small ones.
    for (const parts of [1, 3, 5]) {
      const { code } = await runCli(moving, ['--mib-per-second', '6'], () => countParts(server) >= parts);
      assert.equal(code, null, 'killed in the middle');
    }
    transfers.push(await sendTransfer(ada, [{ fileName: 'new.bin', bytes: makeBytes(6 * MIB, 'new') }]));
    const most = await runCli(moving, ['--json']);
    assert.deepEqual([most.code, JSON.parse(most.output).busy], [3, 1], most.output);

    await sendChunks(ada, uploadId, half);
    const { token } = await completeFile(ada, uploadId);
    transfers.push({
      id: transferId,
      token,
      fileIds: [uploadId],
      files: [{ fileName: 'half.bin', bytes: half }],
    });
    const last = await runCli(moving, ['--json']);
    assert.deepEqual([last.code, JSON.parse(last.output).busy], [0, 0], last.output);
    assert.deepEqual(listBlobs(server), []);
    isOver = true;
    assert.ok((await downloading) > 0);
    for (const transfer of transfers) await requireWhole(server.anonymous(), transfer);
    await server.restart();
    for (const transfer of transfers) await requireWhole(server.anonymous(), transfer);
  });

  test('the command fails without a configured bucket', async (t) => {
    const server = await startServerProcess(t);
    const { code, errors } = await runCli({ dataDir: server.dataDir, env: {} }, []);
    assert.notEqual(code, 0);
    assert.match(errors, /S3_BUCKET/);
  });
}

/** Downloads all files repeatedly and returns the number of rounds. Throws if a download is incomplete. */
async function keepDownloading(
  server: ServerProcess,
  transfers: readonly SentTransfer[],
  isOver: () => boolean,
): Promise<number> {
  let rounds = 0;
  for (; !isOver(); rounds += 1)
    for (const transfer of [...transfers]) await requireWhole(server.anonymous(), transfer);
  return rounds;
}

type Ended = { code: number | null; output: string; errors: string };

/** Runs the command in a separate process and kills it as soon as `isKilledNow` returns true. */
async function runCli(
  { dataDir, env }: { dataDir: string; env: Record<string, string> },
  args: string[],
  isKilledNow?: () => boolean,
): Promise<Ended> {
  const child = spawn(process.execPath, [CLI, 'move-to-s3', ...args], {
    env: { PATH: process.env.PATH, ...inheritCompileCache(), ENV_FILE: 'off', DATA_DIR: dataDir, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended: Ended = { code: null, output: '', errors: '' };
  child.stdout.on('data', (bytes) => (ended.output += bytes));
  child.stderr.on('data', (bytes) => (ended.errors += bytes));
  const closed = once(child, 'close');
  if (isKilledNow) {
    while (child.exitCode === null && !isKilledNow()) await sleep(20);
    child.kill('SIGKILL');
  }
  [ended.code] = (await closed) as [number | null];
  return ended;
}

function listBlobs({ dataDir }: ServerProcess): string[] {
  const root = join(dataDir, 'blobs');
  if (!existsSync(root)) return [];
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\.(notes|json)$/.test(entry.name))
    .map(({ name }) => name)
    .sort();
}

function countParts(server: ServerProcess): number {
  return server.withDatabase(
    (database) => (database.prepare('SELECT count(*) AS n FROM "storageParts"').get() as { n: number }).n,
  );
}

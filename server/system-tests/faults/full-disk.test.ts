import assert from 'node:assert/strict';
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '../../../client/api-error.ts';
import { login, logout } from '../../../contracts/accounts/accounts.ts';
import { deleteAnyTransfer } from '../../../contracts/admin/transfers.ts';
import { planChunks } from '../../../contracts/plans/limits.ts';
import { viewDownload } from '../../../contracts/transfers/downloads/downloads.ts';
import { deleteTransfer, listTransfers } from '../../../contracts/transfers/transfers.ts';
import { abortUpload, listUploads } from '../../../contracts/transfers/uploads/uploads.ts';
import { zipDownloadPath } from '../../../contracts/values/addresses/links.ts';
import { MIB } from '../../../contracts/values/sizes.ts';
import type { Client } from '../../../testing/calls/client.ts';
import { CAST, PASSWORD } from '../../../testing/cast.ts';
import { onlyInAll } from '../../../testing/lib/only-in-all.ts';
import { until } from '../../../testing/lib/until.ts';
import { prepareServerProcess, type ServerProcess } from '../../../testing/processes/server-process.ts';
import { mountSmallDisk, type SmallDisk } from '../../../testing/storage/small-disk.ts';
import { requireWhole, sendTransfer } from '../../../testing/uploads/send-transfer.ts';
import { announceFile, makeBytes, sendChunk, sendChunks } from '../../../testing/uploads/upload-files.ts';

const DISK_BYTES = 512 * MIB;
/** A 64th of the disk. */
const BALLAST_BYTES = 8 * MIB;

test(
  'on a full disk everything but uploads works, also after a restart, and deleting transfers frees it',
  onlyInAll,
  async (t) => {
    const world = await openWorld(t);
    if (!world) return;
    const { server, disk, client } = world;
    const files = [
      { fileName: 'a.bin', bytes: makeBytes(3 * MIB) },
      { fileName: 'b.bin', bytes: makeBytes(20) },
    ];
    const [kept, limited, first, second] = [
      await sendTransfer(client, files),
      await sendTransfer(client, files, { maxDownloads: 2 }),
      await sendTransfer(client, files),
      await sendTransfer(client, files),
    ];
    const large = makeBytes(20 * MIB, 'large');
    const { uploadId } = await announceFile(client, 'open.bin', large);
    assert.equal((await sendOne(client, { uploadId, bytes: large }, 0)).status, 200);

    // Otherwise the first writes reuse space in SQLite's write-ahead log.
    server.withDatabase((database) => database.exec('pragma wal_checkpoint(truncate)'));
    // The server may free a page meanwhile.
    await until(async () => {
      disk.resize(0);
      return disk.freeBytes() === 0;
    });
    await requireFullDisk(server, client, { uploadId, bytes: large });
    const other = server.anonymous();
    await other.call(login, { body: { username: CAST.ada.username, password: PASSWORD } });
    await requireWhole(server.anonymous(), kept);
    for (const status of [200, 200, 410]) {
      const zip = await server.anonymous().fetch(zipDownloadPath(limited!.token));
      await zip.arrayBuffer();
      assert.equal(zip.status, status);
    }
    assert.equal((await other.call(viewDownload, { params: { token: kept!.token } })).downloadCount, 2);
    assert.ok(ballastBytes(server) < BALLAST_BYTES, 'the ballast made space for that');

    await server.restart();
    await requireFullDisk(server, client, { uploadId, bytes: large });
    await other.call(logout);
    await client.call(abortUpload, { params: { uploadId } });
    assert.deepEqual(await client.call(listUploads), []);
    await client.call(deleteTransfer, { params: { id: first!.id } });
    await client.call(deleteAnyTransfer, { params: { id: second!.id } });
    assert.equal((await client.call(listTransfers)).length, 2);
    await until(async () => disk.freeBytes() > 2 * 3 * MIB);

    disk.resize(DISK_BYTES);
    await until(async () => (await readiness(server)).text === '{"status":"ok"}');
    while (ballastBytes(server) < BALLAST_BYTES) await sleep(50);
    await requireWhole(client, await sendTransfer(client, files));
  },
);

test('chunks are refused below the reserve, and the upload resumes when there is space', async (t) => {
  const world = await openWorld(t);
  if (!world) return;
  const { client, disk } = world;
  const bytes = makeBytes(20 * MIB);
  const { uploadId } = await announceFile(client, 'a.bin', bytes);
  disk.resize(300 * MIB - 4 * MIB);
  disk.fill(258 * MIB);
  // The server's last measurement of the free space may be 250 ms old.
  await sleep(300);
  await assert.rejects(sendChunks(client, uploadId, bytes), /507 .*not enough storage/);
  assert.ok(disk.freeBytes() > 250 * MIB, 'the reserve is still free');
  disk.resize(DISK_BYTES);
  await until(() =>
    sendChunks(client, uploadId, bytes).then(
      () => true,
      () => false,
    ),
  );
});

type World = { server: ServerProcess; disk: SmallDisk; client: Client };

async function openWorld(t: TestContext): Promise<World | undefined> {
  const disk = await mountSmallDisk(t, DISK_BYTES);
  if (!disk) return undefined;
  const server = await prepareServerProcess(t, { DATA_DIR: disk.path });
  Object.assign(server, { dataDir: disk.path });
  // The server would create the ballast some seconds after its start.
  writeFileSync(join(disk.path, 'ballast'), Buffer.alloc(BALLAST_BYTES), { mode: 0o600 });
  await server.start();
  return { server, disk, client: await server.signIn() };
}

/** Asserts that uploads are refused with 507 and that the server reports the reason and stays ready. */
async function requireFullDisk(server: ServerProcess, client: Client, upload: Sent): Promise<void> {
  // The measured free space may be a quarter of a second old.
  await until(async () => /"degraded".*The disk is (nearly )?full/.test((await readiness(server)).text));
  assert.equal((await readiness(server)).status, 200);
  assert.equal((await server.anonymous().fetch('/healthz')).status, 200);
  const isRefused = (error: unknown) => error instanceof ApiError && error.status === 507;
  await assert.rejects(announceFile(client, 'new.bin', upload.bytes), isRefused);
  assert.equal((await sendOne(client, upload, 1)).status, 507);
}

type Sent = { uploadId: string; bytes: Buffer };

function sendOne(client: Client, { uploadId, bytes }: Sent, index: number): Promise<Response> {
  const { chunkSize } = planChunks(bytes.length);
  const body = new Uint8Array(bytes.subarray(index * chunkSize, (index + 1) * chunkSize));
  return sendChunk(client, { uploadId, index, body });
}

function ballastBytes({ dataDir }: ServerProcess): number {
  return statSync(join(dataDir, 'ballast'), { throwIfNoEntry: false })?.size ?? 0;
}

async function readiness(server: ServerProcess): Promise<{ status: number; text: string }> {
  const answer = await server.anonymous().fetch('/readyz');
  return { status: answer.status, text: await answer.text() };
}

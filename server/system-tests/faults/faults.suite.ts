import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '../../../client/api-error.ts';
import { planChunks } from '../../../contracts/plans/limits.ts';
import { viewDownload } from '../../../contracts/transfers/downloads/downloads.ts';
import { deleteTransfer, getTransfer, listTransfers } from '../../../contracts/transfers/transfers.ts';
import {
  type CompletedUpload,
  completeUploads,
  initUploads,
  listChunks,
  listUploads,
} from '../../../contracts/transfers/uploads/uploads.ts';
import { fileDownloadPath, zipDownloadPath } from '../../../contracts/values/addresses/links.ts';
import { KIB, MIB } from '../../../contracts/values/sizes.ts';
import type { Client } from '../../../testing/calls/client.ts';
import { type SeededRandom, seedRandom } from '../../../testing/lib/seeded-random.ts';
import { ResumingDownload } from '../../../testing/network/resuming-download.ts';
import { killAfterTouches } from '../../../testing/processes/kill-moments.ts';
import {
  prepareServerProcess,
  type ServerProcess,
  startServerProcess,
} from '../../../testing/processes/server-process.ts';
import { ChunkLanes, chunkKey, type WireChunk } from '../../../testing/uploads/chunk-lanes.ts';
import {
  type NamedBytes,
  requireWhole,
  sendTransfer,
  sha256,
} from '../../../testing/uploads/send-transfer.ts';
import { describeFile, makeBytes } from '../../../testing/uploads/upload-files.ts';

const RECIPIENT = 'rex@example.org';

/** One file of 8 chunks, the last of them shorter, and five files that share a pack. */
function makeFiles(seed: string): NamedBytes[] {
  const small = [1, 100, 10 * KIB, 10 * KIB, MIB].map((sizeBytes, index) => ({
    fileName: `small-${index}.bin`,
    bytes: makeBytes(sizeBytes, `${seed} ${index}`),
  }));
  return [{ fileName: 'large.bin', bytes: makeBytes(40 * MIB - 4_321, seed) }, ...small];
}

function cutFiles(files: NamedBytes[], uploadIds: string[]): WireChunk[] {
  return files.flatMap(({ bytes }, position) => {
    const { chunkSize, totalChunks } = planChunks(bytes.length);
    return Array.from({ length: totalChunks }, (_, index) => ({
      uploadId: uploadIds[position]!,
      index,
      bytes: bytes.subarray(index * chunkSize, (index + 1) * chunkSize),
    }));
  });
}

async function listMissing(client: Client, chunks: WireChunk[]): Promise<WireChunk[]> {
  const listed = new Set<string>();
  for (const uploadId of new Set(chunks.map((chunk) => chunk.uploadId))) {
    const answer = await client.call(listChunks, { params: { uploadId } });
    for (const index of answer.chunks) listed.add(chunkKey({ uploadId, index }));
  }
  return chunks.filter((chunk) => !listed.has(chunkKey(chunk)));
}

/** Sends the missing chunks and kills the server meanwhile. */
type Interruption = (server: ServerProcess, client: Client, missing: WireChunk[]) => Promise<ChunkLanes>;

/** Kills during request bodies, after a random number of writes by the server. */
function interruptAtWrite(random: SeededRandom): Interruption {
  return async (server, client, missing) => {
    const missingBytes = missing.reduce((sum, { bytes }) => sum + bytes.length, 0);
    const lanes = new ChunkLanes(client);
    await killAfterTouches(server, random.between(1, Math.ceil(missingBytes / 2 / MIB)), lanes.send(missing));
    return lanes;
  };
}

/** Kills right after a random number of chunks was acknowledged. */
function interruptAtAnswer(random: SeededRandom): Interruption {
  return async (server, client, missing) => {
    const at = random.between(1, Math.ceil(missing.length / 2));
    const lanes = new ChunkLanes(client, () => {
      if (lanes.acknowledged.size >= at) void server.kill();
    });
    await lanes.send(missing);
    return lanes;
  };
}

/** Interrupts, restarts the server and returns the chunks that are missing. */
async function recoverFrom(
  interruption: Interruption,
  {
    server,
    client,
    chunks,
    missing,
  }: { server: ServerProcess; client: Client; chunks: WireChunk[]; missing: WireChunk[] },
): Promise<WireChunk[]> {
  const lanes = await interruption(server, client, missing);
  await server.restart();
  const after = await listMissing(client, chunks);
  const lost = after.filter((chunk) => lanes.acknowledged.has(chunkKey(chunk)));
  assert.deepEqual(lost.map(chunkKey), [], 'an acknowledged chunk is not listed');
  const before = new Set(missing.map(chunkKey));
  assert.ok(
    after.every((chunk) => before.has(chunkKey(chunk))),
    'a chunk that was listed before is not listed any more',
  );
  const resent = after.filter((chunk) => lanes.inFlight.has(chunkKey(chunk)));
  assert.ok(resent.length <= 4, `${resent.length} chunks are sent again`);
  return after;
}

type KillAmounts = { uploads: number; downloads: number; deletions: number; firstStarts: number };

/**
 * Kills the server at random moments: three times per upload and once after it, and during downloads,
 * deletions and first starts.
 */
export function declareKillTests({
  uploads,
  downloads: downloadKills,
  deletions,
  firstStarts,
}: KillAmounts): void {
  describe('kill -9', { concurrency: 2 }, () => {
    test(`at ${4 * uploads} moments of uploads: acknowledged chunks are kept, and the missing ones are sent once`, async (t) => {
      const random = seedRandom(t);
      const server = await startServerProcess(t);
      const client = await server.signIn();
      for (let round = 0; round < uploads; round += 1) {
        const files = makeFiles(`upload ${round}`);
        const session = await client.call(initUploads, {
          body: { files: files.map(({ fileName, bytes }) => describeFile(fileName, bytes)) },
        });
        const uploadIds = session.uploads.map(({ uploadId }) => uploadId);
        const chunks = cutFiles(files, uploadIds);
        let missing = chunks;
        for (const choose of [interruptAtWrite, interruptAtAnswer, interruptAtWrite])
          missing = await recoverFrom(choose(random), { server, client, chunks, missing });
        await new ChunkLanes(client).send(missing);

        const complete = () => {
          const settings = { fileCount: files.length, recipientEmails: [RECIPIENT] };
          return client.call(completeUploads, {
            body: { transferId: session.transferId, uploadIds, ...settings },
          });
        };
        // In three of five rounds during the call, otherwise right after its response.
        const touches = round % 2 === 0 ? random.between(0, 3) : Number.POSITIVE_INFINITY;
        const answer = await completeAndKill(server, complete, touches);
        if (answer) assert.equal((await client.call(listTransfers)).length, round + 1);
        const { token } = await complete();
        if (answer) assert.equal(token, answer.token);
        const transfers = await client.call(listTransfers);
        assert.equal(transfers.length, round + 1, 'each upload made exactly one transfer');
        assert.equal(transfers.find(({ id }) => id === session.transferId)?.fileCount, files.length);
        assert.deepEqual(await client.call(listUploads), []);
        assert.equal(countMails(server, session.transferId), 1, 'its recipient gets one mail');
        await requireWhole(client, { id: session.transferId, token, fileIds: uploadIds, files });
      }
    });

    test(`at ${downloadKills} moments of downloads: a file and a zip resume with identical bytes and count once each`, async (t) => {
      const random = seedRandom(t);
      const server = await startServerProcess(t);
      const files = makeFiles('download');
      const transfer = await sendTransfer(await server.signIn(), files, { maxDownloads: 3 });
      const { token } = transfer;
      const whole = await server.anonymous().fetch(zipDownloadPath(token));
      const zipBytes = Buffer.from(await whole.arrayBuffer());

      const file = new ResumingDownload(server.anonymous(), fileDownloadPath(token, transfer.fileIds[0]!));
      const zip = new ResumingDownload(server.anonymous(), zipDownloadPath(token));
      const downloads = [file, zip];
      const unfinished = () => downloads.filter((download) => !download.isWhole);
      const received = () => file.receivedBytes + zip.receivedBytes;
      for (let kills = downloadKills; kills > 0; kills -= 1) {
        // Keeps bytes for the last round.
        const left = files[0]!.bytes.length + zipBytes.length - received();
        const at = received() + random.between(1, Math.floor((2 * left) / (kills + 3)));
        await Promise.all(
          unfinished().map((download) =>
            download.receive(() => {
              // Before the response head arrives, a client cannot prove that its download was counted.
              if (received() < at || downloads.some(({ hasBegun }) => !hasBegun)) return;
              void server.kill();
              for (const each of downloads) each.stop();
            }),
          ),
        );
        await server.restart();
        if (kills === 1) assert.equal(await countDownloads(server, token), 3);
      }
      assert.ok(unfinished().length > 0);
      await Promise.all(unfinished().map((download) => download.receive()));
      assert.equal(sha256(file.bytes), sha256(files[0]!.bytes));
      assert.equal(sha256(zip.bytes), sha256(zipBytes));
      assert.equal(await countDownloads(server, token), 3);
      const another = await server.anonymous().fetch(zipDownloadPath(token));
      assert.equal(another.status, 410);
    });

    test('during a deletion: the transfer is gone or complete, and its bytes are removed from the disk', async (t) => {
      const random = seedRandom(t);
      const server = await startServerProcess(t);
      const client = await server.signIn();
      const files = makeFiles('delete').map((file) => ({ ...file, bytes: file.bytes.subarray(0, 12 * MIB) }));
      for (let round = 0; round < deletions; round += 1) {
        const transfer = await sendTransfer(client, files);
        const params = { id: transfer.id };
        const removal = client.call(deleteTransfer, { params }).then(async () => {
          while (server.isRunning && listBlobs(server).length > 0) await sleep(5);
        });
        await killAfterTouches(server, random.between(0, 12), removal);
        revokeLeases(server);
        await server.start();
        if (await exists(client, transfer.id)) {
          await requireWhole(client, transfer);
          await client.call(deleteTransfer, { params });
        }
        await assert.rejects(client.call(getTransfer, { params }), ApiError);
      }
      while (listBlobs(server).length > 0) await sleep(50);
      // Rows are deleted after the bytes.
      while (countFiles(server) > 0) await sleep(50);
    });

    test(`at ${firstStarts} moments of the first start: the next start is healthy and has its administrator`, async (t) => {
      const random = seedRandom(t);
      for (let round = 0; round < firstStarts; round += 1) {
        const server = await prepareServerProcess(t);
        server.launch();
        await killAfterTouches(server, random.between(0, 25), server.waitUntilReady());
        await server.start();
        const client = await server.signIn();
        assert.deepEqual(await client.call(listTransfers), []);
        await server.kill();
      }
    });
  });
}

/** Completes the upload while the server is killed and restarted. Undefined if the call got no response. */
async function completeAndKill(
  server: ServerProcess,
  complete: () => Promise<CompletedUpload>,
  touches: number,
): Promise<CompletedUpload | undefined> {
  let answer: CompletedUpload | undefined;
  const completing = complete().then((result) => {
    answer = result;
  });
  await killAfterTouches(server, touches, completing);
  await server.start();
  assert.ok(answer || Number.isFinite(touches));
  return answer;
}

function countMails(server: ServerProcess, transferId: string): number {
  return server.withDatabase(
    (database) =>
      database
        .prepare('select id from mails where "transferId" = ? and recipient = ?')
        .all(transferId, RECIPIENT).length,
  );
}

async function countDownloads(server: ServerProcess, token: string): Promise<number | undefined> {
  return (await server.anonymous().call(viewDownload, { params: { token } })).downloadCount;
}

async function exists(client: Client, id: string): Promise<boolean> {
  const transfers = await client.call(listTransfers);
  return transfers.some((transfer) => transfer.id === id);
}

/** Ends the leases of running jobs, as if they had expired. */
function revokeLeases(server: ServerProcess): void {
  server.withDatabase((database) => database.exec('update jobs set "leasedUntil" = 0'));
}

function listBlobs({ dataDir }: ServerProcess): string[] {
  const entries = readdirSync(join(dataDir, 'blobs'), { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  return files.filter((name) => name !== 'installation.json');
}

function countFiles(server: ServerProcess): number {
  return server.withDatabase((database) => database.prepare('select id from files').all().length);
}

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { CHUNK_BYTES, chunkLength, planChunks } from '../contracts/limits.ts';
import { fileDownloadPath } from '../contracts/links.ts';
import { KIB, MIB } from '../contracts/sizes.ts';
import { getTransfer, listTransfers } from '../contracts/transfers.ts';
import type { MailRow } from './platform/db/schema.ts';
import { ChunkLanes, chunkKey, type WireChunk } from './testing/chunk-lanes.ts';
import { Client } from './testing/client.ts';
import { startFaultProxy } from './testing/fault-proxy.ts';
import { killAfterTouches } from './testing/kill-moments.ts';
import { seedRandom } from './testing/seeded-random.ts';
import { type ServerProcess, startServerProcess } from './testing/server-process.ts';
import { makeBytes } from './testing/upload-files.ts';
import { startInvitation, VERA, visitInvitation } from './testing/visit.ts';
import { RawForm } from './testing/visitor-form.ts';
import { VisitorUploads } from './testing/visitor-uploads.ts';

/** What crosses the bad line; `BAD_LINE_MIB=2048` for the size of the promise. */
const BAD_LINE_BYTES = Number(process.env.BAD_LINE_MIB ?? 64) * MIB;
const CUTS = 10;

/** A folder whose bytes are made when they are sent: it may be larger than memory. */
type FolderFile = { path: string; sizeBytes: number };

function planFolder(totalBytes: number): FolderFile[] {
  const large = [0.5, 0.3, 0.15].map((share, index) => ({
    path: `film/reel-${index}.mov`,
    sizeBytes: Math.floor(totalBytes * share) - index * 4_321,
  }));
  const small = Array.from({ length: 20 }, (_, index) => ({
    path: `film/notes/${index}.txt`,
    sizeBytes: index * KIB,
  }));
  const rest = totalBytes - [...large, ...small].reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  return [...large, ...small, { path: 'film/sound.wav', sizeBytes: rest }];
}

/** The bytes of one chunk. */
function makeChunk({ path, sizeBytes }: FolderFile, index: number): Buffer {
  return makeBytes(chunkLength(sizeBytes, CHUNK_BYTES, index), `${path} ${index}`);
}

function hashFile(file: FolderFile): string {
  const hash = createHash('sha256');
  for (let index = 0; index < planChunks(file.sizeBytes).totalChunks; index += 1)
    hash.update(makeChunk(file, index));
  return hash.digest('hex');
}

type Delivery = {
  visitor: VisitorUploads;
  invitationToken: string;
  files: FolderFile[];
  uploadIds: string[];
};

/** What the server has not listed, made as it is sent. */
async function* missingChunks({ visitor, files, uploadIds }: Delivery): AsyncGenerator<WireChunk> {
  for (const [position, file] of files.entries()) {
    const uploadId = uploadIds[position]!;
    const listed = new Set(await persist(() => visitor.listChunks(uploadId)));
    for (let index = 0; index < planChunks(file.sizeBytes).totalChunks; index += 1)
      if (!listed.has(index)) yield { uploadId, index, bytes: makeChunk(file, index) };
  }
}

/** Says it again when the line breaks, as a page does; a refusal is final. */
async function persist<T>(call: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
    }
  }
}

function openLanes({ visitor, invitationToken }: Delivery, onAnswer?: () => void): ChunkLanes {
  return new ChunkLanes(visitor.client, onAnswer, `?${new URLSearchParams({ invitationToken })}`);
}

async function announce(visitor: VisitorUploads, files: FolderFile[]) {
  return visitor.announceAs(
    files.map(({ path, sizeBytes }) => ({
      fileName: path.split('/').at(-1)!,
      relativePath: path,
      fileSize: sizeBytes,
      totalChunks: planChunks(sizeBytes).totalChunks,
    })),
  );
}

/** A server with an invitation of ada's, and vera who has proved her address over this line. */
async function openVisitTo(t: TestContext, lineTo: (server: ServerProcess) => Promise<string>) {
  const server = await startServerProcess(t);
  const ada = await server.signIn();
  const { token: invitationToken } = await startInvitation(ada);
  const url = await lineTo(server);
  const visited = { anonymous: () => new Client(url), mails: async () => readMails(server) };
  const visitor = new VisitorUploads(await visitInvitation(visited, invitationToken), invitationToken);
  return { server, ada, invitationToken, visitor };
}

function readMails(server: ServerProcess): MailRow[] {
  return server.withDatabase((database) =>
    database.prepare('select * from mails order by "createdAt"').all(),
  ) as unknown as MailRow[];
}

async function requireArrived(ada: Client, transferId: string, files: FolderFile[]): Promise<void> {
  const transfer = await ada.call(getTransfer, { params: { id: transferId } });
  assert.deepEqual([transfer.receivedFrom, transfer.files.length], [VERA, files.length]);
  for (const [position, { id, relativePath }] of transfer.files.entries()) {
    const file = files[position]!;
    const hash = createHash('sha256');
    const { body } = await ada.fetch(fileDownloadPath(transfer.token, id));
    for await (const bytes of body ?? []) hash.update(bytes);
    assert.deepEqual([relativePath, hash.digest('hex')], [file.path, hashFile(file)]);
  }
}

describe('a visitor’s upload', { concurrency: 2 }, () => {
  test(`over a line that is cut ${CUTS} times: a folder of ${BAD_LINE_BYTES / MIB} MiB arrives intact`, async (t) => {
    const random = seedRandom(t);
    const cutAt = Array.from({ length: CUTS }, () => random.between(1, BAD_LINE_BYTES - 1));
    const files = planFolder(BAD_LINE_BYTES);
    const line = Promise.withResolvers<Awaited<ReturnType<typeof startFaultProxy>>>();
    const { ada, invitationToken, visitor } = await openVisitTo(t, async (server) => {
      const proxy = await startFaultProxy(server.url);
      t.after(() => proxy.stop());
      line.resolve(proxy);
      return proxy.endpoint;
    });
    const proxy = await line.promise;
    proxy.cutAt = cutAt.sort((a, b) => a - b);
    const { transferId, uploads } = await persist(() => announce(visitor, files));
    const uploadIds = uploads.map(({ uploadId }) => uploadId);
    const delivery = { visitor, invitationToken, files, uploadIds };
    let sentBytes = 0;
    for (let rounds = 0; ; rounds += 1) {
      const missing = missingChunks(delivery);
      const lanes = openLanes(delivery);
      let count = 0;
      const counted = (async function* () {
        for await (const chunk of missing) {
          count += 1;
          sentBytes += chunk.bytes.length;
          yield chunk;
        }
      })();
      await lanes.send(counted);
      if (count === 0) break;
      assert.ok(rounds <= CUTS + 1, 'after each cut it goes on where it was');
    }
    assert.deepEqual(proxy.cutAt, [], 'all cuts were made');
    t.diagnostic(`${CUTS} cuts, ${((sentBytes - BAD_LINE_BYTES) / MIB).toFixed(1)} MiB begun twice`);
    // A cut costs at most what was under way in the four lanes.
    assert.ok(sentBytes - BAD_LINE_BYTES <= CUTS * 4 * CHUNK_BYTES);
    const announced = { transferId, uploads };
    const answer = await persist(() => visitor.complete(announced));
    assert.deepEqual(answer, { token: '', transfer: { id: transferId } });
    await requireArrived(ada, transferId, files);
  });

  test('goes on after kill -9: what was acknowledged is there, and it is delivered once', async (t) => {
    const random = seedRandom(t);
    const { server, ada, invitationToken, visitor } = await openVisitTo(t, async ({ url }) => url);
    const files = planFolder(40 * MIB);
    const announced = await announce(visitor, files);
    const uploadIds = announced.uploads.map(({ uploadId }) => uploadId);
    const delivery = { visitor, invitationToken, files, uploadIds };
    for (let kills = 3; kills > 0; kills -= 1) {
      const lanes = openLanes(delivery);
      const missing = await Array.fromAsync(missingChunks(delivery));
      await killAfterTouches(server, random.between(1, 10), lanes.send(missing));
      await server.start();
      const left = new Set((await Array.fromAsync(missingChunks(delivery))).map(chunkKey));
      assert.deepEqual(
        [...lanes.acknowledged].filter((key) => left.has(key)),
        [],
      );
    }
    await openLanes(delivery).send(await Array.fromAsync(missingChunks(delivery)));
    const complete = () => visitor.complete(announced);
    await killAfterTouches(server, random.between(0, 3), complete());
    await server.start();
    await complete();
    assert.deepEqual(await complete(), { token: '', transfer: { id: announced.transferId } });
    assert.equal((await ada.call(listTransfers)).length, 1);
    await requireArrived(ada, announced.transferId, files);
    const received = readMails(server).filter(({ kind }) => kind === 'transfer-received');
    assert.equal(received.length, 1);
  });

  test('in one form: kill -9 in the midst of it leaves no byte', async (t) => {
    const random = seedRandom(t);
    const { server, ada, invitationToken, visitor } = await openVisitTo(t, async ({ url }) => url);
    const form = new RawForm(visitor.client, invitationToken);
    await form.beginFile('a.bin');
    await form.write(makeBytes(random.between(1, 4 * MIB)));
    await server.restart();
    await form.connection.closed;
    for (const folder of ['incoming', 'blobs']) {
      const entries = readdirSync(join(server.dataDir, folder), { recursive: true, withFileTypes: true });
      // A name may be left of the moment between making a file and taking its name away; no byte is in it yet.
      const left = entries.filter(
        (entry) => entry.isFile() && statSync(join(entry.parentPath, entry.name)).size,
      );
      const names = left.map(({ name }) => name).filter((name) => name !== 'installation.json');
      assert.deepEqual(names, [], folder);
    }
    assert.deepEqual(await visitor.list(), []);
    assert.deepEqual(await ada.call(listTransfers), []);
  });
});

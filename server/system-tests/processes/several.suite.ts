import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { CHUNK_BYTES } from '../../../contracts/plans/limits.ts';
import { deleteTransfer } from '../../../contracts/transfers/transfers.ts';
import { listChunks } from '../../../contracts/transfers/uploads/uploads.ts';
import { fileDownloadPath, zipDownloadPath } from '../../../contracts/values/addresses/links.ts';
import { MIB } from '../../../contracts/values/sizes.ts';
import { Client } from '../../../testing/calls/client.ts';
import { onlyInAll } from '../../../testing/lib/only-in-all.ts';
import { until } from '../../../testing/lib/until.ts';
import {
  completeThrough,
  getThrough,
  type Peer,
  postSlowly,
  postThrough,
} from '../../../testing/processes/peers.ts';
import { chunkOf, publishFiles } from '../../../testing/uploads/arriving-transfers.ts';
import { sendTransfer, sha256 } from '../../../testing/uploads/send-transfer.ts';
import { announceFile, completeFile, makeBytes } from '../../../testing/uploads/upload-files.ts';
import type { Db } from '../../platform/db/open.ts';

export type Several = {
  peers: [Peer, Peer];
  /** A signed-in client whose requests either process may answer. */
  client: Client;
  db: Db;
  /** Whether a file on the disk begins with these bytes. Undefined for a bucket. */
  isStored?(bytes: Buffer): Promise<boolean>;
};

/** Facts that hold for two processes on one storage, regardless of which one answers. */
export function declareSeveralTests(open: () => Promise<Several>): void {
  for (const sizeBytes of [3 * MIB, 2 * CHUNK_BYTES])
    test(`chunks of ${sizeBytes / MIB} MiB sent to both in parallel with different bytes are never mixed`, async () => {
      const { peers, client } = await open();
      const versions = ['a', 'b'].map((seed) => makeBytes(sizeBytes, seed));
      const { uploadId } = await announceFile(client, 'twice.bin', versions[0]!);
      for (let start = 0, index = 0; start < sizeBytes; start += CHUNK_BYTES, index += 1) {
        const [first, second] = versions.map((version, at) => {
          const bytes = version.subarray(start, start + CHUNK_BYTES);
          return postSlowly(peers[at]!, client, { uploadId, index, bytes });
        });
        // Half of each has been sent. The one that began later finishes first.
        (await second!).finish();
        await sleep(100);
        (await first!).finish();
        const statuses = [await (await first!).status, await (await second!).status];
        assert.ok(statuses.includes(200), String(statuses));
      }
      const { token } = await completeFile(client, uploadId);
      const stored = await download(client, fileDownloadPath(token, uploadId));
      for (let start = 0; start < sizeBytes; start += CHUNK_BYTES) {
        const cut = (bytes: Buffer) => sha256(bytes.subarray(start, start + CHUNK_BYTES));
        assert.ok(versions.map(cut).includes(cut(stored)), 'the bytes of two senders are mixed');
      }
    });

  for (const sizeBytes of [3 * MIB, 2 * CHUNK_BYTES])
    test(`completing ${sizeBytes / MIB} MiB aborts a chunk that the other process is receiving again`, async () => {
      const { peers, client } = await open();
      const bytes = makeBytes(sizeBytes, 'sealed');
      const { uploadId } = await announceFile(client, 'sealed.bin', bytes);
      for (let start = 0, index = 0; start < sizeBytes; start += CHUNK_BYTES, index += 1) {
        const chunk = { uploadId, index, bytes: bytes.subarray(start, start + CHUNK_BYTES) };
        assert.equal(await postThrough(peers[index % 2]!, client, chunk), 200);
      }
      const other = makeBytes(Math.min(sizeBytes, CHUNK_BYTES), 'too late');
      const late = await postSlowly(peers[1], client, { uploadId, index: 0, bytes: other });
      await sleep(300);
      const { token } = await completeThrough(peers[0], client, uploadId);
      late.finish();
      assert.notEqual(await late.status, 200);
      const stored = await download(client, fileDownloadPath(token, uploadId));
      assert.equal(sha256(stored), sha256(bytes));
    });

  test('a refused completion does not affect a chunk that the other process is receiving', async () => {
    const { peers, client } = await open();
    const bytes = makeBytes(2 * CHUNK_BYTES, 'not yet');
    const { uploadId } = await announceFile(client, 'not-yet.bin', bytes);
    const slow = await postSlowly(peers[1], client, {
      uploadId,
      index: 1,
      bytes: bytes.subarray(CHUNK_BYTES),
    });
    await sleep(300);
    assert.equal((await completeThrough(peers[0], client, uploadId)).status, 409);
    slow.finish();
    assert.equal(await slow.status, 200);
    const first = { uploadId, index: 0, bytes: bytes.subarray(0, CHUNK_BYTES) };
    assert.equal(await postThrough(peers[0], client, first), 200);
    const { token } = await completeFile(client, uploadId);
    assert.equal(sha256(await download(client, fileDownloadPath(token, uploadId))), sha256(bytes));
  });

  test('a stalled sender at one process yields to a sender of the same chunk at the other', async () => {
    const { peers, client } = await open();
    const bytes = makeBytes(CHUNK_BYTES, 'moved on');
    const { uploadId } = await announceFile(client, 'moved.bin', bytes);
    const silent = await postSlowly(peers[0], client, { uploadId, index: 0, bytes });
    await sleep(200);
    assert.equal(await postThrough(peers[1], client, { uploadId, index: 0, bytes }), 200);
    assert.notEqual(await silent.status, 200);
    const { token } = await completeFile(client, uploadId);
    assert.equal(sha256(await download(client, fileDownloadPath(token, uploadId))), sha256(bytes));
  });

  test(
    'a process that was suspended does not overwrite what the other has received meanwhile',
    onlyInAll,
    async () => {
      const { peers, client, isStored } = await open();
      const [suspended, other] = peers;
      const bytes = makeBytes(CHUNK_BYTES, 'the right ones');
      const { uploadId } = await announceFile(client, 'still.bin', bytes);
      const wrong = makeBytes(CHUNK_BYTES, 'of long ago');
      const old = await postSlowly(suspended, client, { uploadId, index: 0, bytes: wrong });
      await sleep(300);
      // A write that is under way would end only when the process continues (docs/decisions/0015).
      if (isStored) await until(() => isStored(wrong.subarray(0, CHUNK_BYTES / 2)));
      process.kill(suspended.pid, 'SIGSTOP');
      let token: string;
      try {
        old.finish();
        assert.equal(await postThrough(other, client, { uploadId, index: 0, bytes }), 200);
        ({ token } = await completeThrough(other, client, uploadId));
      } finally {
        process.kill(suspended.pid, 'SIGCONT');
      }
      assert.notEqual(await old.status, 200);
      assert.equal(sha256(await download(client, fileDownloadPath(token, uploadId))), sha256(bytes));
    },
  );

  test('of 24 parallel downloads through both with a limit of 7 exactly 7 are admitted', async () => {
    const { peers, client } = await open();
    const files = [{ fileName: 'limited.bin', bytes: makeBytes(1_000) }];
    const { token, fileIds, id } = await sendTransfer(client, files, { maxDownloads: 7 });
    const requests = Array.from({ length: 24 }, async (_, index) => {
      const path = fileDownloadPath(token, fileIds[0]!);
      const response = await getThrough(peers[index % 2]!, new Client(client.url), path);
      await readAll(response);
      return response.statusCode;
    });
    const statuses = await Promise.all(requests);
    assert.equal(statuses.filter((status) => status === 200).length, 7);
    assert.equal(statuses.filter((status) => status === 410).length, 17);
    assert.equal(await client.fetch(`/api/transfers/${id}`).then((answer) => answer.status), 200);
  });

  test('a download begun at one process resumes at the other without counting again', async () => {
    const { peers, client } = await open();
    const bytes = makeBytes(8 * MIB, 'resumed');
    const sent = await sendTransfer(client, [{ fileName: 'r.bin', bytes }], { maxDownloads: 1 });
    const path = fileDownloadPath(sent.token, sent.fileIds[0]!);
    const browser = new Client(client.url);
    const begun = await getThrough(peers[0], browser, path);
    const first = Buffer.from(await readSome(begun, MIB));
    const rest = await getThrough(peers[1], browser, path, { range: `bytes=${first.length}-` });
    assert.equal(rest.statusCode, 206);
    assert.equal(sha256(Buffer.concat([first, await readAll(rest)])), sha256(bytes));
    const another = await getThrough(peers[1], new Client(client.url), path);
    assert.equal(another.statusCode, 410);
    another.destroy();
  });

  test('auto-delete waits for a range of the download that another process is still sending', async () => {
    const { peers, client, db } = await open();
    const bytes = makeBytes(48 * MIB, 'two ranges');
    const settings = { maxDownloads: 1, autoDeleteAfterDownloads: true };
    const sent = await sendTransfer(client, [{ fileName: 'ranges.bin', bytes }], settings);
    const path = fileDownloadPath(sent.token, sent.fileIds[0]!);
    const browser = new Client(client.url);
    const middle = 40 * MIB;
    const head = await getThrough(peers[0], browser, path, { range: `bytes=0-${middle - 1}` });
    const front = await readSome(head, MIB, { keepOpen: true });
    const tail = await getThrough(peers[1], browser, path, { range: `bytes=${middle}-` });
    const back = await readAll(tail);
    await until(async () => (await findReached(db, sent.id)) === bytes.length);
    const { status } = await db
      .selectFrom('transfers')
      .select('status')
      .where('id', '=', sent.id)
      .executeTakeFirstOrThrow();
    assert.equal(status, 'ready', 'its first range is still being read');
    const middleBytes = await readAll(head);
    assert.equal(sha256(Buffer.concat([front, middleBytes, back])), sha256(bytes));
    await until(async () => (await findReached(db, sent.id)) === undefined);
  });

  test('a zip is downloaded at one process while its files arrive at the other', async () => {
    const { peers, client } = await open();
    const files = [
      { name: 'a.bin', bytes: makeBytes(CHUNK_BYTES + 5, 'arriving a') },
      { name: 'b.bin', bytes: makeBytes(CHUNK_BYTES + 7, 'arriving b') },
    ];
    const transfer = await publishFiles(client, files);
    const reading = getThrough(peers[1], new Client(client.url), zipDownloadPath(transfer.token)).then(
      readAll,
    );
    for (const { uploadId, bytes } of transfer.files) {
      for (const index of [1, 0])
        assert.equal(
          await postThrough(peers[0], client, { uploadId, index, bytes: Buffer.from(chunkOf(bytes, index)) }),
          200,
        );
      assert.equal((await completeThrough(peers[0], client, uploadId)).status, 200);
    }
    const whole = await reading;
    assert.equal(sha256(whole), sha256(await download(client, zipDownloadPath(transfer.token))));
    assert.ok(whole.includes(files[0]!.bytes) && whole.includes(files[1]!.bytes));
  });

  test('a file that is cancelled at one process breaks off its download at the other', async () => {
    const { peers, client } = await open();
    const files = ['a', 'b'].map((name) => ({
      name,
      bytes: makeBytes(CHUNK_BYTES + 5, `cancelled ${name}`),
    }));
    const transfer = await publishFiles(client, files);
    const [first, second] = transfer.files;
    for (const index of [0, 1]) {
      const bytes = Buffer.from(chunkOf(first!.bytes, index));
      assert.equal(await postThrough(peers[0], client, { uploadId: first!.uploadId, index, bytes }), 200);
    }
    await completeThrough(peers[0], client, first!.uploadId);
    const path = zipDownloadPath(transfer.token);
    const reading = await getThrough(peers[1], new Client(client.url), path);
    const size = Number(reading.headers['content-length']);
    let received = 0;
    reading.on('data', (piece: Buffer) => {
      received += piece.length;
    });
    const closed = new Promise((resolve) => reading.once('close', resolve).on('error', () => {}));
    await until(async () => received >= first!.bytes.length);
    const cancelled = await client.fetch(`/api/upload/${second!.uploadId}`, { method: 'DELETE' });
    assert.equal(cancelled.status, 204);
    await closed;
    assert.ok(received < size, 'it does not look whole');
  });

  test('deleting through one process never corrupts a download from the other', async () => {
    const { peers, client } = await open();
    const bytes = makeBytes(32 * MIB, 'deleted');
    const sent = await sendTransfer(client, [{ fileName: 'deleted.bin', bytes }]);
    const path = fileDownloadPath(sent.token, sent.fileIds[0]!);
    const reading = await getThrough(peers[1], new Client(client.url), path);
    const front = await readSome(reading, MIB, { keepOpen: true });
    await clientAt(peers[0], client).call(deleteTransfer, { params: { id: sent.id } });
    const rest = await readAll(reading).catch(() => Buffer.alloc(0));
    const received = Buffer.concat([front, rest]);
    assert.ok(received.equals(bytes.subarray(0, received.length)), 'the received bytes are wrong');
    const later = await getThrough(peers[1], new Client(client.url), path);
    assert.equal(later.statusCode, 404);
    later.destroy();
  });

  test('one process immediately lists the chunks that another has received', async () => {
    const { peers, client } = await open();
    const bytes = makeBytes(3 * CHUNK_BYTES, 'listed');
    const { uploadId } = await announceFile(client, 'listed.bin', bytes);
    for (const index of [2, 0]) {
      const part = bytes.subarray(index * CHUNK_BYTES, (index + 1) * CHUNK_BYTES);
      assert.equal(await postThrough(peers[index / 2]!, client, { uploadId, index, bytes: part }), 200);
      const { chunks } = await clientAt(peers[1 - index / 2]!, client).call(listChunks, {
        params: { uploadId },
      });
      assert.ok(chunks.includes(index));
    }
  });
}

/** The same session, with requests to this peer's address. */
function clientAt(peer: Peer, client: Client): Client {
  return new Client(peer.url, client.jar);
}

async function findReached(db: Db, transferId: string): Promise<number | undefined> {
  const row = await db
    .selectFrom('downloads')
    .select('reachedBytes')
    .where('transferId', '=', transferId)
    .executeTakeFirst();
  return row?.reachedBytes;
}

async function download(client: Client, path: string): Promise<Buffer> {
  const response = await client.fetch(path);
  assert.equal(response.status, 200);
  return Buffer.from(await response.arrayBuffer());
}

async function readAll(response: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of response) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}

/** Reads at least this many bytes, then destroys the connection unless `keepOpen`. */
function readSome(response: IncomingMessage, atLeast: number, { keepOpen = false } = {}): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  return new Promise((resolve, reject) => {
    response.once('error', reject);
    const onData = (piece: Buffer) => {
      pieces.push(piece);
      bytes += piece.length;
      if (bytes < atLeast) return;
      response.pause().off('data', onData).off('error', reject);
      if (!keepOpen) response.on('error', () => {}).destroy();
      resolve(Buffer.concat(pieces));
    };
    response.on('data', onData);
  });
}

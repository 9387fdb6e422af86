import assert from 'node:assert/strict';
import { readdirSync, renameSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileDownloadPath } from '../../../contracts/values/addresses/links.ts';
import { onlyInAll } from '../../../testing/lib/only-in-all.ts';
import {
  FILES,
  makeBucket,
  noS3,
  postgres,
  readMarker,
  requireRefusal,
} from '../../../testing/processes/installations.ts';
import { runCli, runCliForJson } from '../../../testing/processes/run-cli.ts';
import { prepareServerProcess, startServerProcess } from '../../../testing/processes/server-process.ts';
import { requireWhole, sendTransfer } from '../../../testing/uploads/send-transfer.ts';
import { announceFile, makeBytes, sendChunk } from '../../../testing/uploads/upload-files.ts';
import { openDatabase } from '../../platform/db/open.ts';
import { findOrphanQuarantineEnd } from '../../platform/storage/installation/removal-hold.ts';

describe('the wrong database', () => {
  test('an empty PostgreSQL database refuses to start on the files of a SQLite installation', async (t) => {
    const server = await startServerProcess(t);
    const sent = await sendTransfer(await server.signIn(), FILES);
    await server.terminate();
    const wrong = await prepareServerProcess(t, {
      DATA_DIR: server.dataDir,
      DATABASE_URL: await postgres.createEmptyDatabase(),
    });
    await requireRefusal(wrong, /belongs to another Sendwell installation/);
    assert.equal(listBlobs(server.dataDir).length, 1);
    await server.start();
    await requireWhole(server.anonymous(), sent);
  });

  test('a second installation refuses the bucket of the first but can use it with another prefix', {
    skip: noS3,
    ...onlyInAll,
  }, async (t) => {
    const bucket = await makeBucket();
    const first = await startServerProcess(t, bucket);
    const sent = await sendTransfer(await first.signIn(), FILES);
    const second = await prepareServerProcess(t, bucket);
    await requireRefusal(second, /bucket .* belongs to another Sendwell installation/);
    const apart = await startServerProcess(t, { ...bucket, S3_PREFIX: 'second/' });
    const other = await sendTransfer(await apart.signIn(), FILES);
    await requireWhole(first.anonymous(), sent);
    await requireWhole(apart.anonymous(), other);
    for (const each of [first, apart]) {
      const verified = await runCliForJson(each.environment, 'verify-storage', '--deep');
      assert.deepEqual([verified.code, verified.files, verified.findings], [0, 1, []]);
    }
  });
});

describe('a missing mount', () => {
  test('while running: not ready, uploads refused, downloads answer 503, no file marked as damaged, then recovery', async (t) => {
    const server = await startServerProcess(t);
    const ada = await server.signIn();
    const sent = await sendTransfer(ada, FILES);
    const { uploadId } = await announceFile(ada, 'open.bin', makeBytes(50_000));
    // Open files could still be read after an unmount.
    await server.restart();
    const blobs = join(server.dataDir, 'blobs');
    renameSync(blobs, `${blobs}.unmounted`);
    await mkdir(blobs);
    assert.equal((await server.anonymous().fetch('/readyz')).status, 503);
    const chunk = { uploadId, index: 0, body: new Uint8Array(makeBytes(50_000)) };
    const refused = await sendChunk(ada, chunk);
    assert.equal(refused.status, 503);
    assert.ok(Number(refused.headers.get('retry-after')) > 0);
    await assert.rejects(announceFile(ada, 'new.bin', makeBytes(10)), { status: 503 });
    const download = await server.anonymous().fetch(fileDownloadPath(sent.token, sent.fileIds[0]!));
    assert.equal(download.status, 503);
    assert.deepEqual(readdirSync(blobs), []);
    await rm(blobs, { recursive: true });
    renameSync(`${blobs}.unmounted`, blobs);
    assert.equal((await server.anonymous().fetch('/readyz')).status, 200);
    assert.equal((await sendChunk(ada, chunk)).status, 200);
    await requireWhole(server.anonymous(), sent);
  });
});

test(
  'a storage is adopted only on request; it gets a new ID, and orphan removal waits',
  onlyInAll,
  async (t) => {
    const first = await startServerProcess(t);
    await sendTransfer(await first.signIn(), FILES);
    await first.terminate();
    const marker = readMarker(first.dataDir);
    const url = await postgres.createEmptyDatabase();
    const adopter = await prepareServerProcess(t, { DATA_DIR: first.dataDir, DATABASE_URL: url });
    await requireRefusal(adopter, /adopt-storage/);
    const unasked = await runCli(adopter.environment, 'adopt-storage');
    assert.deepEqual([unasked.code, unasked.stderr.includes('--yes')], [1, true]);
    assert.equal(readMarker(first.dataDir), marker);
    const adopted = await runCliForJson(adopter.environment, 'adopt-storage', '--yes');
    assert.equal(adopted.code, 0);
    await adopter.start();
    const db = await openDatabase({ url, file: '' });
    t.after(() => db.destroy());
    assert.ok(((await findOrphanQuarantineEnd(db)) ?? 0) > Date.now());
    assert.equal(listBlobs(first.dataDir).length, 1);
    await adopter.terminate();
    await requireRefusal(first, /belongs to another Sendwell installation/);
  },
);

function listBlobs(dataDir: string): string[] {
  return readdirSync(join(dataDir, 'blobs'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\.(notes|json)$/.test(entry.name))
    .map(({ name }) => name);
}

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { CHUNK_BYTES } from '../../../../contracts/plans/limits.ts';
import { listChunks } from '../../../../contracts/transfers/uploads/uploads.ts';
import { DAY_MS, HOUR_MS } from '../../../../contracts/values/durations.ts';
import { isS3ServerInstalled, openS3Server } from '../../../../testing/storage/s3-server.ts';
import { startTestServer } from '../../../../testing/test-context.ts';
import { requireWhole } from '../../../../testing/uploads/send-transfer.ts';
import { announceFile, makeBytes, sendChunk, uploadFile } from '../../../../testing/uploads/upload-files.ts';
import type { Db } from '../../../platform/db/open.ts';
import { uploadJobs } from '../jobs.ts';

const skip = isS3ServerInstalled() ? false : 'OpenStack Swift is missing: run bin/install-test-servers.ts';

test('part notes are deleted a day after completion, those of open uploads are kept', { skip }, async (t) => {
  const s3 = await openS3Server();
  t.after(() => s3.stop());
  const bucket = `notes-${randomUUID()}`;
  await s3.createBucket(bucket);
  const server = await startTestServer(t, {
    S3_BUCKET: bucket,
    S3_ENDPOINT: s3.endpoint,
    S3_REGION: s3.region,
    S3_ACCESS_KEY_ID: s3.accessKeyId,
    S3_SECRET_ACCESS_KEY: s3.secretAccessKey,
    S3_FORCE_PATH_STYLE: 'on',
  });
  const { db } = server.context;
  // Multipart uploads have timestamps of the real clock.
  server.clock.advance(Date.now() - server.clock.now());
  const sweep = async () => {
    const job = uploadJobs.find(({ name }) => name === 'sweep-part-notes')!;
    await job.run(server.context, {}, { attempt: 1, signal: new AbortController().signal });
  };
  const frida = await server.signIn('frida');
  const bytes = makeBytes(2 * CHUNK_BYTES);
  const sent = await uploadFile(frida, 'whole.bin', bytes);
  const open = await announceFile(frida, 'open.bin', bytes);
  const body = new Uint8Array(bytes.subarray(0, CHUNK_BYTES));
  assert.equal((await sendChunk(frida, { uploadId: open.uploadId, index: 0, body })).status, 200);
  assert.equal(await countNotes(db), 3);
  server.clock.advance(2 * HOUR_MS);
  await sweep();
  assert.equal(await countNotes(db), 3, 'a repeated completion may still need them');

  // An interrupted sweep has left parts without their multipart upload, more than fit into one statement.
  const { storageKey } = await db.selectFrom('files').select('storageKey').executeTakeFirstOrThrow();
  const left = Array.from({ length: 2_500 }, (_, index) => ({
    storageKey,
    partIndex: index + 10,
    sizeBytes: 1,
    crc32: 1,
    etag: 'e',
  }));
  for (let start = 0; start < left.length; start += 500)
    await db
      .insertInto('storageParts')
      .values(left.slice(start, start + 500))
      .execute();
  server.clock.advance(DAY_MS);
  await sweep();
  assert.deepEqual(await countNotes(db), 1);
  const { chunks } = await frida.call(listChunks, { params: { uploadId: open.uploadId } });
  assert.deepEqual(chunks, [0]);
  const files = [{ fileName: 'whole.bin', bytes }];
  await requireWhole(server.anonymous(), { id: '', token: sent.token, fileIds: [sent.uploadId], files });
});

async function countNotes(db: Db): Promise<number> {
  const rows = await db.selectFrom('storageParts').select('partIndex').execute();
  return rows.length;
}

import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { S3 } from '@aws-sdk/client-s3';
import { CHUNK_BYTES } from '../../../../contracts/plans/limits.ts';
import { DAY_MS, HOUR_MS } from '../../../../contracts/values/durations.ts';
import { until } from '../../../../testing/lib/until.ts';
import { type FaultProxy, startFaultProxy } from '../../../../testing/network/fault-proxy.ts';
import { prepareServerProcess, type ServerProcess } from '../../../../testing/processes/server-process.ts';
import { isS3ServerInstalled, openS3Server, type S3Server } from '../../../../testing/storage/s3-server.ts';
import { startTestServer, type TestServer } from '../../../../testing/test-context.ts';
import { announceFile, makeBytes, uploadFile } from '../../../../testing/uploads/upload-files.ts';
import { migrateToLatest } from '../../../platform/db/migrate.ts';
import { openDatabase } from '../../../platform/db/open.ts';
import { confirmSweepStop, findSweepStop } from './records.ts';
import { sweepUploads } from './sweep.ts';

/** More than fit into three of the listings that Swift returns in tests. */
const LOST = 11;

/** Gives another server its own database with the same installation id, so that it may use the bucket. */
async function shareInstallation(from: TestServer, to: ServerProcess): Promise<void> {
  await mkdir(to.dataDir, { recursive: true });
  const db = await openDatabase({ file: join(to.dataDir, 'sendwell.db') });
  await migrateToLatest(db);
  const row = await from.context.db
    .selectFrom('settings')
    .selectAll()
    .where('key', '=', 'installation')
    .executeTakeFirstOrThrow();
  await db.insertInto('settings').values(row).execute();
  await db.destroy();
}

if (isS3ServerInstalled()) testSweeping();
else test('sweeping S3', { skip: 'OpenStack Swift is missing: run bin/install-test-servers.ts' });

function testSweeping(): void {
  let s3: S3Server;
  let proxy: FaultProxy;
  before(async () => {
    s3 = await openS3Server();
    proxy = await startFaultProxy(s3.endpoint);
  });
  after(async () => {
    await proxy?.stop();
    await s3?.stop();
  });

  test('unknown multipart uploads are trashed before they are removed, and nothing else in the bucket is', async (t) => {
    const bucket = `sweep-${randomUUID()}`;
    await s3.createBucket(bucket);
    const credentials = { accessKeyId: s3.accessKeyId, secretAccessKey: s3.secretAccessKey };
    const client = new S3({ endpoint: s3.endpoint, region: s3.region, credentials, forcePathStyle: true });
    t.after(() => client.destroy());
    const env = {
      S3_BUCKET: bucket,
      S3_REGION: s3.region,
      S3_ACCESS_KEY_ID: s3.accessKeyId,
      S3_SECRET_ACCESS_KEY: s3.secretAccessKey,
      S3_FORCE_PATH_STYLE: 'on',
    };
    const listUnfinished = async () => {
      const keys: string[] = [];
      for (let KeyMarker: string | undefined, UploadIdMarker: string | undefined, isMore = true; isMore; ) {
        const page = await client.listMultipartUploads({ Bucket: bucket, KeyMarker, UploadIdMarker });
        keys.push(...(page.Uploads ?? []).map(({ Key }) => Key!));
        [KeyMarker, UploadIdMarker] = [page.NextKeyMarker, page.NextUploadIdMarker];
        isMore = page.IsTruncated === true;
      }
      return keys;
    };

    const server = await startTestServer(t, { ...env, S3_ENDPOINT: s3.endpoint });
    // S3 has created the multipart upload, but another server of this installation dies before it receives the
    // response.
    const dying = await prepareServerProcess(t, { ...env, S3_ENDPOINT: proxy.endpoint });
    await shareInstallation(server, dying);
    await dying.start();
    const ada = await dying.signIn();
    // Block retries, which could reach S3 long after their server has died.
    let isLost = false;
    proxy.decide = ({ method, url }) => {
      if (method !== 'POST' || !url.includes('uploads')) return undefined;
      if (isLost) return { kind: 'answer', status: 503, code: 'SlowDown' };
      isLost = true;
      return { kind: 'lose-answer' };
    };
    const announcing = announceFile(ada, 'lost.bin', makeBytes(2 * CHUNK_BYTES)).catch(() => undefined);
    await until(async () => (await listUnfinished()).length > 0);
    await dying.kill();
    await announcing;
    for (let count = 1; count < LOST; count += 1) {
      await client.createMultipartUpload({ Bucket: bucket, Key: `blobs/${randomBytes(16).toString('hex')}` });
    }
    assert.equal((await listUnfinished()).length, LOST);
    await client.createMultipartUpload({ Bucket: bucket, Key: 'others/begun' });
    await client.putObject({ Bucket: bucket, Key: 'others/kept', Body: 'kept' });

    server.clock.advance(Date.now() - server.clock.now());
    const frida = await server.signIn('frida');
    await uploadFile(frida, 'whole.bin', makeBytes(CHUNK_BYTES + 1));
    const wanted = await announceFile(frida, 'wanted.bin', makeBytes(2 * CHUNK_BYTES));
    const sweep = async (): Promise<void> => {
      server.clock.advance(HOUR_MS);
      await server.context.db.updateTable('uploads').set({ lastActivityAt: server.clock.now() }).execute();
      await sweepUploads(server.context);
    };
    await sweep();
    assert.ok((await listUnfinished()).length > LOST, 'the young ones stay');
    server.clock.advance(DAY_MS);
    await server.context.db.updateTable('uploads').set({ lastActivityAt: server.clock.now() }).execute();
    await sweep();
    const { context, clock } = server;
    const stop = (await findSweepStop(context))!;
    assert.equal(stop.orphans, LOST, 'there are too many to remove without confirmation');
    await confirmSweepStop(context.db, { stopId: stop.id, by: 'ada', now: clock.now() });
    await sweep();
    assert.ok((await listUnfinished()).length > LOST, 'they are in the trash');
    clock.advance(7 * DAY_MS);
    await sweep();
    const { storageKey } = await server.context.db
      .selectFrom('uploads')
      .select('storageKey')
      .where('id', '=', wanted.uploadId)
      .executeTakeFirstOrThrow();
    assert.deepEqual((await listUnfinished()).sort(), [`blobs/${storageKey}`, 'others/begun'].sort());
    const kept = await client.getObject({ Bucket: bucket, Key: 'others/kept' });
    assert.equal(await kept.Body!.transformToString(), 'kept');
    const blobs = [];
    for await (const blob of server.context.blobs.list()) blobs.push(blob);
    assert.equal(blobs.length, 2);
  });
}

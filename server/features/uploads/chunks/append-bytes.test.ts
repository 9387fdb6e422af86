import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { DEFAULT_TIER_CONFIG } from '../../../../contracts/plans/tiers.ts';
import { deleteTransfer, getTransfer, updateTransfer } from '../../../../contracts/transfers/transfers.ts';
import { completeUploads, initUploads } from '../../../../contracts/transfers/uploads/uploads.ts';
import { zipDownloadPath } from '../../../../contracts/values/addresses/links.ts';
import { DAY_MS } from '../../../../contracts/values/durations.ts';
import { MIB } from '../../../../contracts/values/sizes.ts';
import { startTestServer, type TestServer } from '../../../../testing/test-context.ts';
import {
  announceFile,
  completeFile,
  describeFile,
  makeBytes,
  sendChunks,
  uploadFile,
} from '../../../../testing/uploads/upload-files.ts';
import { TIER_CONFIG_KEY } from '../../tiers/tiers.ts';

async function startWithTransfer(t: TestContext, settings: object = {}) {
  const server = await startTestServer(t);
  const paula = await server.signIn('paula');
  const { transfer, token } = await uploadFile(paula, 'first.bin', makeBytes(1_000, 'first'), {
    title: 'Plans',
    recipientEmails: ['rex@example.org'],
    ...settings,
  });
  const params = { id: transfer.id };
  return { server, paula, token, params, detail: () => paula.call(getTransfer, { params }) };
}

async function downloadAll({ url }: TestServer, token: string) {
  const response = await fetch(url + zipDownloadPath(token));
  const bytes = await response.arrayBuffer();
  return { status: response.status, etag: response.headers.get('etag'), length: bytes.byteLength };
}

test('files can be added to a ready transfer: same link, new zip, no second mail, same settings', async (t) => {
  const { server, paula, token, params, detail } = await startWithTransfer(t);
  const before = await downloadAll(server, token);
  const contents = [makeBytes(2_000, 'a'), makeBytes(3_000, 'b')];
  const { uploads } = await paula.call(initUploads, {
    body: {
      transferId: params.id,
      files: contents.map((bytes, index) => describeFile(`${index}.bin`, bytes)),
    },
  });
  for (const [index, { uploadId }] of uploads.entries()) await sendChunks(paula, uploadId, contents[index]!);
  const announced = await downloadAll(server, token);
  assert.deepEqual([announced.etag, announced.length], [before.etag, before.length]);
  const answer = await paula.call(completeUploads, {
    body: {
      transferId: params.id,
      uploadIds: uploads.map(({ uploadId }) => uploadId),
      title: 'Another',
      recipientEmails: ['vera@example.org'],
      expirationDays: 1,
      fileCount: 2,
    },
  });
  assert.deepEqual(answer, { token, transfer: { id: params.id } });

  const { title, recipientEmails, fileCount, totalSize, files } = await detail();
  assert.deepEqual([title, recipientEmails, fileCount, totalSize], ['Plans', ['rex@example.org'], 3, 6_000]);
  assert.deepEqual(
    files.map(({ originalName, downloadCount }) => [originalName, downloadCount]),
    [
      ['first.bin', 2],
      ['0.bin', 0],
      ['1.bin', 0],
    ],
  );
  assert.equal((await server.mails()).length, 1);
  const after = await downloadAll(server, token);
  assert.equal(after.status, 200);
  assert.notEqual(after.etag, before.etag);
  assert.ok(after.length > before.length + 5_000);
});

test('added files count against the plan’s limits together with existing ones', async (t) => {
  const { server, paula, params, detail } = await startWithTransfer(t);
  const { pro } = DEFAULT_TIER_CONFIG;
  const value = JSON.stringify({ ...DEFAULT_TIER_CONFIG, pro: { ...pro, storagePerTransfer: MIB } });
  await server.context.db
    .insertInto('settings')
    .values({ id: TIER_CONFIG_KEY, key: TIER_CONFIG_KEY, value, updatedAt: 0 })
    .execute();
  const announce = (sizeBytes: number) => announceFile(paula, 'more.bin', Buffer.alloc(sizeBytes), params.id);
  await assert.rejects(announce(MIB - 999), { status: 413, code: 'transfer_limit_exceeded' });
  const half = MIB / 2;
  const outcomes = await Promise.allSettled([announce(half), announce(half), announce(half)]);
  assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
  assert.equal((await detail()).fileCount, 1);
});

test('an upload can complete after its transfer expires, and its file is available once the transfer reopens', async (t) => {
  const { server, paula, token, params, detail } = await startWithTransfer(t, { expirationDays: 1 });
  const bytes = makeBytes(50);
  const { uploadId } = await announceFile(paula, 'late.bin', bytes, params.id);
  await sendChunks(paula, uploadId, bytes);
  server.clock.advance(DAY_MS);
  await assert.rejects(announceFile(paula, 'more.bin', bytes, params.id), {
    status: 410,
    code: 'transfer_expired',
  });
  await completeFile(paula, uploadId);
  assert.equal((await downloadAll(server, token)).status, 410);
  await paula.call(updateTransfer, { params, body: { expirationDays: 2 } });
  assert.equal((await detail()).fileCount, 2);
  assert.equal((await downloadAll(server, token)).status, 200);
});

test('no files can be added to a transfer that auto-delete has closed', async (t) => {
  const { server, paula, params } = await startWithTransfer(t, {
    maxDownloads: 1,
    autoDeleteAfterDownloads: true,
  });
  const { db } = server.context;
  await db.updateTable('transfers').set({ closedAt: server.clock.now(), downloadCount: 1 }).execute();
  const adding = announceFile(paula, 'more.bin', makeBytes(5), params.id);
  await assert.rejects(adding, { status: 410, code: 'transfer_used_up' });
});

test('a file announced while its transfer is deleted leaves no reservation behind', async (t) => {
  const server = await startTestServer(t);
  const paula = await server.signIn('paula');
  for (let round = 1; round <= 5; round += 1) {
    const { transfer } = await uploadFile(paula, 'first.bin', makeBytes(10));
    const [announced, deleted] = await Promise.allSettled([
      announceFile(paula, 'second.bin', makeBytes(100), transfer.id),
      paula.call(deleteTransfer, { params: { id: transfer.id } }),
    ]);
    assert.equal(deleted.status, 'fulfilled');
    if (announced.status === 'rejected') assert.equal((announced.reason as { status: number }).status, 404);
    await server.drainJobs();
    const { bytes } = await server.context.db
      .selectFrom('monthlyUsage')
      .select('bytes')
      .executeTakeFirstOrThrow();
    assert.equal(bytes, 10 * round);
    assert.deepEqual(await server.context.db.selectFrom('uploads').select('id').execute(), []);
    for await (const blob of server.context.blobs.list()) assert.fail(`left behind: ${blob.storageKey}`);
  }
});

import assert from 'node:assert/strict';
import test from 'node:test';
import { CHUNK_BYTES, planChunks } from '../../../../contracts/plans/limits.ts';
import { DEFAULT_TIER_CONFIG } from '../../../../contracts/plans/tiers.ts';
import { deleteTransfer } from '../../../../contracts/transfers/transfers.ts';
import { abortUpload, initUpload, initUploads } from '../../../../contracts/transfers/uploads/uploads.ts';
import { DAY_MS } from '../../../../contracts/values/durations.ts';
import { GIB } from '../../../../contracts/values/sizes.ts';
import type { Client } from '../../../../testing/calls/client.ts';
import { startTestServer, type TestServer } from '../../../../testing/test-context.ts';
import {
  announceFile,
  completeFile,
  makeBytes,
  sendChunks,
  uploadFile,
} from '../../../../testing/uploads/upload-files.ts';
import { TIER_CONFIG_KEY } from '../../tiers/tiers.ts';

test('concurrent announcements never reserve more than a transfer or month allows', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  const { transferId } = await announce(frida, 0);
  const intoOne = await countAccepted(Array.from({ length: 10 }, () => announce(frida, GIB, transferId)));
  assert.deepEqual(intoOne, { accepted: 5, codes: ['transfer_limit_exceeded'] });
  const intoMany = await countAccepted(Array.from({ length: 10 }, () => announce(frida, GIB)));
  assert.deepEqual(intoMany, { accepted: 5, codes: ['monthly_limit_exceeded'] });
  assert.equal(await findUsage(server), 10 * GIB);
});

test('Size per transfer, and per month: errors state the limit and the rest; aborting frees room', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  await assert.rejects(announce(frida, 5 * GIB + 1), {
    status: 413,
    message: '413: Your free plan allows up to 5 GB per transfer. Upgrade to increase your limit.',
  });
  const { uploadId } = await announce(frida, 5 * GIB);
  await announce(frida, 4 * GIB);
  await assert.rejects(announce(frida, 2 * GIB), {
    status: 413,
    message:
      '413: Your free plan allows 10 GB per month. You have 1 GB remaining. Upgrade for more capacity.',
  });
  await frida.call(abortUpload, { params: { uploadId } });
  await announce(frida, 2 * GIB);
  assert.equal(await findUsage(server), 6 * GIB);
});

test('deleting a draft releases its unfinished bytes, but not those of complete files', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  const sent = await uploadFile(frida, 'sent.bin', makeBytes(1000), { fileCount: 2 });
  await announce(frida, GIB, sent.transfer.id);
  await frida.call(deleteTransfer, { params: { id: sent.transfer.id } });
  assert.equal(await findUsage(server), 1000);
  await server.drainJobs();
  assert.equal(await findUsage(server), 1000);
});

test('no file can be added to an expired transfer', async (t) => {
  const server = await startTestServer(t);
  const { transfer } = await uploadFile(await server.signIn('frida'), 'a.bin', makeBytes(10));
  server.clock.advance(4 * DAY_MS);
  const frida = await server.signIn('frida');
  await assert.rejects(announce(frida, 1, transfer.id), { code: 'transfer_expired' });
});

test('a call announces all of its files or none', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  const files = [describe(3 * GIB), describe(3 * GIB)];
  await assert.rejects(frida.call(initUploads, { body: { files } }), { code: 'transfer_limit_exceeded' });
  assert.deepEqual(await server.context.db.selectFrom('uploads').select('id').execute(), []);
  assert.deepEqual(await server.context.db.selectFrom('transfers').select('id').execute(), []);
  assert.equal(await findUsage(server), 0);
});

test('usage starts over each month, and a reservation stays in its month', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  const { uploadId } = await announce(frida, 5 * GIB);
  server.clock.advance(20 * DAY_MS);
  const client = await server.signIn('frida');
  await announce(client, 5 * GIB);
  await client.call(abortUpload, { params: { uploadId } });
  const months = await server.context.db.selectFrom('monthlyUsage').selectAll().orderBy('month').execute();
  assert.deepEqual(
    months.map(({ month, bytes }) => [month, bytes]),
    [
      ['2026-11', 0],
      ['2026-12', 5 * GIB],
    ],
  );
});

test('the total size is checked against the plan again at completion', async (t) => {
  const server = await startTestServer(t);
  const paula = await server.signIn('paula');
  const bytes = makeBytes(100);
  const { uploadId } = await announceFile(paula, 'a', bytes);
  await sendChunks(paula, uploadId, bytes);
  await setTierLimits(server, { storagePerTransfer: 99 });
  await assert.rejects(completeFile(paula, uploadId), { code: 'transfer_limit_exceeded' });
  await setTierLimits(server, { storagePerTransfer: 100 });
  assert.ok((await completeFile(paula, uploadId)).token);
});

test('the chunk count must be the one that both sides compute', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  const wrong = [
    { fileSize: CHUNK_BYTES, totalChunks: 2 },
    { fileSize: CHUNK_BYTES + 1, totalChunks: 1 },
    { fileSize: 10, totalChunks: 0 },
    { fileSize: 0, totalChunks: 2 },
  ];
  for (const sizes of wrong) {
    await assert.rejects(frida.call(initUpload, { body: { fileName: 'x', ...sizes } }), {
      code: 'wrong_total_chunks',
    });
  }
});

test('impossible numbers and types are refused with 400', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  const right = { fileName: 'x', fileSize: 1, totalChunks: 1 };
  const wrong: object[] = [
    {},
    { ...right, fileSize: -1 },
    { ...right, fileSize: 1.5 },
    { ...right, fileSize: '1' },
    { ...right, fileSize: 1e300 },
    { ...right, fileSize: 2 ** 53, totalChunks: 1 },
    { ...right, totalChunks: -1 },
    { ...right, totalChunks: 1e21 },
    { ...right, fileName: '' },
    { ...right, fileName: 'a\0b' },
    { ...right, fileName: '\ud800' },
    { ...right, fileName: 7 },
    { ...right, transferId: '../../x' },
    { ...right, relativePath: 'a/'.repeat(40) },
    { ...right, relativePath: `${'x'.repeat(200)}/`.repeat(6) },
  ];
  for (const body of wrong) {
    await assert.rejects(
      frida.call(initUpload, { body }),
      { status: 400 },
      JSON.stringify(body).slice(0, 80),
    );
  }
  const deep = { ...right, relativePath: 'a/'.repeat(40) };
  await assert.rejects(
    frida.call(initUploads, { body: { files: [right, deep] } }),
    (error: { problem: object }) => {
      assert.partialDeepStrictEqual(error.problem, {
        errors: { 'files.1.relativePath': 'This path is too deep or too long.' },
      });
      return true;
    },
  );
});

test('hostile names are made harmless, and callers cannot set ids or storage keys', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  const bytes = makeBytes(3);
  const body = {
    fileName: '..\\..\\etc/passwd\u202e.txt ',
    relativePath: '../../évil/./b\\c.txt',
    fileSize: 3,
    totalChunks: 1,
    mimeType: 'text/html<script>',
  };
  const ours = { uploadId: 'mine', storageKey: '../../x', userId: server.userId('paula') };
  await assert.rejects(frida.call(initUpload, { body: { ...body, ...ours } }), { status: 400 });
  const upload = await frida.call(initUpload, { body });
  await sendChunks(frida, upload.uploadId, bytes);
  for (const decided of [{ downloadCount: 99 }, { token: 'mine' }, { userId: server.userId('paula') }])
    await assert.rejects(completeFile(frida, upload.uploadId, decided), { status: 400 });
  await completeFile(frida, upload.uploadId);
  const file = await server.context.db.selectFrom('files').selectAll().executeTakeFirstOrThrow();
  assert.equal(file.originalName, '.._.._etc_passwd.txt');
  assert.equal(file.relativePath, 'évil/b/c.txt');
  assert.equal(file.mimeType, 'application/octet-stream');
  assert.match(file.storageKey, /^[0-9a-z]{26}$/);
  const transfer = await server.context.db.selectFrom('transfers').selectAll().executeTakeFirstOrThrow();
  assert.deepEqual([transfer.downloadCount, transfer.userId], [0, server.userId('frida')]);
  assert.match(transfer.token, /^[0-9a-z]{26}$/);
});

test('a file can be renamed at completion, within its folder', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  const upload = await frida.call(initUpload, {
    body: { fileName: 'a.txt', relativePath: 'docs/a.txt', fileSize: 0, totalChunks: 0 },
  });
  await completeFile(frida, upload.uploadId, { fileName: '../b.txt', mimeType: 'text/plain' });
  const file = await server.context.db.selectFrom('files').selectAll().executeTakeFirstOrThrow();
  assert.deepEqual(
    [file.originalName, file.relativePath, file.mimeType],
    ['.._b.txt', 'docs/.._b.txt', 'text/plain'],
  );
});

function describe(fileSize: number) {
  return { fileName: 'big.bin', fileSize, totalChunks: planChunks(fileSize).totalChunks };
}

function announce(client: Client, fileSize: number, transferId?: string) {
  return client.call(initUpload, { body: { ...describe(fileSize), transferId } });
}

async function countAccepted(calls: Promise<unknown>[]) {
  const results = await Promise.allSettled(calls);
  const refusals = results.filter((result) => result.status === 'rejected');
  return {
    accepted: results.length - refusals.length,
    codes: [...new Set(refusals.map(({ reason }) => (reason as { code: string }).code))],
  };
}

async function findUsage({ context }: TestServer): Promise<number> {
  const rows = await context.db.selectFrom('monthlyUsage').select('bytes').execute();
  return rows.reduce((sum, { bytes }) => sum + bytes, 0);
}

async function setTierLimits({ context }: TestServer, pro: object): Promise<void> {
  const value = JSON.stringify({ ...DEFAULT_TIER_CONFIG, pro: { ...DEFAULT_TIER_CONFIG.pro, ...pro } });
  await context.db
    .insertInto('settings')
    .values({ id: TIER_CONFIG_KEY, key: TIER_CONFIG_KEY, value, updatedAt: 0 })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
    .execute();
}

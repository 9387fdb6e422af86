import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { deleteTransfer, restoreTransfer } from '../../../../contracts/transfers/transfers.ts';
import { abortUpload, initUpload } from '../../../../contracts/transfers/uploads/uploads.ts';
import { HOUR_MS } from '../../../../contracts/values/durations.ts';
import type { Client } from '../../../../testing/calls/client.ts';
import { startTestServer, type TestServer } from '../../../../testing/test-context.ts';
import {
  describeSealed,
  fileIdOf,
  makeAccess,
  makeSealed,
  makeSealedManifest,
  putSealed,
  sendSealedTransfer,
} from '../../../../testing/uploads/sealed-transfers.ts';
import { makeBytes, readStored } from '../../../../testing/uploads/upload-files.ts';
import { confirmClock } from '../../../platform/jobs/clock-guard.ts';
import { sweepUploads } from '../sweep/sweep.ts';

async function startWithDraft(t: TestContext) {
  const server = await startTestServer(t);
  const prem = await server.signIn('prem');
  const body = { ...describeSealed(fileIdOf('a'), makeSealed(10)), encryption: makeAccess().encryption };
  const { transferId, uploadId } = await prem.call(initUpload, { body });
  const put = async (revision: number, bytes: Buffer, kind: 'manifest' | 'pictures' = 'manifest') => {
    const response = await putSealed(prem, { transferId, revision, bytes, kind });
    return { status: response.status, code: response.status === 204 ? '' : await codeOf(response) };
  };
  return { server, prem, transferId, uploadId, put };
}

async function codeOf(response: Response): Promise<string> {
  return ((await response.json()) as { code: string }).code;
}

async function listKeys({ context: { blobs } }: TestServer): Promise<string[]> {
  const keys: string[] = [];
  for await (const { storageKey } of blobs.list()) keys.push(storageKey);
  return keys;
}

function readDocuments({ context: { db } }: TestServer) {
  return db.selectFrom('sealedDocuments').selectAll().orderBy('kind').execute();
}

async function usageOf({ context: { db } }: TestServer): Promise<{ month: number; transfer: number }> {
  const usage = await db.selectFrom('monthlyUsage').select('bytes').executeTakeFirst();
  const transfer = await db.selectFrom('transfers').select('reservedBytes').executeTakeFirst();
  return { month: usage?.bytes ?? 0, transfer: transfer?.reservedBytes ?? 0 };
}

test('each revision follows the stored one, and sending it again changes nothing', async (t) => {
  const { server, put } = await startWithDraft(t);
  const [one, two] = [makeSealedManifest('one'), makeSealedManifest('two', 3)];
  const outdated = { status: 409, code: 'manifest_outdated' };
  assert.deepEqual(await put(2, two), outdated);
  assert.equal((await put(1, one)).status, 204);
  assert.equal((await put(1, one)).status, 204);
  assert.deepEqual(await put(1, two), outdated);
  assert.deepEqual(await put(3, two), outdated);
  assert.equal((await put(2, two)).status, 204);
  assert.deepEqual(await put(1, one), outdated);
  assert.equal((await put(1, makeSealed(500), 'pictures')).status, 204);
  const [manifest, pictures] = await readDocuments(server);
  assert.deepEqual([manifest!.revision, pictures!.revision], [2, 1]);
  const place = { storageKey: manifest!.storageKey, offset: 0, sizeBytes: two.length };
  assert.deepEqual(await readStored(server.context, place), two);
});

test('of parallel writers of a revision one wins, and nothing of the others stays', async (t) => {
  const { server, put } = await startWithDraft(t);
  for (const revision of [1, 2, 3]) {
    const sent = await Promise.all(
      Array.from({ length: 8 }, (_, index) => put(revision, makeSealedManifest(`${revision} ${index}`))),
    );
    assert.equal(sent.filter(({ status }) => status === 204).length, 1, `revision ${revision}`);
    assert.equal(sent.filter(({ code }) => code === 'manifest_outdated').length, 7);
  }
  const same = await Promise.all(Array.from({ length: 8 }, () => put(4, makeSealedManifest('same'))));
  assert.ok(same.every(({ status }) => status === 204));
  await server.drainJobs();
  const documents = await readDocuments(server);
  const named = new Set(documents.map(({ storageKey }) => storageKey));
  const uploads = await server.context.db.selectFrom('uploads').select('storageKey').execute();
  for (const { storageKey } of uploads) named.add(storageKey);
  assert.deepEqual(
    (await listKeys(server)).filter((key) => !named.has(key)),
    [],
  );
  assert.deepEqual([documents.length, documents[0]!.revision], [1, 4]);
});

test('a document that is not shaped like ciphertext is refused', async (t) => {
  const { server, prem, transferId, put } = await startWithDraft(t);
  const refused = { status: 400, code: 'must_be_encrypted' };
  for (const size of [0, 39, 4096, 4096 + 39, 100 + 40])
    assert.deepEqual(await put(1, makeBytes(size)), refused, String(size));
  assert.deepEqual(await put(1, makeBytes(39), 'pictures'), refused);
  assert.deepEqual(await put(1, makeSealed(33 * 1024 * 1024)), { status: 413, code: 'body_too_large' });
  const unsized = await prem.fetch(`/api/upload/manifest/${transferId}?revision=1`, {
    method: 'PUT',
    headers: { 'content-type': 'application/octet-stream', accept: 'application/json' },
    body: new Blob([new Uint8Array(makeSealedManifest())]).stream(),
    duplex: 'half',
  });
  assert.deepEqual([unsized.status, await codeOf(unsized)], [400, 'invalid_input']);
  assert.deepEqual(await readDocuments(server), []);
});

test('only the transfer’s owner can store a document', async (t) => {
  const { server, transferId } = await startWithDraft(t);
  const document = { transferId, revision: 1, bytes: makeSealedManifest() };
  assert.equal((await putSealed(await server.signIn('paula'), document)).status, 404);
  assert.equal((await putSealed(server.anonymous(), document)).status, 401);
});

test('documents count against the plan like files until they are replaced or their draft ends', async (t) => {
  const { server, prem, uploadId, put } = await startWithDraft(t);
  const file = makeSealed(10).length;
  const [small, large] = [makeSealedManifest('small'), makeSealedManifest('large', 9)];
  await put(1, large);
  assert.deepEqual(await usageOf(server), { month: file + large.length, transfer: file + large.length });
  await put(2, small);
  assert.deepEqual(await usageOf(server), { month: file + small.length, transfer: file + small.length });
  const kept = await listKeys(server);
  await server.drainJobs();
  assert.equal((await listKeys(server)).length, kept.length - 1);
  await prem.call(abortUpload, { params: { uploadId } });
  assert.deepEqual(await usageOf(server), { month: 0, transfer: 0 });
  await server.drainJobs();
  assert.deepEqual(await listKeys(server), []);
});

test('a document beyond the plan’s limit is refused and leaves nothing', async (t) => {
  const { server, put } = await startWithDraft(t);
  const config = { storagePerTransfer: 5_000, monthlyTotal: 10_000, retentionDays: 3, price: 0 };
  const value = JSON.stringify({ free: config, pro: config, premium: config });
  const setting = { id: 'x'.repeat(26), key: 'tier-config', value, updatedAt: 0 };
  await server.context.db.insertInto('settings').values(setting).execute();
  const before = await listKeys(server);
  assert.deepEqual(await put(1, makeSealedManifest('big', 2)), {
    status: 413,
    code: 'transfer_limit_exceeded',
  });
  assert.equal((await put(1, makeSealedManifest('small'))).status, 204);
  assert.equal((await listKeys(server)).length, before.length + 1);
});

test('a blob whose row was never written is swept, and a stored one never is', async (t) => {
  const { server, prem, put } = await startWithDraft(t);
  await sendSealedTransfer(prem);
  await put(1, makeSealedManifest());
  const [document] = await readDocuments(server);
  // As after kill -9 between blob and row.
  await server.context.db
    .deleteFrom('sealedDocuments')
    .where('storageKey', '=', document!.storageKey)
    .execute();
  const keys = await listKeys(server);
  // The storage has a clock of its own.
  server.clock.jump(Math.max(0, Date.now() - server.clock.now()));
  const { stop } = await server.context.clockGuard.check();
  if (stop) await confirmClock(server.context.db, { stopId: stop.id, now: server.clock.now() });
  for (let hour = 0; hour < 27; hour += 1) {
    server.clock.advance(HOUR_MS);
    await sweepUploads(server.context);
  }
  await server.drainJobs();
  const left = await listKeys(server);
  assert.ok(keys.includes(document!.storageKey) && !left.includes(document!.storageKey));
  const rows = await readDocuments(server);
  for (const { storageKey } of rows) assert.ok(left.includes(storageKey));
});

test('documents go with their transfer and come back when its deletion is undone', async (t) => {
  const server = await startTestServer(t);
  const prem = await server.signIn('prem');
  const { id, manifest } = await sendSealedTransfer(prem);
  const params = { id };
  await prem.call(deleteTransfer, { params, query: { undoable: 'true' } });
  assert.equal((await prem.fetch(`/api/transfers/${id}/manifest`)).status, 404);
  await prem.call(restoreTransfer, { params });
  assert.deepEqual(await readManifest(prem, id), manifest);
  await prem.call(deleteTransfer, { params });
  await server.drainJobs();
  assert.deepEqual([await listKeys(server), await readDocuments(server)], [[], []]);
});

async function readManifest(client: Client, id: string): Promise<Buffer> {
  return Buffer.from(await (await client.fetch(`/api/transfers/${id}/manifest`)).arrayBuffer());
}

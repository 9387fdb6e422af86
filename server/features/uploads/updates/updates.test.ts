import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { blockContent, listHeldFiles, reviewFiles } from '../../../../contracts/admin/scanning.ts';
import { getStorageTruth } from '../../../../contracts/admin/system.ts';
import { viewDownload } from '../../../../contracts/transfers/downloads/downloads.ts';
import {
  deleteTransfer,
  listTransferFiles,
  listTransfers,
  restoreTransfer,
} from '../../../../contracts/transfers/transfers.ts';
import { listUploads } from '../../../../contracts/transfers/uploads/uploads.ts';
import {
  beginUpdate,
  discardUpdate,
  listDownloadVersions,
  listStagedFiles,
  listVersionFiles,
  planUpdate,
  publishUpdate,
} from '../../../../contracts/transfers/versions.ts';
import { fileDownloadPath, zipDownloadPath } from '../../../../contracts/values/addresses/links.ts';
import { DAY_MS } from '../../../../contracts/values/durations.ts';
import type { Client } from '../../../../testing/calls/client.ts';
import { createReadyTransfer } from '../../../../testing/factories.ts';
import { startTestServer, type TestServer } from '../../../../testing/test-context.ts';
import {
  announceFile,
  completeFile,
  makeBytes,
  sendChunks,
} from '../../../../testing/uploads/upload-files.ts';

const run = promisify(execFile);

/** Whose checksums are known, as after the background check. */
async function recordChecksum({ context }: TestServer, fileId: string): Promise<void> {
  const sha256 = createHash('sha256').update(fileId).digest('hex');
  await context.db.updateTable('files').set({ sha256 }).where('id', '=', fileId).execute();
}

async function startWithTransfer(t: TestContext, settings: { maxDownloads?: number } = {}) {
  const server = await startTestServer(t);
  const transfer = await createReadyTransfer(server.context, {
    userId: server.userId('paula'),
    title: 'Plans',
    files: [
      { path: 'plans/a.txt', bytes: 'first a' },
      { path: 'plans/b.txt', bytes: 'first b' },
      { path: 'plans/c.txt', bytes: 'first c' },
    ],
    ...settings,
  });
  return { server, transfer, paula: await server.signIn('paula') };
}

type Update = {
  add?: Record<string, Buffer | string>;
  removed?: string[];
  reused?: { fileId: string; relativePath: string }[];
};

async function update(client: Client, transferId: string, { add = {}, removed = [], reused = [] }: Update) {
  const params = { id: transferId };
  const { draftId, version } = await client.call(beginUpdate, { params });
  for (const [path, content] of Object.entries(add)) {
    const bytes = Buffer.from(content);
    const { uploadId } = await announceFile(client, path, bytes, draftId);
    await sendChunks(client, uploadId, bytes);
    await completeFile(client, uploadId, { transferId: draftId });
  }
  await client.call(planUpdate, { params, body: { removed, reused } });
  return client.call(publishUpdate, { params, body: { version } });
}

async function readText(client: Client, path: string): Promise<string> {
  const response = await client.fetch(path);
  return response.ok ? response.text() : `${response.status}`;
}

async function listZip(client: Client, path: string): Promise<Record<string, string>> {
  const response = await client.fetch(path);
  assert.equal(response.status, 200, await response.clone().text());
  const folder = await mkdtemp(join(tmpdir(), 'version-'));
  try {
    await writeFile(join(folder, 'z.zip'), Buffer.from(await response.arrayBuffer()));
    await run('unzip', ['-q', join(folder, 'z.zip'), '-d', join(folder, 'out')]);
    const { stdout } = await run('find', ['.', '-type', 'f'], { cwd: join(folder, 'out') });
    const names = stdout.trim().split('\n').toSorted();
    const texts = await Promise.all(names.map((name) => readFile(join(folder, 'out', name), 'utf8')));
    return Object.fromEntries(names.map((name, index) => [name.slice(2), texts[index]!]));
  } finally {
    await rm(folder, { recursive: true });
  }
}

const versionZip = (token: string, version: number) => `/api/download/${token}/versions/${version}/all`;

test('an update replaces, removes, renames and adds files at once, and earlier versions stay', async (t) => {
  const { server, transfer, paula } = await startWithTransfer(t);
  const [a, b, c] = transfer.files.map(({ id }) => id) as [string, string, string];
  const published = await update(paula, transfer.id, {
    add: { 'a.txt': 'second a', 'new.txt': 'new' },
    removed: [a, b],
    reused: [{ fileId: b, relativePath: 'plans/renamed.txt' }],
  });
  assert.deepEqual([published.version, published.fileCount], [2, 4]);
  const anyone = server.anonymous();
  const { token } = transfer;
  const second = {
    'a.txt': 'second a',
    'new.txt': 'new',
    'plans/c.txt': 'first c',
    'plans/renamed.txt': 'first b',
  };
  const first = { 'plans/a.txt': 'first a', 'plans/b.txt': 'first b', 'plans/c.txt': 'first c' };
  assert.deepEqual(await listZip(anyone, zipDownloadPath(token)), second);
  assert.deepEqual(await listZip(anyone, versionZip(token, 2)), second);
  assert.deepEqual(await listZip(anyone, versionZip(token, 1)), first);

  await update(paula, transfer.id, { removed: [c], reused: [{ fileId: a, relativePath: 'a back' }] });
  const third = {
    'a back': 'first a',
    'a.txt': 'second a',
    'new.txt': 'new',
    'plans/renamed.txt': 'first b',
  };
  assert.deepEqual(await listZip(anyone, zipDownloadPath(token)), third);
  assert.deepEqual(await listZip(anyone, versionZip(token, 2)), second);
  assert.deepEqual(await listZip(anyone, versionZip(token, 1)), first);
  const versions = await anyone.call(listDownloadVersions, { params: { token } });
  assert.deepEqual(
    versions.map(({ version, fileCount, totalSize }) => [version, fileCount, totalSize]),
    [
      [3, 4, 25],
      [2, 4, 25],
      [1, 3, 21],
    ],
  );
  const files = await anyone.call(listVersionFiles, { params: { token, version: '1' } });
  assert.deepEqual(
    files.map(({ relativePath }) => relativePath),
    Object.keys(first),
  );
  assert.equal(await readText(anyone, fileDownloadPath(token, a)), 'first a');
  assert.equal((await anyone.fetch(versionZip(token, 4))).status, 404);
  assert.equal((await anyone.fetch(versionZip(token, 0))).status, 404);
});

test('a download of an earlier version counts once and for its files, and resumes', async (t) => {
  const { server, transfer, paula } = await startWithTransfer(t, { maxDownloads: 3 });
  const [a, , c] = transfer.files.map(({ id }) => id) as [string, string, string];
  const { token } = transfer;
  assert.equal((await server.anonymous().fetch(zipDownloadPath(token))).status, 200);
  await update(paula, transfer.id, { removed: [a] });
  const client = server.anonymous();
  const zip = await client.fetch(versionZip(token, 1));
  const bytes = Buffer.from(await zip.arrayBuffer());
  const etag = zip.headers.get('etag')!;
  const rest = await client.fetch(versionZip(token, 1), {
    headers: { range: 'bytes=10-', 'if-range': etag },
  });
  assert.equal(rest.status, 206);
  assert.ok(Buffer.from(await rest.arrayBuffer()).equals(bytes.subarray(10)));
  const countOf = async (fileId: string, version: string) =>
    (await client.call(listVersionFiles, { params: { token, version } })).find(({ id }) => id === fileId)
      ?.downloadCount;
  assert.equal(await countOf(a, '1'), 2);
  const [shown] = await paula.call(listTransferFiles, { params: { id: transfer.id } });
  assert.notEqual(shown!.id, a);
  const files = await paula.call(listTransferFiles, { params: { id: transfer.id } });
  assert.equal(files.find(({ id }) => id === c)!.downloadCount, 2);
  assert.equal((await client.call(viewDownload, { params: { token } })).downloadCount, 2);
  assert.equal((await server.anonymous().fetch(fileDownloadPath(token, a))).status, 200);
  assert.equal((await server.anonymous().fetch(versionZip(token, 1))).status, 410);
});

test('nothing of an update is visible before it is published, and discarding removes its bytes', async (t) => {
  const { server, transfer, paula } = await startWithTransfer(t);
  const { draftId, version } = await paula.call(beginUpdate, { params: { id: transfer.id } });
  assert.equal((await paula.call(beginUpdate, { params: { id: transfer.id } })).draftId, draftId);
  const bytes = makeBytes(6_000_000);
  const { uploadId } = await announceFile(paula, 'large.bin', bytes, draftId);
  await assert.rejects(paula.call(publishUpdate, { params: { id: transfer.id }, body: { version } }), {
    code: 'update_unfinished',
  });
  await sendChunks(paula, uploadId, bytes);
  await completeFile(paula, uploadId, { transferId: draftId, fileCount: 1, title: 'public?' });
  const draft = await server.context.db
    .selectFrom('transfers')
    .select(['status', 'token'])
    .where('id', '=', draftId)
    .executeTakeFirstOrThrow();
  assert.equal(draft.status, 'draft');
  assert.equal((await server.anonymous().fetch(`/api/download/${draft.token}`)).status, 404);
  assert.deepEqual(await paula.call(listUploads, {}), []);
  const staged = await paula.call(listStagedFiles, { params: { id: transfer.id } });
  assert.deepEqual(staged, [{ uploadId, relativePath: 'large.bin', size: 6_000_000, isComplete: true }]);
  assert.equal(
    (await server.anonymous().call(viewDownload, { params: { token: transfer.token } })).fileCount,
    3,
  );
  await paula.call(discardUpdate, { params: { id: transfer.id } });
  await server.drainJobs();
  assert.deepEqual(await paula.call(listStagedFiles, { params: { id: transfer.id } }), []);
  const rows = await server.context.db.selectFrom('files').select('transferId').execute();
  assert.deepEqual(new Set(rows.map(({ transferId }) => transferId)), new Set([transfer.id]));
});

test('what was sent for the next version is deleted with the transfer, but not while that can be undone', async (t) => {
  const { server, transfer, paula } = await startWithTransfer(t);
  const params = { id: transfer.id };
  const { draftId } = await paula.call(beginUpdate, { params });
  const { uploadId } = await announceFile(paula, 'next.txt', Buffer.from('next'), draftId);
  await sendChunks(paula, uploadId, Buffer.from('next'));
  await paula.call(deleteTransfer, { params, query: { undoable: 'true' } });
  await server.drainJobs();
  await paula.call(restoreTransfer, { params });
  assert.equal((await paula.call(listStagedFiles, { params })).length, 1);
  await paula.call(deleteTransfer, { params });
  await server.drainJobs();
  for (const table of ['transfers', 'uploads', 'files', 'packs'] as const)
    assert.deepEqual(await server.context.db.selectFrom(table).selectAll().execute(), [], table);
});

test('of parallel publications one wins, and one based on an old version is refused', async (t) => {
  const { transfer, paula } = await startWithTransfer(t);
  const params = { id: transfer.id };
  const { version } = await paula.call(beginUpdate, { params });
  await paula.call(planUpdate, { params, body: { removed: [transfer.files[0]!.id] } });
  const results = await Promise.allSettled(
    Array.from({ length: 8 }, () => paula.call(publishUpdate, { params, body: { version } })),
  );
  const refusals = results.flatMap((result) => (result.status === 'rejected' ? [result.reason.code] : []));
  assert.deepEqual(
    refusals,
    Array.from({ length: 7 }, () => 'update_outdated'),
  );
  await assert.rejects(paula.call(publishUpdate, { params, body: { version: 2 } }), {
    code: 'update_not_begun',
  });
  await assert.rejects(paula.call(planUpdate, { params, body: { removed: [] } }), {
    code: 'update_not_begun',
  });
});

test('an update whose draft another one has discarded can neither change nor publish nor discard that one', async (t) => {
  const { transfer, paula } = await startWithTransfer(t);
  const params = { id: transfer.id };
  const [first] = transfer.files;
  const { draftId, version } = await paula.call(beginUpdate, { params });
  await paula.call(discardUpdate, { params });
  await paula.call(beginUpdate, { params });
  const changes = { draftId, removed: [first!.id] };
  await assert.rejects(paula.call(planUpdate, { params, body: changes }), { code: 'update_not_begun' });
  await assert.rejects(paula.call(publishUpdate, { params, body: { version, draftId } }), {
    code: 'update_not_begun',
  });
  await paula.call(discardUpdate, { params, query: { draftId } });
  const { draftId: later } = await paula.call(beginUpdate, { params });
  await paula.call(planUpdate, { params, body: { ...changes, draftId: later } });
  const published = await paula.call(publishUpdate, { params, body: { version, draftId: later } });
  assert.equal(published.fileCount, 2);
});

test('of updates that begin anew at the same time, each has a draft of its own, and only the last one stays', async (t) => {
  const { transfer, paula } = await startWithTransfer(t);
  const params = { id: transfer.id };
  await paula.call(beginUpdate, { params });
  const begun = await Promise.all(
    Array.from({ length: 5 }, () => paula.call(beginUpdate, { params, query: { anew: 'true' } })),
  );
  const draftIds = begun.map(({ draftId }) => draftId);
  assert.equal(new Set(draftIds).size, 5);
  const { draftId: last } = await paula.call(beginUpdate, { params });
  const outcomes = await Promise.allSettled(
    draftIds.map((draftId) => announceFile(paula, 'new.txt', Buffer.from('new'), draftId)),
  );
  const accepted = draftIds.filter((_, index) => outcomes[index]!.status === 'fulfilled');
  assert.deepEqual(accepted, [last]);
});

test('updates that are not allowed are refused and change nothing', async (t) => {
  const { server, transfer, paula } = await startWithTransfer(t);
  const params = { id: transfer.id };
  const ids = transfer.files.map(({ id }) => id);
  await assert.rejects(update(paula, transfer.id, { removed: ids }), { code: 'update_empty' });
  await paula.call(discardUpdate, { params });
  const foreign = await createReadyTransfer(server.context, {
    userId: server.userId('frida'),
    files: [{ path: 'secret', bytes: 'secret' }],
  });
  const reused = [{ fileId: foreign.files[0]!.id, relativePath: 'mine' }];
  await assert.rejects(update(paula, transfer.id, { reused }), { code: 'file_not_found' });
  await paula.call(discardUpdate, { params });
  await assert.rejects(
    update(paula, transfer.id, { reused: [{ fileId: ids[0]!, relativePath: 'x/'.repeat(40) }] }),
    {
      code: 'invalid_input',
    },
  );
  await paula.call(discardUpdate, { params });
  await assert.rejects(paula.call(beginUpdate, { params: { id: foreign.id } }), {
    code: 'transfer_not_found',
  });
  // One file a thousand times would make a zip of any size without sending a byte.
  const { db } = server.context;
  await db
    .updateTable('files')
    .set({ sizeBytes: 2 ** 30 })
    .where('id', '=', ids[0]!)
    .execute();
  const copies = Array.from({ length: 100 }, (_, index) => ({
    fileId: ids[0]!,
    relativePath: `copy ${index}`,
  }));
  await assert.rejects(update(paula, transfer.id, { reused: copies }), { code: 'transfer_limit_exceeded' });
  server.clock.advance(4 * DAY_MS);
  await assert.rejects(paula.call(beginUpdate, { params }), { code: 'transfer_expired' });
  const row = await db
    .selectFrom('transfers')
    .select(['version', 'fileCount'])
    .where('id', '=', transfer.id)
    .executeTakeFirstOrThrow();
  assert.deepEqual([row.version, row.fileCount], [1, 3]);
});

test('deleting a transfer removes the files of all its versions', async (t) => {
  const { server, transfer, paula } = await startWithTransfer(t);
  await update(paula, transfer.id, {
    add: { 'd.bin': makeBytes(6_000_000) },
    removed: [transfer.files[0]!.id],
  });
  assert.equal((await paula.call(listTransfers, {})).length, 1);
  await paula.call(deleteTransfer, { params: { id: transfer.id } });
  await server.drainJobs();
  await expectNothing(server);
});

async function expectNothing({ context: { db, blobs } }: TestServer): Promise<void> {
  for (const table of ['transfers', 'files', 'packs', 'transferVersions', 'plannedChanges'] as const)
    assert.deepEqual(await db.selectFrom(table).selectAll().execute(), []);
  for await (const { storageKey } of blobs.list()) assert.fail(`${storageKey} is left`);
}

test('the storage figures include files of earlier versions, and bytes in use twice once', async (t) => {
  const { server, transfer, paula } = await startWithTransfer(t);
  const ada = await server.signIn('ada');
  const [a, b, c] = transfer.files.map(({ id }) => id) as [string, string, string];
  const readFigures = async () => {
    const { committed, reserved } = await ada.call(getStorageTruth);
    return [committed, reserved];
  };
  assert.deepEqual(await readFigures(), [21, 0]);
  await update(paula, transfer.id, { add: { 'd.bin': makeBytes(1_000) }, removed: [a] });
  assert.deepEqual(await readFigures(), [1_021, 0]);
  await update(paula, transfer.id, { removed: [b], reused: [{ fileId: c, relativePath: 'copy.txt' }] });
  await announceFile(paula, 'open', makeBytes(70), transfer.id);
  assert.deepEqual(await readFigures(), [1_021, 70]);
});

test('the zip of the current version also contains files that were added since', async (t) => {
  const { server, transfer, paula } = await startWithTransfer(t);
  const anyone = server.anonymous();
  assert.equal(Object.keys(await listZip(anyone, versionZip(transfer.token, 1))).length, 3);
  const bytes = Buffer.from('late');
  const { uploadId } = await announceFile(paula, 'late.txt', bytes, transfer.id);
  await sendChunks(paula, uploadId, bytes);
  await completeFile(paula, uploadId, { transferId: transfer.id });
  assert.equal((await listZip(anyone, versionZip(transfer.token, 1)))['late.txt'], 'late');
});

test('content that is taken down later can no longer be downloaded in the zip of an earlier version', async (t) => {
  const { server, transfer, paula } = await startWithTransfer(t);
  const anyone = server.anonymous();
  await recordChecksum(server, transfer.files[0]!.id);
  await update(paula, transfer.id, { removed: [transfer.files[0]!.id] });
  assert.equal((await anyone.fetch(versionZip(transfer.token, 1))).status, 200);
  const body = { fileId: transfer.files[0]!.id, reason: 'Reported' };
  const ada = await server.signIn('ada');
  const reviewed = await ada.call(reviewFiles, { query: { transferId: transfer.id } });
  assert.equal(reviewed.at(-1)?.id, body.fileId);
  await ada.call(blockContent, { body });
  const [held] = await ada.call(listHeldFiles, { query: { state: 'blocked' } });
  assert.equal(held!.transferId, transfer.id);
  assert.equal((await anyone.fetch(versionZip(transfer.token, 1))).status, 423);
  assert.equal((await anyone.fetch(versionZip(transfer.token, 2))).status, 200);
  assert.equal((await anyone.fetch(zipDownloadPath(transfer.token))).status, 200);
});

test('an update that removes a file which was taken down makes the transfer available again', async (t) => {
  const { server, transfer, paula } = await startWithTransfer(t);
  const anyone = server.anonymous();
  const fileId = transfer.files[0]!.id;
  await recordChecksum(server, fileId);
  await (await server.signIn('ada')).call(blockContent, { body: { fileId, reason: 'Reported' } });
  assert.equal((await anyone.fetch(zipDownloadPath(transfer.token))).status, 410);
  await update(paula, transfer.id, { removed: [fileId] });
  assert.deepEqual(Object.keys(await listZip(anyone, zipDownloadPath(transfer.token))), [
    'plans/b.txt',
    'plans/c.txt',
  ]);
  assert.equal((await anyone.fetch(versionZip(transfer.token, 1))).status, 423);
  assert.equal((await anyone.fetch(fileDownloadPath(transfer.token, fileId))).status, 423);
});

test('files that an update removes before they were checked get their checksums, too', async (t) => {
  const { server, transfer, paula } = await startWithTransfer(t);
  await update(paula, transfer.id, { removed: [transfer.files[0]!.id] });
  await server.drainJobs();
  const params = { token: transfer.token, version: '1' };
  const files = await server.anonymous().call(listVersionFiles, { params });
  assert.ok(files.every(({ sha256 }) => sha256 !== null));
});

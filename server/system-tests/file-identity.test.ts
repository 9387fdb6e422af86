import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { viewDownload } from '../../contracts/transfers/downloads/downloads.ts';
import { completeUploads, initUpload, initUploads } from '../../contracts/transfers/uploads/uploads.ts';
import { fileDownloadPath, zipDownloadPath } from '../../contracts/values/addresses/links.ts';
import type { Client } from '../../testing/calls/client.ts';
import { createReadyTransfer, type ReadyTransfer } from '../../testing/factories.ts';
import { startTestServer, type TestServer } from '../../testing/test-context.ts';
import { describeSealed, fileIdOf, makeAccess, makeSealed } from '../../testing/uploads/sealed-transfers.ts';
import { sendTransfer } from '../../testing/uploads/send-transfer.ts';
import { announceByTus, patchByTus } from '../../testing/uploads/tus-calls.ts';
import { describeFile, makeBytes, sendChunks } from '../../testing/uploads/upload-files.ts';

const OLD = '1994-03-05T06:07:09.321Z';

async function read(client: Client, path: string, headers: Record<string, string> = {}) {
  const response = await client.fetch(path, { headers });
  const { status } = response;
  return {
    status,
    etag: response.headers.get('etag')!,
    lastModified: response.headers.get('last-modified')!,
    bytes: Buffer.from(await response.arrayBuffer()),
  };
}

async function listFacts(client: Client, token: string) {
  const { files } = await client.call(viewDownload, { params: { token } });
  return files!.map(({ originalName, modifiedAt, isExecutable }) => [originalName, modifiedAt, isExecutable]);
}

function unzip(t: TestContext, bytes: Buffer): string {
  const folder = mkdtempSync(join(tmpdir(), 'sendwell-identity-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'all.zip'), bytes);
  execFileSync('unzip', ['-q', 'all.zip'], { cwd: folder, env: { ...process.env, TZ: 'America/New_York' } });
  return folder;
}

test('announced times and executable bits reach the list, the file and the zip', async (t) => {
  const server = await startTestServer(t);
  const paula = await server.signIn('paula');
  const { token, fileIds } = await sendTransfer(paula, [
    { fileName: 'run.sh', bytes: makeBytes(9), modifiedAt: OLD, mode: 0o104511 },
    {
      fileName: 'film.mov',
      bytes: makeBytes(6_000_000),
      modifiedAt: '2026-01-02T03:04:05+02:00',
      mode: 0o640,
    },
    { fileName: 'unknown.txt', bytes: makeBytes(7) },
  ]);
  const guest = server.anonymous();
  assert.deepEqual(await listFacts(guest, token), [
    ['run.sh', OLD, true],
    ['film.mov', '2026-01-02T01:04:05.000Z', false],
    ['unknown.txt', null, false],
  ]);
  const file = await read(guest, fileDownloadPath(token, fileIds[0]!));
  assert.equal(file.lastModified, 'Sat, 05 Mar 1994 06:07:09 GMT');
  assert.equal(file.etag, `"${fileIds[0]}-9"`);

  const zip = await read(guest, zipDownloadPath(token));
  const { zipSize } = await guest.call(viewDownload, { params: { token } });
  assert.equal(zip.bytes.length, zipSize);
  const folder = unzip(t, zip.bytes);
  const found = statSync(join(folder, 'run.sh'));
  assert.equal(Math.floor(found.mtimeMs / 1000), Date.UTC(1994, 2, 5, 6, 7, 9) / 1000);
  assert.equal(found.mode & 0o7777, 0o755);
  assert.equal(statSync(join(folder, 'film.mov')).mtimeMs, Date.UTC(2026, 0, 2, 1, 4, 5));
  assert.equal(statSync(join(folder, 'film.mov')).mode & 0o7777, 0o644);
});

test('the zip depends on what was announced, not on when it arrived or on its bytes', async (t) => {
  const server = await startTestServer(t);
  const paula = await server.signIn('paula');
  const bytes = makeBytes(10);
  const { transferId, uploads } = await paula.call(initUploads, {
    body: { files: [describeFile('a', bytes), describeFile('b', bytes)] },
  });
  server.clock.advance(3_600_000);
  const uploadIds = uploads.map(({ uploadId }) => uploadId);
  for (const uploadId of uploadIds) await sendChunks(paula, uploadId, bytes);
  const { token } = await paula.call(completeUploads, { body: { transferId, uploadIds, fileCount: 2 } });
  const { db } = server.context;
  const guest = server.anonymous();
  const before = await read(guest, zipDownloadPath(token));
  const [upload] = await db
    .selectFrom('uploads')
    .select('createdAt')
    .where('id', '=', uploadIds[0]!)
    .execute();
  assert.equal(Date.parse(before.lastModified), Math.floor(upload!.createdAt / 1000) * 1000);
  await db
    .updateTable('files')
    .set({ uploadedAt: 1, crc32: 7 })
    .where('transferId', '=', transferId)
    .execute();
  // Another process: nothing is cached.
  await db.updateTable('transfers').set({ repairCount: 1 }).where('id', '=', transferId).execute();
  const after = await guest.fetch(zipDownloadPath(token), { method: 'HEAD' });
  assert.equal(after.headers.get('etag'), before.etag);
});

test('times and modes outside of what files can have are refused with a sentence', async (t) => {
  const paula = await (await startTestServer(t)).signIn('paula');
  const file = describeFile('a', makeBytes(1));
  const bad: object[] = [
    { modifiedAt: '1600-12-31T23:59:59Z' },
    { modifiedAt: '9999-12-31T23:59:59-01:00' },
    { modifiedAt: '2026-02-30T00:00:00Z' },
    { modifiedAt: '+275760-09-13T00:00:00Z' },
    { modifiedAt: '2026-01-01' },
    { modifiedAt: 1_700_000_000 },
    { mode: -1 },
    { mode: 0o200000 },
    { mode: 0.5 },
    { mode: '755' },
  ];
  for (const facts of bad) {
    const response = await paula.fetch('/api/upload/init', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...file, ...facts }),
    });
    assert.equal(response.status, 400, JSON.stringify(facts));
  }
  for (const modifiedAt of ['1601-01-01T00:00:00Z', '9999-12-31T23:59:59.999Z', null])
    await paula.call(initUpload, { body: { ...file, modifiedAt, mode: 0 } });
});

test('a time in the future is kept, but Last-Modified is not in the future', async (t) => {
  const server = await startTestServer(t);
  const modifiedAt = '9999-12-31T23:59:59.999Z';
  const { token, fileIds } = await sendTransfer(await server.signIn('paula'), [
    { fileName: 'a', bytes: makeBytes(1), modifiedAt },
    { fileName: 'b', bytes: makeBytes(2), modifiedAt: '1601-01-01T00:00:00Z' },
  ]);
  const guest = server.anonymous();
  const { lastModified } = await read(guest, fileDownloadPath(token, fileIds[0]!));
  assert.ok(Date.parse(lastModified) <= server.clock.now());
  assert.equal((await listFacts(guest, token))[0]![1], modifiedAt);
  const old = await read(guest, fileDownloadPath(token, fileIds[1]!));
  assert.equal(old.lastModified, 'Mon, 01 Jan 1601 00:00:00 GMT');
  unzip(t, (await read(guest, zipDownloadPath(token))).bytes);
});

test('PUT takes the time from Last-Modified and ignores what is no date', async (t) => {
  const server = await startTestServer(t);
  const prem = await server.signIn('prem');
  const put = async (lastModified: string) => {
    const response = await prem.fetch('/api/files/a.txt', {
      method: 'PUT',
      headers: { accept: 'application/json', 'last-modified': lastModified },
      body: 'hello',
    });
    assert.equal(response.status, 201);
    const { token } = (await response.json()) as { token: string };
    return (await listFacts(server.anonymous(), token))[0]![1];
  };
  assert.equal(await put('Sat, 05 Mar 1994 06:07:09 GMT'), '1994-03-05T06:07:09.000Z');
  for (const wrong of ['yesterday', '1994-03-05', 'Mon, 05 Mar 1500 06:07:09 GMT', ''])
    assert.equal(await put(wrong), null, wrong);
});

test('tus takes the time from the metadata of common clients and ignores what is none', async (t) => {
  const server = await startTestServer(t);
  const prem = await server.signIn('prem');
  const create = async (metadata: Record<string, string>) => {
    const path = await announceByTus(prem, 3, { filename: 'a.txt', ...metadata });
    const answer = await patchByTus(prem, path, { offset: 0, body: Buffer.from('abc') });
    const token = answer.headers.get('sendwell-share-link')!.split('/').at(-1)!;
    return (await listFacts(server.anonymous(), token))[0]![1];
  };
  const time = '1994-03-05T06:07:09.000Z';
  const seconds = String(Date.parse(time) / 1000);
  assert.equal(await create({ mtime: seconds }), time);
  assert.equal(await create({ mtime: `${seconds}.25` }), '1994-03-05T06:07:09.250Z');
  assert.equal(await create({ modtime: time }), time);
  assert.equal(await create({ lastModified: `${seconds}000` }), time);
  assert.equal(await create({ mtime: 'null', lastmodified: '1994-03-05T07:07:09+01:00' }), time);
  for (const wrong of ['soon', '1e9', '999999999999999', '-99999999999999', '2026-13-01T00:00:00Z'])
    assert.equal(await create({ mtime: wrong }), null, wrong);
});

test('an encrypted transfer takes neither times nor modes', async (t) => {
  const prem = await (await startTestServer(t)).signIn('prem');
  const file = describeSealed(fileIdOf('first'), makeSealed(5));
  const { encryption } = makeAccess();
  const refused = { code: 'must_be_encrypted', status: 400 };
  for (const facts of [{ modifiedAt: OLD }, { mode: 0o644 }, { mode: 0 }])
    await assert.rejects(prem.call(initUpload, { body: { ...file, ...facts, encryption } }), refused);
  await prem.call(initUpload, { body: { ...file, modifiedAt: null, mode: null, encryption } });
});

/** Tags of the release before decision 0044. */
async function formerTags(server: TestServer, { id, files }: ReadyTransfer) {
  const first = files[0]!;
  const { db } = server.context;
  const rows = await db
    .selectFrom('files')
    .selectAll()
    .where('transferId', '=', id)
    .orderBy('position')
    .execute();
  const lines = rows.map((row) =>
    [row.id, row.relativePath, row.sizeBytes, row.crc32, row.uploadedAt].join('\t'),
  );
  const digest = createHash('sha256').update(lines.join('\n')).digest('base64url');
  return {
    zip: `"zip-${digest.slice(0, 27)}"`,
    file: `"${first.id}-${first.sizeBytes.toString(36)}-${first.crc32.toString(16)}"`,
  };
}

async function createFormerTransfer(server: TestServer): Promise<ReadyTransfer> {
  const files = [
    { path: 'a.bin', bytes: makeBytes(300_000, 'a') },
    { path: 'b.bin', bytes: makeBytes(200_000, 'b') },
  ];
  const transfer = await createReadyTransfer(server.context, { userId: server.userId('paula'), files });
  await server.context.db
    .updateTable('files')
    .set({ announcedAt: null })
    .where('transferId', '=', transfer.id)
    .execute();
  return transfer;
}

test('a file and a zip of an earlier release keep their bytes and go on with their former tags', async (t) => {
  const server = await startTestServer(t);
  const transfer = await createFormerTransfer(server);
  const guest = server.anonymous();
  const former = await formerTags(server, transfer);
  const paths = {
    file: fileDownloadPath(transfer.token, transfer.files[0]!.id),
    zip: zipDownloadPath(transfer.token),
  };
  for (const kind of ['file', 'zip'] as const) {
    const whole = await read(guest, paths[kind]);
    assert.notEqual(whole.etag, former[kind]);
    for (const tag of [whole.etag, former[kind]]) {
      const rest = await read(guest, paths[kind], { range: 'bytes=100000-', 'if-range': tag });
      assert.equal(rest.status, 206, `${kind} ${tag}`);
      assert.equal(rest.etag, whole.etag);
      assert.ok(rest.bytes.equals(whole.bytes.subarray(100_000)));
      assert.equal((await read(guest, paths[kind], { 'if-none-match': tag })).status, 304);
      assert.equal((await read(guest, paths[kind], { 'if-none-match': `W/${tag}` })).status, 304);
      assert.equal((await read(guest, paths[kind], { 'if-match': tag })).status, 200);
    }
    const other = await read(guest, paths[kind], {
      range: 'bytes=100000-',
      'if-range': `"${'x'.repeat(31)}"`,
    });
    assert.equal(other.status, 200);
  }
});

test('a zip whose entries would have other times or modes is sent anew to a client with the former tag', async (t) => {
  const server = await startTestServer(t);
  const guest = server.anonymous();
  for (const facts of [{ modifiedAt: 5_000 }, { isExecutable: 1 as const }, { announcedAt: 5_000 }]) {
    const transfer = await createFormerTransfer(server);
    await server.context.db.updateTable('files').set(facts).where('id', '=', transfer.files[1]!.id).execute();
    const former = await formerTags(server, transfer);
    const path = zipDownloadPath(transfer.token);
    const whole = await read(guest, path);
    const answer = await read(guest, path, { range: 'bytes=100000-', 'if-range': former.zip });
    assert.equal(answer.status, 200, JSON.stringify(facts));
    assert.ok(answer.bytes.equals(whole.bytes));
    assert.equal((await read(guest, path, { 'if-none-match': former.zip })).status, 200);
    assert.equal((await read(guest, path, { 'if-match': former.zip })).status, 412);
    // The bytes of a file are the same, whatever its time.
    const file = fileDownloadPath(transfer.token, transfer.files[0]!.id);
    assert.equal((await read(guest, file, { range: 'bytes=9-', 'if-range': former.file })).status, 206);
  }
});

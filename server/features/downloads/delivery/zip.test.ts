import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { promisify } from 'node:util';
import { viewDownload } from '../../../../contracts/transfers/downloads/downloads.ts';
import { completeUploads, initUploads } from '../../../../contracts/transfers/uploads/uploads.ts';
import { fileDownloadPath, zipDownloadPath } from '../../../../contracts/values/addresses/links.ts';
import type { Client } from '../../../../testing/calls/client.ts';
import { createReadyTransfer } from '../../../../testing/factories.ts';
import { startTestServer } from '../../../../testing/test-context.ts';

const run = promisify(execFile);

/** Bytes that differ by offset. */
function makeBytes(length: number, seed: number): Buffer {
  const bytes = Buffer.alloc(length);
  for (let index = 0; index < length; index += 1) bytes[index] = (index * 31 + (index >> 8) * 7 + seed) & 255;
  return bytes;
}

const FILES = [
  { path: 'photos/a.jpg', bytes: makeBytes(700_000, 1) },
  { path: 'photos/ä ü.jpg', bytes: makeBytes(12, 2) },
  { path: 'photos/A.JPG', bytes: makeBytes(5, 3) },
  { path: 'empty', bytes: '' },
  { path: 'film.mov', bytes: makeBytes(6_000_000, 4) },
];

/** Reads up to `length` bytes of the body, then disconnects. */
async function fetchPart(
  client: Client,
  path: string,
  { headers = {}, length }: { headers?: Record<string, string>; length: number },
): Promise<{ bytes: Buffer; response: Response }> {
  const cut = new AbortController();
  const response = await client.fetch(path, { headers, signal: cut.signal });
  const parts: Buffer[] = [];
  let received = 0;
  for await (const part of response.body!) {
    parts.push(Buffer.from(part));
    received += part.length;
    if (received >= length) break;
  }
  cut.abort();
  return { bytes: Buffer.concat(parts).subarray(0, length), response };
}

test('names with leading dots are kept, in single files and in the zip', async (t) => {
  const server = await startTestServer(t);
  const paula = await server.signIn('paula');
  const paths = ['.env', '.github/workflows/x.yml', 'site/.htaccess', '..data', 'a/../../.ssh/./config'];
  const files = paths.map((relativePath) => ({
    fileName: relativePath.split('/').at(-1)!,
    relativePath,
    fileSize: 0,
    totalChunks: 0,
  }));
  const { transferId, uploads } = await paula.call(initUploads, { body: { files } });
  const uploadIds = uploads.map(({ uploadId }) => uploadId);
  const { token } = await paula.call(completeUploads, {
    body: { transferId, uploadIds, fileCount: files.length },
  });
  const stored = ['.env', '.github/workflows/x.yml', 'site/.htaccess', '..data', 'a/.ssh/config'];
  const view = await server.anonymous().call(viewDownload, { params: { token } });
  assert.deepEqual(
    view.files!.map(({ relativePath }) => relativePath),
    stored,
  );
  const [env] = view.files!;
  const single = await server.anonymous().fetch(fileDownloadPath(token, env!.id));
  assert.match(single.headers.get('content-disposition')!, /filename="\.env"/);
  const zip = Buffer.from(await (await server.anonymous().fetch(zipDownloadPath(token))).arrayBuffer());
  for (const name of stored) assert.ok(zip.includes(Buffer.from(name)), name);
  assert.ok(!zip.includes(Buffer.from('../')));
});

test('unzip and Python read the zip with folders, unique names and the right bytes', async (t) => {
  const server = await startTestServer(t);
  const { token } = await createReadyTransfer(server.context, {
    userId: server.userId('frida'),
    files: FILES,
    title: 'Holiday',
  });
  const response = await server.anonymous().fetch(zipDownloadPath(token));
  assert.equal(response.headers.get('content-type'), 'application/zip');
  assert.match(response.headers.get('content-disposition')!, /filename="Holiday\.zip"/);
  const folder = await mkdtemp(join(tmpdir(), 'sendwell-zip-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'all.zip');
  await writeFile(file, Buffer.from(await response.arrayBuffer()));
  await run('unzip', ['-tq', file]);
  const script =
    'import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None; z.extractall(sys.argv[2]); print("\\n".join(z.namelist()))';
  const { stdout } = await run('python3', ['-c', script, file, folder]);
  const names = stdout.trim().split('\n');
  assert.deepEqual(names, ['photos/a.jpg', 'photos/ä ü.jpg', 'photos/A (2).JPG', 'empty', 'film.mov']);
  for (const [index, name] of names.entries())
    assert.ok((await readFile(join(folder, name))).equals(Buffer.from(FILES[index]!.bytes)), name);
});

test('a zip interrupted and resumed twenty times is whole and counts once', async (t) => {
  const server = await startTestServer(t);
  const { token } = await createReadyTransfer(server.context, {
    userId: server.userId('paula'),
    files: FILES,
    maxDownloads: 2,
  });
  const path = zipDownloadPath(token);
  const whole = Buffer.from(await (await server.anonymous().fetch(path)).arrayBuffer());
  const breaks = Array.from({ length: 20 }, (_, index) => ((index + 1) * 2_654_435_761) % whole.length).sort(
    (a, b) => a - b,
  );
  const guest = server.anonymous();
  const first = await fetchPart(guest, path, { length: breaks[0]! });
  const etag = first.response.headers.get('etag')!;
  let received = first.bytes;
  for (const end of [...breaks.slice(1), whole.length]) {
    const headers = { range: `bytes=${received.length}-`, 'if-range': etag };
    const { bytes, response } = await fetchPart(guest, path, { headers, length: end - received.length });
    assert.equal(response.status, 206);
    assert.equal(
      response.headers.get('content-range'),
      `bytes ${received.length}-${whole.length - 1}/${whole.length}`,
    );
    received = Buffer.concat([received, bytes]);
  }
  assert.ok(received.equals(whole));
  const view = await guest.call(viewDownload, { params: { token } });
  assert.equal(view.downloadCount, 2);
});

test('adding a file to the transfer makes a new zip with a new tag', async (t) => {
  const server = await startTestServer(t);
  const { id, token, files } = await createReadyTransfer(server.context, {
    userId: server.userId('frida'),
    files: FILES.slice(0, 2),
  });
  const tagOf = async () =>
    (await server.anonymous().fetch(zipDownloadPath(token), { method: 'HEAD' })).headers.get('etag');
  const before = await tagOf();
  assert.equal(await tagOf(), before);
  await server.context.db
    .insertInto('files')
    .values({ ...files[0]!, id: 'y'.repeat(26), transferId: id, position: 2 })
    .execute();
  await server.context.db
    .updateTable('transfers')
    .set((eb) => ({ fileCount: eb('fileCount', '+', 1) }))
    .where('id', '=', id)
    .execute();
  assert.notEqual(await tagOf(), before);
});

test('a zip with missing bytes breaks the connection instead of ending normally', async (t) => {
  const server = await startTestServer(t);
  const { token, files } = await createReadyTransfer(server.context, {
    userId: server.userId('frida'),
    files: [
      { path: 'first.bin', bytes: makeBytes(6_000_000, 1) },
      { path: 'second.bin', bytes: makeBytes(6_000_000, 2) },
    ],
  });
  await server.context.blobs.remove(files[1]!.storageKey);
  const response = await server.anonymous().fetch(zipDownloadPath(token));
  assert.equal(response.status, 200);
  await assert.rejects(response.arrayBuffer());
});

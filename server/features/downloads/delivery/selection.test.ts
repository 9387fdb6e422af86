import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { viewDownload } from '../../../../contracts/transfers/downloads/downloads.ts';
import { encodeSelection } from '../../../../contracts/transfers/downloads/selection.ts';
import { getTransfer } from '../../../../contracts/transfers/transfers.ts';
import {
  fileDownloadPath,
  selectionDownloadPath,
  zipDownloadPath,
} from '../../../../contracts/values/addresses/links.ts';
import { listAllFiles } from '../../../../testing/analytics/file-pages.ts';
import type { Client } from '../../../../testing/calls/client.ts';
import { createReadyTransfer } from '../../../../testing/factories.ts';
import { ResumingDownload } from '../../../../testing/network/resuming-download.ts';
import { THOUSANDS } from '../../../../testing/storage/test-storage.ts';
import { startTestServer } from '../../../../testing/test-context.ts';
import { makeBytes } from '../../../../testing/uploads/upload-files.ts';

const run = promisify(execFile);

const FILES = [
  { path: 'a.txt', bytes: 'hello world' },
  { path: 'photos/b.jpg', bytes: makeBytes(6_000_000, 'b') },
  { path: 'c.bin', bytes: makeBytes(70_000, 'c') },
  { path: 'photos/d.jpg', bytes: '' },
];

type Settings = { maxDownloads?: number; title?: string };

async function startWithTransfer(t: TestContext, settings: Settings = {}) {
  const server = await startTestServer(t);
  const transfer = await createReadyTransfer(server.context, {
    userId: server.userId('paula'),
    files: FILES,
    ...settings,
  });
  const pathOf = (...positions: number[]) =>
    selectionDownloadPath(transfer.token, encodeSelection(positions));
  return { server, transfer, token: transfer.token, pathOf };
}

async function get(client: Client, path: string, headers: Record<string, string> = {}): Promise<number> {
  const response = await client.fetch(path, { headers });
  await response.arrayBuffer();
  return response.status;
}

test('a selection is a zip of those files, with folders and the right bytes', async (t) => {
  const { server, pathOf } = await startWithTransfer(t, { title: 'Holiday' });
  const response = await server.anonymous().fetch(pathOf(1, 3, 0));
  assert.equal(response.status, 200);
  assert.match(response.headers.get('content-disposition')!, /filename="Holiday \(3 files\)\.zip"/);
  const bytes = Buffer.from(await response.arrayBuffer());
  assert.equal(response.headers.get('content-length'), String(bytes.length));
  const folder = await mkdtemp(join(tmpdir(), 'sendwell-selection-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, 'some.zip'), bytes);
  await run('unzip', ['-q', join(folder, 'some.zip'), '-d', folder]);
  const { stdout } = await run('unzip', ['-Z1', join(folder, 'some.zip')]);
  assert.deepEqual(stdout.trim().split('\n'), ['a.txt', 'photos/b.jpg', 'photos/d.jpg']);
  for (const position of [0, 1, 3]) {
    const { path, bytes: sent } = FILES[position]!;
    assert.ok((await readFile(join(folder, path))).equals(Buffer.from(sent)), path);
  }
});

test('selecting all files gives the same bytes as the whole zip', async (t) => {
  const { server, token, pathOf } = await startWithTransfer(t);
  const guest = server.anonymous();
  const [whole, selected] = await Promise.all(
    [zipDownloadPath(token), pathOf(0, 1, 2, 3)].map(async (path) => {
      const response = await guest.fetch(path);
      return { etag: response.headers.get('etag'), bytes: Buffer.from(await response.arrayBuffer()) };
    }),
  );
  assert.deepEqual(selected!.etag, whole!.etag);
  assert.ok(selected!.bytes.equals(whole!.bytes));
});

test('an interrupted selection resumes with Range and counts once', async (t) => {
  const { server, token, pathOf } = await startWithTransfer(t, { maxDownloads: 2 });
  const path = pathOf(1, 2);
  const whole = Buffer.from(await (await server.anonymous().fetch(path)).arrayBuffer());
  const download = new ResumingDownload(server.anonymous(), path);
  while (!download.isWhole) {
    const stopAt = download.receivedBytes + 1_500_000;
    await download.receive(() => {
      if (download.receivedBytes > stopAt) download.stop();
    });
  }
  assert.ok(download.bytes.equals(whole));
  const view = await server.anonymous().call(viewDownload, { params: { token } });
  assert.equal(view.downloadCount, 2);
  assert.deepEqual(
    view.files!.map(({ downloadCount }) => downloadCount),
    [0, 2, 2, 0],
  );
  assert.equal(await get(server.anonymous(), path), 410);
});

test('concurrent downloads of files, zips and selections share one counter', async (t) => {
  const { server, transfer, token, pathOf } = await startWithTransfer(t, { maxDownloads: 7 });
  const paths = [
    pathOf(0),
    pathOf(0, 2),
    zipDownloadPath(token),
    fileDownloadPath(token, transfer.files[0]!.id),
  ];
  const statuses = await Promise.all(
    Array.from({ length: 40 }, (_, index) => get(server.anonymous(), paths[index % 4]!)),
  );
  assert.equal(statuses.filter((status) => status === 200).length, 7);
  assert.equal(statuses.filter((status) => status === 410).length, 33);
  const view = await server.anonymous().call(viewDownload, { params: { token } });
  assert.equal(view.downloadCount, 7);
  assert.equal(view.files![0]!.downloadCount, 7);
});

test('a ticket is valid for one selection only', async (t) => {
  const { server, pathOf, token } = await startWithTransfer(t, { maxDownloads: 1 });
  const guest = server.anonymous();
  const range = { range: 'bytes=5-' };
  assert.equal(await get(guest, pathOf(0, 2)), 200);
  const [ticket] = guest.jar.list();
  assert.equal(ticket!.path, pathOf(0, 2));
  assert.equal(await get(guest, pathOf(0, 2), range), 206);
  for (const path of [pathOf(0), pathOf(0, 1, 2), zipDownloadPath(token)]) {
    const thief = server.anonymous();
    thief.jar.add({ ...ticket!, path });
    assert.equal(await get(thief, path, range), 410, path);
  }
});

test('HEAD, 304 and 416 do not count and send the headers of a GET', async (t) => {
  const { server, token, pathOf } = await startWithTransfer(t);
  const guest = server.anonymous();
  const head = await guest.fetch(pathOf(0, 2), { method: 'HEAD' });
  assert.equal(head.status, 200);
  assert.equal(await get(guest, pathOf(0, 2), { 'if-none-match': head.headers.get('etag')! }), 304);
  assert.equal(await get(guest, pathOf(0, 2), { range: 'bytes=99999999-' }), 416);
  assert.equal((await guest.call(viewDownload, { params: { token } })).downloadCount, 0);
});

test('empty selections and selections of missing files are refused with their own errors', async (t) => {
  const { server, token, pathOf } = await startWithTransfer(t);
  const codeOf = async (path: string) => {
    const response = await server.anonymous().fetch(path, { headers: { accept: 'application/json' } });
    return [response.status, ((await response.json()) as { code: string }).code];
  };
  for (const text of ['', 'AA', 'AR', 'AQA', 'A', '%C3%A4', 'x'.repeat(5_999)])
    assert.deepEqual(await codeOf(selectionDownloadPath(token, text)), [400, 'invalid_selection'], text);
  assert.equal((await codeOf(selectionDownloadPath(token, 'x'.repeat(7_000))))[0], 404);
  assert.deepEqual(await codeOf(pathOf(4)), [404, 'file_not_found']);
  assert.deepEqual(await codeOf(pathOf(0, 30_000)), [404, 'file_not_found']);
});

test('the activity shows how many files were selected', async (t) => {
  const { server, transfer, pathOf, token } = await startWithTransfer(t);
  assert.equal(await get(server.anonymous(), pathOf(0, 1, 3)), 200);
  server.clock.advance(1);
  assert.equal(await get(server.anonymous(), zipDownloadPath(token)), 200);
  const paula = await server.signIn('paula');
  const { downloads } = await paula.call(getTransfer, { params: { id: transfer.id } });
  assert.deepEqual(
    downloads.map(({ fileId, selectedFiles }) => [fileId, selectedFiles]),
    [
      [null, null],
      [null, 3],
    ],
  );
});

test('2,500 of 5,000 files can be selected', async (t) => {
  const server = await startTestServer(t);
  const files = Array.from({ length: THOUSANDS }, (_, index) => ({ path: `f/${index}`, bytes: `${index}` }));
  const { token } = await createReadyTransfer(server.context, { userId: server.userId('frida'), files });
  const odd = files.flatMap((_, index) => (index % 2 === 1 ? [index] : []));
  const path = selectionDownloadPath(token, encodeSelection(odd));
  assert.ok(path.length < 1_000);
  const response = await server.anonymous().fetch(path);
  assert.equal(response.status, 200);
  const bytes = Buffer.from(await response.arrayBuffer());
  assert.equal(bytes.readUInt16LE(bytes.length - 12), THOUSANDS / 2);
  const listed = await listAllFiles(server.anonymous(), token);
  assert.equal(listed.length, THOUSANDS);
  assert.ok(listed.every(({ downloadCount }, index) => downloadCount === index % 2));
});

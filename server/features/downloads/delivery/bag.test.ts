import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { verifyDownload, viewDownload } from '../../../../contracts/transfers/downloads/downloads.ts';
import { encodeSelection } from '../../../../contracts/transfers/downloads/selection.ts';
import { updateTransfer } from '../../../../contracts/transfers/transfers.ts';
import {
  bagDownloadPath,
  selectionDownloadPath,
  zipDownloadPath,
} from '../../../../contracts/values/addresses/links.ts';
import { HOUR_MS } from '../../../../contracts/values/durations.ts';
import type { Client } from '../../../../testing/calls/client.ts';
import { sendEncrypted } from '../../../../testing/encryption/send-encrypted.ts';
import { createReadyTransfer } from '../../../../testing/factories.ts';
import { live } from '../../../../testing/live.ts';
import { startTestServer, type TestServer } from '../../../../testing/test-context.ts';
import { seedManyFiles } from '../../../../testing/uploads/many-files.ts';
import { makeBytes } from '../../../../testing/uploads/upload-files.ts';
import { BagManifest, encodePath } from './bag-manifest.ts';

const CHECKER = join(import.meta.dirname, '../../../../testing/check-bag.py');

const FILES = [
  { path: 'photos/ä 日本.jpg', bytes: makeBytes(12, 'a') },
  { path: 'photos/100% %0A.txt', bytes: makeBytes(5, 'b') },
  { path: 'film.mov', bytes: makeBytes(6_000_000, 'c') },
  { path: ' * leading', bytes: makeBytes(1, 'd') },
  { path: 'empty', bytes: Buffer.alloc(0) },
];

async function sendFiles(server: TestServer, settings: object = {}) {
  const userId = server.userId('prem');
  const sent = await createReadyTransfer(server.context, { userId, files: FILES, ...settings });
  await server.drainJobs();
  await live(server, HOUR_MS);
  return sent;
}

async function read(client: Client, path: string, headers: Record<string, string> = {}) {
  const response = await client.fetch(path, { headers });
  return { response, bytes: Buffer.from(await response.arrayBuffer()) };
}

/** Unpacks the zip and checks its bag; returns its folder. */
function unpack(t: TestContext, zip: Buffer): string {
  const folder = mkdtempSync(join(tmpdir(), 'sendwell-bag-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'bag.zip'), zip);
  execFileSync('unzip', ['-q', 'bag.zip'], { cwd: folder });
  rmSync(join(folder, 'bag.zip'));
  const [only, ...others] = readdirSync(folder);
  assert.deepEqual(others, []);
  execFileSync('python3', [CHECKER, join(folder, only!)]);
  return join(folder, only!);
}

test('a bag is valid by the rules of RFC 8493, and sha256sum verifies it', async (t) => {
  const server = await startTestServer(t);
  const { token } = await sendFiles(server, { title: 'Summer / 2026' });
  const guest = server.anonymous();
  const path = bagDownloadPath(zipDownloadPath(token));
  const { response, bytes } = await read(guest, path);
  assert.equal(response.status, 200);
  assert.equal(Number(response.headers.get('content-length')), bytes.length);
  assert.match(response.headers.get('content-disposition')!, /filename="Summer _ 2026\.zip"/);
  const bag = unpack(t, bytes);
  assert.match(bag, /Summer _ 2026$/);
  for (const file of FILES) assert.ok(readFileSync(join(bag, 'data', file.path)).equals(file.bytes));
  execFileSync('sha256sum', ['--check', '--strict', 'tagmanifest-sha256.txt'], { cwd: bag });
  // sha256sum knows no percent-encoding.
  const lines = readFileSync(join(bag, 'manifest-sha256.txt'), 'utf8').replaceAll('%25', '%');
  execFileSync('sha256sum', ['--check', '--strict', '-'], { cwd: bag, input: lines });
  const view = await guest.call(viewDownload, { params: { token } });
  assert.equal(view.downloadCount, 1);
});

test('any part of a bag is that of the whole, and ranges with the ticket are not counted again', async (t) => {
  const server = await startTestServer(t);
  const { token } = await sendFiles(server, { maxDownloads: 1 });
  const guest = server.anonymous();
  const path = bagDownloadPath(zipDownloadPath(token));
  const head = await guest.fetch(path, { method: 'HEAD' });
  const etag = head.headers.get('etag')!;
  const { bytes: whole } = await read(guest, path);
  assert.equal(whole.length, Number(head.headers.get('content-length')));
  const tail = 1_500;
  for (let start = whole.length - tail; start < whole.length; start += 97) {
    const range = `bytes=${start}-${start + 130}`;
    const part = await read(guest, path, { range, 'if-range': etag });
    assert.equal(part.response.status, 206);
    assert.ok(part.bytes.equals(whole.subarray(start, start + 131)), range);
  }
  const rest = await read(guest, path, { range: 'bytes=7-', 'if-range': etag });
  assert.ok(rest.bytes.equals(whole.subarray(7)));
  const view = await guest.call(viewDownload, { params: { token } });
  assert.equal(view.downloadCount, 1);
  assert.equal((await read(server.anonymous(), path)).response.status, 410);
});

test('some files make a bag, too, and the tag changes with what is in it', async (t) => {
  const server = await startTestServer(t);
  const { id, token } = await sendFiles(server, { title: 'Summer' });
  const guest = server.anonymous();
  const paths = [zipDownloadPath(token), selectionDownloadPath(token, encodeSelection([1, 3]))];
  const tags = new Set<string>();
  for (const path of [...paths, ...paths.map(bagDownloadPath)])
    tags.add((await guest.fetch(path, { method: 'HEAD' })).headers.get('etag')!);
  assert.equal(tags.size, 4);
  const some = bagDownloadPath(paths[1]!);
  const bag = unpack(t, (await read(guest, some)).bytes);
  assert.match(bag, /Summer \(2 files\)$/);
  assert.deepEqual(readdirSync(join(bag, 'data'), { recursive: true }).length, 3);
  const prem = await server.signIn('prem');
  await prem.call(updateTransfer, { params: { id }, body: { title: 'Winter' } });
  const renamed = await read(guest, some);
  assert.ok(!tags.has(renamed.response.headers.get('etag')!));
  assert.match(unpack(t, renamed.bytes), /Winter \(2 files\)$/);
});

test('while checksums are computed a bag is refused with the time to retry, and a download limit keeps its place', async (t) => {
  const server = await startTestServer(t);
  const userId = server.userId('prem');
  const { token } = await createReadyTransfer(server.context, { userId, files: FILES, maxDownloads: 1 });
  const guest = server.anonymous();
  const path = bagDownloadPath(zipDownloadPath(token));
  const early = await read(guest, path);
  assert.equal(early.response.status, 503);
  assert.ok(Number(early.response.headers.get('retry-after')) > 0);
  assert.match(early.bytes.toString(), /still being computed/);
  await server.drainJobs();
  await live(server, HOUR_MS);
  unpack(t, (await read(guest, path)).bytes);
});

test('an encrypted transfer is refused as a bag, and an unknown format is, too', async (t) => {
  const server = await startTestServer(t);
  const { token, keys } = await sendEncrypted(await server.signIn('prem'), {
    files: [{ path: 'a.txt', bytes: makeBytes(9) }],
  });
  const guest = server.anonymous();
  const path = bagDownloadPath(zipDownloadPath(token));
  assert.equal((await guest.fetch(path)).status, 423);
  await guest.call(verifyDownload, { params: { token }, body: { accessKey: keys.accessKey } });
  const refused = await read(guest, path);
  assert.equal(refused.response.status, 400);
  assert.match(refused.bytes.toString(), /only its recipients can read the files/);
  const plain = await sendFiles(server);
  assert.equal((await guest.fetch(`${zipDownloadPath(plain.token)}?format=tar`)).status, 400);
});

test('the manifest of a long list can be read from anywhere without the rest', async (t) => {
  const server = await startTestServer(t);
  const count = 3_000;
  const { token } = await seedManyFiles(server.context, { userId: server.userId('paula'), count });
  await server.context.db
    .updateTable('files')
    .set({ sha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855', checkedAt: 1 })
    .execute();
  const guest = server.anonymous();
  const path = bagDownloadPath(zipDownloadPath(token));
  const { bytes } = await read(guest, path);
  unpack(t, bytes);
  for (let start = 0; start < bytes.length; start += 40_009) {
    const part = await read(guest, path, { range: `bytes=${start}-${start + 999}` });
    assert.ok(part.bytes.equals(bytes.subarray(start, start + 1_000)), String(start));
  }
});

test('line breaks and percent signs are the only encoded characters of a manifest', () => {
  assert.equal(encodePath('a%0A\r\nb ü\\.txt'), 'a%250A%0D%0Ab ü\\.txt');
  const manifest = new BagManifest(Buffer.alloc(32));
  manifest.add('50%');
  const bytes = Buffer.alloc(manifest.sizeBytes);
  manifest.copy(bytes, 0);
  assert.equal(bytes.toString(), `${'00'.repeat(32)}  data/50%25\n`);
});

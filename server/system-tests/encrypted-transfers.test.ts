/** That the format document is true: its example runs, and its ranges are those of this server's zips. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { promisify } from 'node:util';
import {
  listDownloadFiles,
  verifyDownload,
  viewDownload,
} from '../../contracts/transfers/downloads/downloads.ts';
import { encryptedSize, SEGMENT_PLAIN_BYTES } from '../../contracts/transfers/encryption.ts';
import { zipDownloadPath } from '../../contracts/values/addresses/links.ts';
import { layOutFiles, listDataParts } from '../../contracts/zip/file-zip.ts';
import { openSegments } from '../../encryption/segments.ts';
import { contentOf, PYTHON, withPython } from '../../testing/encryption/python.ts';
import { sendEncrypted } from '../../testing/encryption/send-encrypted.ts';
import { startTestServer } from '../../testing/test-context.ts';

const FORMAT = join(import.meta.dirname, '../../docs/formats');
const PASSWORD = 'pässwort';

const FILES = [0, 300, SEGMENT_PLAIN_BYTES, 6 * 1024 * 1024].map((size) => {
  const path = `Été/${size} bytes.bin`;
  return { path, bytes: contentOf(path, size) };
});

for (const password of [undefined, PASSWORD])
  test(
    `the example of the format document opens a transfer ${password ? 'with' : 'without'} password`,
    withPython,
    async (t) => {
      const server = await startTestServer(t);
      const { link, token } = await sendEncrypted(await server.signIn('prem'), { files: FILES, password });
      const folder = temporaryFolder(t);
      const [, example] = /```sh\n([\s\S]*?)```/.exec(readFileSync(join(FORMAT, 'e2ee.md'), 'utf8'))!;
      const script = example!
        .replace(/^LINK=.*$/m, `LINK='${link}' API=${server.url}/api/download/${token}`)
        .replace(/^export PASSWORD=.*$/m, `export PASSWORD='${password ?? ''}'`)
        .replaceAll('python3 open_e2ee.py', `${PYTHON} ${FORMAT}/open_e2ee.py`);
      const env = { ...process.env, PYTHONDONTWRITEBYTECODE: '1' };
      await promisify(execFile)('bash', ['-euc', script], { cwd: folder, env });
      for (const { path, bytes } of FILES)
        assert.ok(readFileSync(join(folder, 'files', path)).equals(bytes), path);
    },
  );

test('a file is opened from ranges of the zip, which count as one download', async (t) => {
  const server = await startTestServer(t);
  const settings = { maxDownloads: 1 };
  const sent = await sendEncrypted(await server.signIn('prem'), { files: FILES, settings });
  const { token, keys, manifest } = sent;
  const guest = server.anonymous();
  await guest.call(verifyDownload, { params: { token }, body: { accessKey: keys.accessKey } });
  const stored = await guest.call(listDownloadFiles, { params: { token } });
  const layout = layOutFiles(
    stored.map(({ relativePath, size }) => ({
      path: relativePath,
      sizeBytes: size,
      crc32: 0,
      modifiedAt: 0,
    })),
  );
  const view = await guest.call(viewDownload, { params: { token } });
  assert.equal(layout.sizeBytes, view.zipSize);

  const found = new Map(stored.map(({ relativePath }) => [relativePath, [] as Buffer[]]));
  let etag = '';
  const sliceBytes = 1_000_003;
  for (let start = 0; start < layout.sizeBytes; start += sliceBytes) {
    const end = Math.min(start + sliceBytes, layout.sizeBytes);
    const headers = { range: `bytes=${start}-${end - 1}`, ...(etag && { 'if-range': etag }) };
    const response = await guest.fetch(zipDownloadPath(token), { headers });
    assert.equal(response.status, 206);
    etag = response.headers.get('etag')!;
    const slice = Buffer.from(await response.arrayBuffer());
    for (const { index, position, start: from, end: to } of listDataParts(layout, { start, end }))
      found
        .get(stored[index]!.relativePath)!
        .push(slice.subarray(position - start, position - start + to - from));
  }
  for (const [index, { fileId, size }] of manifest.files.entries()) {
    const sealed = new Uint8Array(Buffer.concat(found.get(fileId)!));
    assert.equal(sealed.length, encryptedSize(size));
    const opened = await openSegments(keys.content, { fileId, plainBytes: size, firstSegment: 0 }, sealed);
    assert.ok(Buffer.from(opened).equals(FILES[index]!.bytes));
  }
  const refused = await server.anonymous().fetch(zipDownloadPath(token));
  assert.notEqual(refused.status, 200);
});

function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'e2ee-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

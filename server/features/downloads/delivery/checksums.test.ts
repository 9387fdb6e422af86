import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { promisify } from 'node:util';
import { viewDownload } from '../../../../contracts/transfers/downloads/downloads.ts';
import { checksumsPath, zipDownloadPath } from '../../../../contracts/values/addresses/links.ts';
import { HOUR_MS } from '../../../../contracts/values/durations.ts';
import { createReadyTransfer } from '../../../../testing/factories.ts';
import { live } from '../../../../testing/live.ts';
import { startTestServer } from '../../../../testing/test-context.ts';
import { formatSum } from './resources.ts';

const run = promisify(execFile);
const FILES = [
  { path: 'a.txt', bytes: 'hello world' },
  { path: 'photos/ä ü.jpg', bytes: 'picture' },
  { path: 'photos/Ä ü.jpg', bytes: 'another of the same name' },
  { path: '# -x', bytes: '' },
];

test('sha256sum verifies the unpacked zip, and fetching the list is not counted', async (t) => {
  const server = await startTestServer(t);
  const { token } = await createReadyTransfer(server.context, {
    userId: server.userId('frida'),
    files: FILES,
  });
  const guest = server.anonymous();
  const early = await guest.fetch(checksumsPath(token));
  assert.equal(early.status, 503);
  assert.ok(Number(early.headers.get('retry-after')) > 0);
  assert.match(await early.text(), /still being computed/);
  await server.drainJobs();
  await live(server, HOUR_MS);

  const response = await guest.fetch(checksumsPath(token));
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('content-type'), 'text/plain; charset=utf-8');
  assert.match(response.headers.get('content-disposition')!, /^attachment; filename="SHA256SUMS"/);
  assert.equal(response.headers.get('content-security-policy'), 'sandbox');
  const list = await response.text();
  assert.equal(list.trim().split('\n').length, 4);
  const head = await guest.fetch(checksumsPath(token), { method: 'HEAD' });
  assert.equal(head.status, 200);
  assert.equal((await guest.call(viewDownload, { params: { token } })).downloadCount, 0);

  const folder = await mkdtemp(join(tmpdir(), 'sendwell-sums-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const zip = await guest.fetch(zipDownloadPath(token));
  await writeFile(join(folder, 'all.zip'), Buffer.from(await zip.arrayBuffer()));
  await writeFile(join(folder, 'SHA256SUMS'), list);
  await run('unzip', ['-q', 'all.zip'], { cwd: folder });
  await run('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: folder });
});

test('a damaged file is a comment that sha256sum skips', async (t) => {
  const server = await startTestServer(t);
  const { token } = await createReadyTransfer(server.context, {
    userId: server.userId('frida'),
    files: FILES.slice(0, 2),
  });
  const { db } = server.context;
  await db
    .updateTable('files')
    .set({ sha256: 'f'.repeat(64), checkedAt: 1 })
    .execute();
  await db
    .updateTable('files')
    .set({ sha256: null, damagedAt: 1 })
    .where('relativePath', '=', 'a.txt')
    .execute();
  const list = await (await server.anonymous().fetch(checksumsPath(token))).text();
  assert.equal(list, `# damaged: a.txt\n${'f'.repeat(64)}  photos/ä ü.jpg\n`);
});

test('names that would break a line are escaped as in coreutils, which can read them', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'sendwell-sums-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const empty = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
  const names = ['plain', 'back\\slash', 'new\nline', '\\n', 'two  spaces', ' leading'];
  for (const name of names) await writeFile(join(folder, name), '');
  assert.equal(formatSum(empty, 'new\nline'), `\\${empty}  new\\nline\n`);
  assert.equal(formatSum(empty, 'back\\slash'), `\\${empty}  back\\\\slash\n`);
  await writeFile(join(folder, 'SHA256SUMS'), names.map((name) => formatSum(empty, name)).join(''));
  await run('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: folder });
});

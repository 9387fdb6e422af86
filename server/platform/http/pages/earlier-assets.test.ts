import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { DAY_MS, HOUR_MS } from '../../../../contracts/values/durations.ts';
import { startTestServer } from '../../../../testing/test-context.ts';
import { findCopies, keepAssets } from './earlier-assets.ts';

async function createFolders(t: TestContext) {
  const root = await mkdtemp(join(tmpdir(), 'sendwell-assets-'));
  t.after(() => rm(root, { recursive: true }));
  const folders = { assets: join(root, 'assets'), copies: findCopies(root) };
  const release = async (...names: string[]) => {
    await rm(folders.assets, { recursive: true, force: true });
    await mkdir(folders.assets);
    for (const name of names) await writeFile(join(folders.assets, name), name);
  };
  return { folders, release };
}

test('copies are kept for a week after the last version that had them', async (t) => {
  const { folders, release } = await createFolders(t);
  const start = Date.UTC(2026, 0, 1);
  const list = async () => (await readdir(folders.copies)).toSorted();
  await release('app-aaaaaaaa.js', 'app-aaaaaaaa.js.br', 'same-cccccccc.css');
  await keepAssets(folders, start);
  assert.deepEqual(await list(), ['app-aaaaaaaa.js', 'app-aaaaaaaa.js.br', 'same-cccccccc.css']);
  // The server ran for a month.
  const update = start + 30 * DAY_MS;
  await keepAssets(folders, update);
  await release('app-bbbbbbbb.js', 'same-cccccccc.css');
  await keepAssets(folders, update + HOUR_MS);
  await keepAssets(folders, update + 7 * DAY_MS);
  assert.deepEqual(await list(), [
    'app-aaaaaaaa.js',
    'app-aaaaaaaa.js.br',
    'app-bbbbbbbb.js',
    'same-cccccccc.css',
  ]);
  await keepAssets(folders, update + 7 * DAY_MS + HOUR_MS);
  assert.deepEqual(await list(), ['app-bbbbbbbb.js', 'same-cccccccc.css']);
});

test('files of the operator stay', async (t) => {
  const { folders, release } = await createFolders(t);
  await release('app-aaaaaaaa.js');
  await mkdir(folders.copies);
  await writeFile(join(folders.copies, 'notes.txt'), '');
  await keepAssets(folders, Date.now() + 30 * DAY_MS);
  assert.deepEqual((await readdir(folders.copies)).toSorted(), ['app-aaaaaaaa.js', 'notes.txt']);
});

test('a copy that was cut off is made again', async (t) => {
  const { folders, release } = await createFolders(t);
  await release('app-aaaaaaaa.js');
  await mkdir(folders.copies);
  await writeFile(join(folders.copies, 'app-aaaaaaaa.js.part'), 'app');
  await keepAssets(folders, Date.now());
  assert.deepEqual(await readdir(folders.copies), ['app-aaaaaaaa.js']);
});

test('scripts of an earlier version are served like those of this one', async (t) => {
  const { context, anonymous } = await startTestServer(t);
  const copies = findCopies(context.config.dataDir);
  await writeFile(join(copies, 'app-aaaaaaaa.js'), 'export const version = 1;');
  const client = anonymous();
  for (const encoding of ['br, gzip', 'identity']) {
    const script = await client.fetch('/assets/app-aaaaaaaa.js', {
      headers: { 'accept-encoding': encoding },
    });
    assert.equal(script.status, 200, encoding);
    assert.equal(await script.text(), 'export const version = 1;');
    assert.match(script.headers.get('content-type')!, /javascript/);
    assert.match(script.headers.get('cache-control')!, /immutable/);
    assert.match(script.headers.get('content-security-policy')!, /script-src 'self'/);
  }
  for (const path of ['/assets/app-bbbbbbbb.js', '/assets/../sendwell.db', '/assets/%2e%2e/sendwell.db'])
    assert.equal((await client.fetch(path)).status, 404, path);
});

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { writeTree } from '../../testing/lib/file-trees.ts';
import { Cli } from '../../testing/processes/cli-process.ts';
import { startServerProcess } from '../../testing/processes/server-process.ts';
import { digestPage, readBuiltPage } from './page-files.ts';

const DOCUMENT =
  '<!doctype html><link rel="stylesheet" href="/assets/a.css" /><script src="/assets/a.js" integrity="sha256-x"></script>';
const FILES: Record<string, string> = {
  'assets/a.css': 'body {}',
  'assets/a.js': 'start()',
  'e/save/worker.js': 'save()',
};
const TOKEN = 'a'.repeat(26);

test('a page is that of a release if document, scripts and styles are', async (t) => {
  const { cli, files, url, seen } = await prepare(t);
  const lines = ['assets/a.css', 'assets/a.js', 'e/', 'e/save/worker.js'].map(
    (path) => `${sha256(FILES[path] ?? DOCUMENT)}  ${path}\n`,
  );
  const digest = sha256(lines.join(''));
  for (const server of [url, `${url}/e/${TOKEN}#1.${'k'.repeat(42)}A`]) {
    const same = await cli.run(['verify-page', server, '--digest', digest]);
    assert.deepEqual(
      [same.code, same.stdout],
      [0, `The page is that of the release: ${digest}\n`],
      same.stderr,
    );
  }
  assert.ok(seen.includes(`/e/${TOKEN}`));
  assert.deepEqual(
    seen.filter((path) => path.includes('k'.repeat(42))),
    [],
  );
  files['assets/a.js'] = 'steal()';
  const changed = await cli.runJson(['verify-page', url, '--digest', digest]);
  assert.deepEqual([changed.code, changed.facts.ok, changed.facts.expected], [3, false, digest]);
  delete files['assets/a.js'];
  assert.equal((await cli.run(['verify-page', url, '--digest', digest])).code, 1);
  assert.equal((await cli.run(['verify-page', url, '--digest', 'nonsense'])).code, 2);
});

test('the digest of built pages is that of the same pages on a server', async (t) => {
  const { cli, url } = await prepare(t);
  const folder = await mkdtemp(join(tmpdir(), 'sendwell-pages-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  assert.equal(await readBuiltPage(folder), undefined);
  const built = { ...FILES, 'encrypted.html': DOCUMENT };
  await writeTree(
    folder,
    Object.fromEntries(Object.entries(built).map(([path, text]) => [path, Buffer.from(text)])),
  );
  const page = await readBuiltPage(folder);
  const same = await cli.run(['verify-page', url, '--digest', digestPage(page!)]);
  assert.equal(same.code, 0, same.stderr);
});

const arePagesBuilt = existsSync(join(import.meta.dirname, '../../dist/web/encrypted.html'));

test('a running server has the page that is built in this checkout', {
  skip: !arePagesBuilt && 'the pages are not built',
}, async (t) => {
  const server = await startServerProcess(t);
  const { cli } = await prepare(t);
  const digest = (await cli.run(['verify-page'])).stdout.trim();
  for (const address of [server.url, `${server.url}/e/${TOKEN}`]) {
    const same = await cli.run(['verify-page', address]);
    assert.deepEqual(
      [same.code, same.stdout],
      [0, `The page is that of the release: ${digest}\n`],
      same.stderr,
    );
  }
  const other = await cli.run(['verify-page', server.url, '--digest', '0'.repeat(64)]);
  assert.deepEqual([other.code, other.stdout.startsWith('The page differs.')], [3, true]);
});

async function prepare(t: TestContext) {
  const files = { ...FILES };
  const seen: string[] = [];
  const server = createServer(({ url = '' }, response) => {
    seen.push(url);
    const text = /^\/e\/[0-9a-z]{26}$/.test(url) ? DOCUMENT : files[url.slice(1)];
    response.writeHead(text === undefined ? 404 : 200).end(text);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const folder = await mkdtemp(join(tmpdir(), 'sendwell-cli-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const { port } = server.address() as AddressInfo;
  return { cli: new Cli(folder, {}), files, seen, url: `http://127.0.0.1:${port}` };
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

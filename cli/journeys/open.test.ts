import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { SEGMENT_PLAIN_BYTES } from '../../contracts/transfers/encryption.ts';
import { listTransfers } from '../../contracts/transfers/transfers.ts';
import { type FileTree, readTree, writeTree } from '../../testing/lib/file-trees.ts';
import { onlyInAll } from '../../testing/lib/only-in-all.ts';
import { curl, isCurlInstalled } from '../../testing/network/curl.ts';
import { type Cli, prepareCli } from '../../testing/processes/cli-process.ts';
import { startServerProcess } from '../../testing/processes/server-process.ts';
import { makeBytes } from '../../testing/uploads/upload-files.ts';

const PYTHON_OPENER = join(import.meta.dirname, '../../docs/formats/open_e2ee.py');
const hasPython = spawnSync('python3', ['-c', 'import cryptography'], { stdio: 'ignore' }).status === 0;
const needsCurl = isCurlInstalled ? {} : { skip: 'curl is not installed' };
const needsPython =
  isCurlInstalled && hasPython ? {} : { skip: 'curl or Python’s cryptography is not installed' };
const PASSWORD = 'correct horse';

const TREE: FileTree = {
  'd/empty': Buffer.alloc(0),
  'd/é “x” 🦊.txt': Buffer.from('hello\n'),
  'd/sub/segment.bin': makeBytes(SEGMENT_PLAIN_BYTES, 'segment'),
  'd/sub/large.bin': makeBytes(7_000_001, 'large'),
};

test(
  'open decrypts what curl fetched: the zip, its files in a folder, and a single renamed one',
  needsCurl,
  async (t) => {
    const { cli, link, server } = await fetchWithCurl(t);
    const open = (path: string, to: string, ...more: string[]) =>
      cli.run(['open', path, '--link', link, '--password', PASSWORD, '--to', to, ...more]);
    const zip = await open('files.zip', 'from-zip');
    assert.equal(zip.code, 0, zip.stderr);
    assert.deepEqual(await readTree(join(cli.folder, 'from-zip')), TREE);
    const again = await open('files.zip', 'from-zip');
    assert.deepEqual([again.code, /--force/.test(again.stderr)], [1, true]);

    await promisify(execFile)('python3', ['-m', 'zipfile', '-e', 'files.zip', 'unzipped'], {
      cwd: cli.folder,
    });
    assert.equal((await open('unzipped', 'from-folder')).code, 0);
    assert.deepEqual(await readTree(join(cli.folder, 'from-folder')), TREE);

    const names = await readdir(join(cli.folder, 'unzipped'));
    await rename(join(cli.folder, 'unzipped', names[0]!), join(cli.folder, 'renamed.bin'));
    const single = await open('renamed.bin', 'from-file');
    assert.equal(single.code, 0, single.stderr);
    const opened = await readTree(join(cli.folder, 'from-file'));
    assert.equal(Object.keys(opened).length, 1);
    for (const [path, bytes] of Object.entries(opened)) assert.deepEqual(bytes, TREE[path]);
    const partly = await open('unzipped', 'partly');
    assert.deepEqual([partly.code, /Not in unzipped: /.test(partly.stderr)], [3, true]);

    await server.terminate();
    const offline = await open('files.zip', 'offline', '--manifest', 'manifest.1', '--view', 'view.json');
    assert.equal(offline.code, 0, offline.stderr);
    await rename(join(cli.folder, 'manifest.1'), join(cli.folder, 'manifest'));
    assert.equal(
      (await open('files.zip', 'unnamed', '--manifest', 'manifest', '--view', 'view.json')).code,
      0,
    );
  },
);

test('open releases nothing of a zip that is damaged or cut off', {
  ...needsCurl,
  ...onlyInAll,
}, async (t) => {
  const { cli, link } = await fetchWithCurl(t);
  const zip = await readFile(join(cli.folder, 'files.zip'));
  const damaged = Buffer.from(zip);
  damaged[damaged.length - 3_000_000]! ^= 1;
  await writeFile(join(cli.folder, 'damaged.zip'), damaged);
  await writeFile(join(cli.folder, 'cut.zip'), zip.subarray(0, -3_000_000));
  for (const [path, sentence] of [
    ['damaged.zip', /is damaged/],
    ['cut.zip', /is incomplete/],
  ] as const) {
    const opened = await cli.run(['open', path, '--link', link, '--password', PASSWORD, '--to', 'out']);
    assert.deepEqual([opened.code, sentence.test(opened.stderr)], [1, true], opened.stderr);
    assert.deepEqual(await readdir(join(cli.folder, 'out')).catch(() => []), []);
  }
});

test('Python opens what the command sealed, with the same access key', needsPython, async (t) => {
  const { cli, link, accessKey } = await fetchWithCurl(t);
  const python = (...args: string[]) =>
    promisify(execFile)('python3', [PYTHON_OPENER, link, ...args], {
      cwd: cli.folder,
      env: { ...process.env, PASSWORD },
    });
  assert.equal((await python('view.json')).stdout.trim(), accessKey);
  await python('view.json', 'manifest.1', 'files.zip', 'python');
  assert.deepEqual(await readTree(join(cli.folder, 'python')), TREE);
});

/** Sends the tree, and fetches everything about it with curl. */
async function fetchWithCurl(t: TestContext) {
  const server = await startServerProcess(t);
  const cli = await prepareCli(t, server);
  await writeTree(cli.folder, TREE);
  const sent = await cli.runJson(['send', 'd', '--encrypt', '--password', PASSWORD, '--max-downloads', '1']);
  assert.equal(sent.code, 0, sent.stderr);
  const link = String(sent.facts.link);
  const base = `${server.url}/api/download/${sent.facts.token}`;
  await fetchTo(cli, 'view.json', base);
  const key = await cli.run(['open', '--link', link, '--password', PASSWORD, '--view', 'view.json']);
  assert.equal(key.code, 0, key.stderr);
  const accessKey = key.stdout.trim();
  const body = JSON.stringify({ accessKey });
  await fetchTo(cli, 'verified', `${base}/verify`, '--cookie-jar', 'cookies', '--json', body);
  await fetchTo(cli, 'manifest.1', `${base}/manifest`, '--cookie', 'cookies');
  await fetchTo(cli, 'files.zip', `${base}/all`, '--cookie', 'cookies');
  const [transfer] = await cli.owner.call(listTransfers);
  assert.equal(transfer?.downloadCount, 1);
  return { server, cli, link, accessKey };
}

async function fetchTo(cli: Cli, file: string, url: string, ...options: string[]): Promise<void> {
  const fetched = await curl(['--fail', '--output', file, ...options, url], { cwd: cli.folder });
  assert.equal(fetched.exitCode, 0, fetched.stderr);
}

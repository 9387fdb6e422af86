import assert from 'node:assert/strict';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { CHUNK_BYTES } from '../../contracts/plans/limits.ts';
import { getTransfer } from '../../contracts/transfers/transfers.ts';
import { listVersions } from '../../contracts/transfers/versions.ts';
import { checksumsPath } from '../../contracts/values/addresses/links.ts';
import { type FileTree, readTree, writeTree } from '../../testing/lib/file-trees.ts';
import { onlyInAll } from '../../testing/lib/only-in-all.ts';
import { until } from '../../testing/lib/until.ts';
import { atChunk, isChunk, prepare, SIZE_BYTES } from '../../testing/network/cut-line.ts';
import { prepareCli } from '../../testing/processes/cli-process.ts';
import { makeBytes } from '../../testing/uploads/upload-files.ts';

const LANES = 8;

async function sendTree(t: TestContext, tree: FileTree) {
  const cli = await prepareCli(t);
  await writeTree(cli.folder, tree);
  const { facts } = await cli.runJson(['send', 'site']);
  const params = { id: String(facts.id) };
  const link = String(facts.link);
  // Answers once every checksum is known; without them, everything would be sent again.
  await until(async () => (await cli.server.anonymous().fetch(checksumsPath(String(facts.token)))).ok);
  return { cli, params, link };
}

function manyFiles(count: number): FileTree {
  return Object.fromEntries(
    Array.from({ length: count }, (_, index) => [
      `site/${index % 100}/${index}.bin`,
      makeBytes(300, `${index}`),
    ]),
  );
}

test('an update sends only changed files, and the link gives the new version', async (t) => {
  const tree: FileTree = {
    ...manyFiles(40),
    'site/large.bin': makeBytes(7_000_000, 'large'),
    'site/gone.txt': Buffer.from('gone'),
  };
  const { cli, params, link } = await sendTree(t, tree);
  await rename(join(cli.folder, 'site/large.bin'), join(cli.folder, 'site/moved.bin'));
  await rm(join(cli.folder, 'site/gone.txt'));
  await writeTree(cli.folder, {
    'site/0/0.bin': makeBytes(300, 'changed'),
    'site/new.txt': Buffer.from('new'),
  });
  const after = await readTree(join(cli.folder, 'site'));

  const updated = await cli.runJson(['send', 'site', '--update', link]);
  assert.equal(updated.code, 0, updated.stderr);
  assert.deepEqual([updated.facts.link, updated.facts.files, updated.facts.bytes], [link, 2, 303]);
  assert.equal((await cli.owner.call(getTransfer, { params })).fileCount, 42);
  assert.equal((await cli.runJson(['receive', link, '--to', 'out'])).code, 0);
  assert.deepEqual(await readTree(join(cli.folder, 'out/site')), after);

  const again = await cli.runJson(['send', 'site', '--update', link]);
  assert.equal(again.code, 0, again.stderr);
  assert.deepEqual(
    (await cli.owner.call(listVersions, { params })).map(({ version, fileCount }) => [version, fileCount]),
    [
      [2, 42],
      [1, 42],
    ],
  );
  assert.deepEqual(await cli.listStateFiles(), []);
  const refused = await cli.run(['send', 'site', '--update', link, '--title', 'Other']);
  assert.equal(refused.code, 2);
});

/** Stops an update of a transfer of `a.txt` while `big.bin` is being sent. */
async function interruptUpdate(t: TestContext) {
  const { cli, proxy } = await prepare(t);
  await writeTree(cli.folder, { 'a.txt': Buffer.from('a'), 'b.txt': Buffer.from('b') });
  const { facts } = await cli.runJson(['send', 'a.txt']);
  const link = String(facts.link);
  const update = (...paths: string[]) => ['send', ...paths, '--update', link];
  const running = cli.start(update('b.txt', 'big.bin'));
  atChunk(proxy, 6, () => running.kill('SIGINT'));
  assert.equal((await running.result).code, 5);
  const receive = async () => {
    assert.equal((await cli.runJson(['receive', link, '--to', 'out'])).code, 0);
    return Object.keys(await readTree(join(cli.folder, 'out'))).sort();
  };
  return { cli, proxy, update, receive };
}

test('an interrupted update continues when the same command is run again', async (t) => {
  const { cli, proxy, update, receive } = await interruptUpdate(t);
  const again = await cli.runJson(update('b.txt', 'big.bin'));
  assert.equal(again.code, 0, again.stderr);
  const most = Math.ceil(SIZE_BYTES / CHUNK_BYTES) + 2 + LANES;
  const sent = proxy.seen.filter(isChunk).length;
  assert.ok(sent <= most, `${sent} chunks were sent`);
  assert.deepEqual(await receive(), ['a.txt', 'b.txt', 'big.bin']);
  assert.deepEqual(await cli.listStateFiles(), []);
});

test('another update takes the place of an interrupted one, and nothing of that is published', async (t) => {
  const { cli, update, receive } = await interruptUpdate(t);
  await writeTree(cli.folder, { 'c.txt': Buffer.from('c') });
  const replacing = await cli.runJson(update('c.txt'));
  assert.equal(replacing.code, 0, JSON.stringify(replacing.facts));
  assert.deepEqual(await receive(), ['a.txt', 'c.txt']);
  assert.deepEqual(await cli.listStateFiles(), []);
});

test('an update that one of another computer has replaced says so, and is not to be resumed', async (t) => {
  const { cli, update, receive } = await interruptUpdate(t);
  await writeTree(cli.folder, { 'c.txt': Buffer.from('c') });
  const env = { XDG_STATE_HOME: join(cli.folder, 'other') };
  assert.equal((await cli.runJson(update('c.txt'), { env })).code, 0);
  const resumed = await cli.run(['resume']);
  assert.equal(resumed.code, 4, resumed.stderr);
  assert.match(resumed.stderr, /another one has begun, or nothing arrived for a day\. Run the command again/);
  assert.doesNotMatch(resumed.stderr, /Continue with/);
  assert.deepEqual(await cli.listStateFiles(), []);
  assert.deepEqual(await receive(), ['a.txt', 'c.txt']);
});

test('of updates at the same time on several computers, one is published as a whole, and the others say so', async (t) => {
  const { cli, link } = await sendTree(t, manyFiles(5));
  const trees = ['x', 'y', 'z'].map((name) => ({
    'site/same.txt': Buffer.from(name),
    [`site/${name}.bin`]: makeBytes(3_000_000, name),
  }));
  const results = await Promise.all(
    trees.map(async (tree, index) => {
      const computer = join(cli.folder, `computer-${index}`);
      await writeTree(computer, tree);
      const env = { XDG_STATE_HOME: join(computer, 'state') };
      return cli.runJson(['send', 'site', '--update', link], { env, cwd: computer });
    }),
  );
  for (const { code, facts } of results)
    if (code !== 0) {
      assert.equal(code, 4, JSON.stringify(facts));
      assert.match(String(facts.error), /updated in the meantime|another one has begun/);
    }
  const published = trees.filter((_, index) => results[index]!.code === 0);
  assert.ok(published.length > 0);
  assert.equal((await cli.runJson(['receive', link, '--to', 'out'])).code, 0);
  const received = await readTree(join(cli.folder, 'out'));
  assert.ok(
    published.some((tree) => isDeepStrictEqual(tree, received)),
    Object.keys(received).join(),
  );
});

test('of 10,000 files with 3 changed ones, an update sends 3', onlyInAll, async (t) => {
  const { cli, link } = await sendTree(t, manyFiles(10_000));
  const changed = Object.fromEntries(
    [7, 5_000, 9_999].map((index) => [`site/${index % 100}/${index}.bin`, makeBytes(300, `new ${index}`)]),
  );
  await writeTree(cli.folder, changed);
  const updated = await cli.runJson(['send', 'site', '--update', link]);
  assert.equal(updated.code, 0, updated.stderr);
  assert.deepEqual([updated.facts.files, updated.facts.bytes], [3, 900]);
  assert.equal((await cli.runJson(['receive', link, '--to', 'out'])).code, 0);
  assert.deepEqual(await readTree(join(cli.folder, 'out/site')), await readTree(join(cli.folder, 'site')));
});

import assert from 'node:assert/strict';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { getTransfer } from '../../contracts/transfers/transfers.ts';
import { listVersions } from '../../contracts/transfers/versions.ts';
import { checksumsPath } from '../../contracts/values/addresses/links.ts';
import { type FileTree, readTree, writeTree } from '../../testing/lib/file-trees.ts';
import { onlyInAll } from '../../testing/lib/only-in-all.ts';
import { until } from '../../testing/lib/until.ts';
import { prepareCli } from '../../testing/processes/cli-process.ts';
import { makeBytes } from '../../testing/uploads/upload-files.ts';

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

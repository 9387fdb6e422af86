import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'node:test';
import { updateTierConfig } from '../../contracts/admin/plans.ts';
import { getTierConfig } from '../../contracts/plans/tiers.ts';
import { SEGMENT_PLAIN_BYTES } from '../../contracts/transfers/encryption.ts';
import { listTransfers } from '../../contracts/transfers/transfers.ts';
import { type FileTree, readTree, writeTree } from '../../testing/lib/file-trees.ts';
import { onlyInAll } from '../../testing/lib/only-in-all.ts';
import { startFaultProxy } from '../../testing/network/fault-proxy.ts';
import { prepareCli } from '../../testing/processes/cli-process.ts';
import { startServerProcess } from '../../testing/processes/server-process.ts';
import { makeBytes } from '../../testing/uploads/upload-files.ts';

/** Its name, content, title and message. The server must never see any of them. */
const CANARIES = {
  file: 'Canary-Wren-7141',
  folder: 'Canary-Lark-8252',
  content: 'Canary-Finch-9363',
  title: 'Canary-Swift-1474',
  message: 'Canary-Robin-2585',
  password: 'Canary-Heron-3696',
};

const TREE: FileTree = {
  [`${CANARIES.folder}/${CANARIES.file}.txt`]: Buffer.from(`${CANARIES.content} `.repeat(10_000)),
  [`${CANARIES.folder}/empty`]: Buffer.alloc(0),
  [`${CANARIES.folder}/one byte`]: Buffer.from('x'),
  [`${CANARIES.folder}/über “quotes” 🦊/a.bin`]: makeBytes(SEGMENT_PLAIN_BYTES - 1, 'a'),
  [`${CANARIES.folder}/über “quotes” 🦊/b.bin`]: makeBytes(SEGMENT_PLAIN_BYTES, 'b'),
  [`${CANARIES.folder}/über “quotes” 🦊/c.bin`]: makeBytes(SEGMENT_PLAIN_BYTES + 1, 'c'),
  [`${CANARIES.folder}/chunk.bin`]: makeBytes(5 * SEGMENT_PLAIN_BYTES, 'chunk'),
  [`${CANARIES.folder}/large.bin`]: makeBytes(11_000_003, 'large'),
};
const MODIFIED_AT = new Date('2021-03-04T05:06:07.000Z');

test('a folder arrives unchanged, and neither requests nor server have a readable word of it', async (t) => {
  const server = await startServerProcess(t);
  const proxy = await startFaultProxy(server.url);
  t.after(() => proxy.stop());
  const sentBytes: Buffer[] = [];
  proxy.onBody = (_request, bytes) => sentBytes.push(bytes);
  const cli = await prepareCli(t, server, proxy.endpoint);
  await writeTree(cli.folder, TREE);
  const dated = join(CANARIES.folder, 'large.bin');
  await utimes(join(cli.folder, dated), MODIFIED_AT, MODIFIED_AT);

  const { title, message, password } = CANARIES;
  const settings = ['--title', title, '--message', message, '--password', password];
  const sent = await cli.runJson(['send', CANARIES.folder, '--encrypt', ...settings, '--max-downloads', '1']);
  assert.equal(sent.code, 0, sent.stderr);
  const link = String(sent.facts.link);
  assert.match(link, /\/e\/[0-9a-z]{26}#1\.[\w-]{43}$/);
  const received = await cli.runJson(['receive', link, '--to', 'out', '--password', password]);
  assert.equal(received.code, 0, received.stderr);
  assert.equal(received.facts.verified, 'encryption');
  assert.deepEqual(await readTree(join(cli.folder, 'out')), TREE);
  assert.deepEqual((await stat(join(cli.folder, 'out', dated))).mtime, MODIFIED_AT);
  assert.deepEqual(await cli.listStateFiles(), []);
  const [transfer] = await cli.owner.call(listTransfers);
  assert.deepEqual([transfer?.title, transfer?.downloadCount], [null, 1]);

  const key = link.slice(link.indexOf('#1.') + 3);
  await server.terminate();
  const everything = Buffer.concat([
    ...sentBytes,
    Buffer.from(proxy.seen.map(({ url }) => url).join('\n') + server.output),
    ...(await readAll(server.dataDir)),
  ]);
  const words = [...Object.values(CANARIES), key, 'über', '.bin'];
  assert.deepEqual(
    words.filter((word) => everything.includes(word)),
    [],
  );
});

test(
  'a single file, a folder of a transfer and a link with %23 can be received and verified',
  onlyInAll,
  async (t) => {
    const cli = await prepareCli(t);
    await writeTree(cli.folder, {
      'd/a.txt': Buffer.from('a'),
      'd/e/b.txt': Buffer.from('b'),
      'd/e/c.txt': Buffer.alloc(0),
    });
    const { facts } = await cli.runJson(['send', 'd', '--encrypt']);
    const link = String(facts.link);
    assert.equal((await cli.run(['receive', link, '--to', 'one', '--file', 'a.txt'])).code, 0);
    assert.deepEqual(await readTree(join(cli.folder, 'one')), { 'd/a.txt': Buffer.from('a') });
    const zipped = await cli.runJson(['receive', link, '--to', 'zip', '--zip']);
    assert.deepEqual([zipped.code, zipped.facts.files], [0, ['a.txt + 2.zip']], zipped.stderr);
    assert.deepEqual(Object.keys(await readTree(join(cli.folder, 'zip'))), ['a.txt + 2.zip']);
    execFileSync('python3', [
      '-m',
      'zipfile',
      '-e',
      join(cli.folder, 'zip/a.txt + 2.zip'),
      join(cli.folder, 'unzipped'),
    ]);
    assert.deepEqual(await readTree(join(cli.folder, 'unzipped')), {
      'd/a.txt': Buffer.from('a'),
      'd/e/b.txt': Buffer.from('b'),
      'd/e/c.txt': Buffer.alloc(0),
    });
    const again = await cli.run(['receive', link, '--to', 'zip', '--zip']);
    assert.equal(again.code, 1, again.stderr);
    const rewritten = link.replace('#', '%23');
    const some = await cli.run(['receive', rewritten, '--to', 'some', '--file', 'd/e']);
    assert.equal(some.code, 0, some.stderr);
    assert.deepEqual(Object.keys(await readTree(join(cli.folder, 'some'))).sort(), [
      'd/e/b.txt',
      'd/e/c.txt',
    ]);
    assert.equal((await cli.run(['receive', link, '--to', 'all'])).code, 0);
    const verified = await cli.run(['verify', link, 'all']);
    assert.deepEqual([verified.code, verified.stdout], [0, '3 files verified, 0 wrong or missing\n']);
    await writeFile(join(cli.folder, 'all/d/a.txt'), 'b');
    const wrong = await cli.run(['verify', link, 'all']);
    assert.deepEqual([wrong.code, /different: d\/a\.txt/.test(wrong.stdout)], [3, true]);
  },
);

test('a wrong or missing key or password is refused with a clear sentence', async (t) => {
  const cli = await prepareCli(t);
  await writeTree(cli.folder, { 'a.txt': Buffer.from('secret') });
  const plain = String((await cli.runJson(['send', 'a.txt', '--encrypt'])).facts.link);
  const protectedLink = String(
    (await cli.runJson(['send', 'a.txt', '--encrypt', '--password', 'open sesame'])).facts.link,
  );
  const otherKey = plain.replace(/#.*/, protectedLink.slice(protectedLink.indexOf('#')));
  const unencrypted = String((await cli.runJson(['send', 'a.txt'])).facts.link);
  const disguised = unencrypted.replace('/download/', '/e/') + plain.slice(plain.indexOf('#'));
  const cases: [string[], number, RegExp][] = [
    [[otherKey], 6, /key in this link is wrong/],
    [[plain.replace(/#.*/, '')], 4, /this link has no key/],
    [[plain.replace('/e/', '/download/').replace(/#.*/, '')], 4, /this link has no key/],
    [[protectedLink], 4, /--password/],
    [[protectedLink, '--password', 'nonsense'], 6, /password is wrong/],
    [[disguised], 1, /unencrypted one/],
  ];
  for (const [args, code, sentence] of cases) {
    const refused = await cli.run(['receive', ...args, '--to', 'out']);
    assert.deepEqual([refused.code, sentence.test(refused.stderr)], [code, true], refused.stderr);
  }
  assert.deepEqual(await cli.listStateFiles(), []);
  assert.deepEqual(await readdir(join(cli.folder, 'out')).catch(() => []), []);
  const right = await cli.run(['receive', protectedLink, '--to', 'out', '--password-stdin'], {
    input: 'open sesame\n',
  });
  assert.equal(right.code, 0, right.stderr);
});

test('of 50 parallel receives of an encrypted transfer with 7 downloads, 7 succeed', onlyInAll, async (t) => {
  const cli = await prepareCli(t);
  await writeTree(cli.folder, { 'd/a.bin': makeBytes(1_500_000, 'a'), 'd/b.txt': Buffer.from('b') });
  const { facts } = await cli.runJson(['send', 'd', '--encrypt', '--max-downloads', '7']);
  const runs = Array.from({ length: 50 }, (_, index) =>
    cli.run(['receive', String(facts.link), '--to', `out/${index}`, '--progress', 'none']),
  );
  const codes = (await Promise.all(runs)).map(({ code }) => code);
  assert.deepEqual(
    [codes.filter((code) => code === 0).length, codes.filter((code) => code === 4).length],
    [7, 43],
  );
  assert.equal(globSync('out/*/d/b.txt', { cwd: cli.folder }).length, 7);
  const [transfer] = await cli.owner.call(listTransfers);
  assert.equal(transfer?.downloadCount, 7);
});

test('a plan can require or forbid encryption', async (t) => {
  const server = await startServerProcess(t);
  const cli = await prepareCli(t, server);
  await writeTree(cli.folder, { 'a.txt': Buffer.from('a') });
  const ada = await server.signIn();
  for (const [encryption, options] of [
    ['required', []],
    ['forbidden', ['--encrypt']],
  ] as const) {
    const { free, pro, premium } = await ada.call(getTierConfig);
    await ada.call(updateTierConfig, { body: { free, pro, premium: { ...premium, encryption } } });
    const refused = await cli.run(['send', 'a.txt', ...options]);
    assert.deepEqual([refused.code, /encrypt/i.test(refused.stderr)], [4, true], refused.stderr);
  }
  assert.deepEqual(await cli.listStateFiles(), []);
});

test('list shows that a transfer is encrypted, and a link without its key', async (t) => {
  const cli = await prepareCli(t);
  await writeTree(cli.folder, { 'a.txt': Buffer.from('a') });
  const { facts } = await cli.runJson(['send', 'a.txt', '--encrypt']);
  const listed = await cli.run(['list']);
  assert.match(listed.stdout, /encrypted; the key is only in the link/);
  assert.ok(listed.stdout.includes(`  ${String(facts.link).split('#')[0]}\n`), listed.stdout);
});

async function readAll(folder: string): Promise<Buffer[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  return await Promise.all(files.map((file) => readFile(file)));
}

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmod, mkdir, readdir, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'node:test';
import { getTransfer, listTransfers } from '../../contracts/transfers/transfers.ts';
import { DAY_MS } from '../../contracts/values/durations.ts';
import { type FileTree, readTree, writeTree } from '../../testing/lib/file-trees.ts';
import { onlyInAll } from '../../testing/lib/only-in-all.ts';
import { prepareCli } from '../../testing/processes/cli-process.ts';
import { makeBytes } from '../../testing/uploads/upload-files.ts';

const CHECKER = join(import.meta.dirname, '../../testing/check-bag.py');

const TREE: FileTree = {
  'photos/large.bin': makeBytes(11_000_000, 'large'),
  'photos/small.txt': Buffer.from('hello\n'),
  'photos/empty': Buffer.alloc(0),
  'photos/2026/über “quotes” 🦊.txt': makeBytes(70_000, 'fox'),
  'photos/2026/a:b?c.txt': makeBytes(9, 'colon'),
};

test('a folder arrives with the same names and bytes, and junk files are skipped', async (t) => {
  const cli = await prepareCli(t);
  await writeTree(cli.folder, {
    ...TREE,
    'photos/.DS_Store': Buffer.from('x'),
    'photos/2026/Thumbs.db': Buffer.from('x'),
  });
  await symlink(join(cli.folder, 'photos'), join(cli.folder, 'photos/2026/circle'));

  const sent = await cli.run([
    'send',
    'photos',
    '--title',
    'Summer',
    '--to',
    'a@example.org, b@example.org',
    '--days',
    '7',
  ]);
  assert.equal(sent.code, 0, sent.stderr);
  assert.match(sent.stderr, /Skipped .*circle: it is a link to a folder/);
  assert.match(sent.stdout, /^http:\/\/127\.0\.0\.1:\d+\/download\/[0-9a-z]{26}\n$/);
  const [transfer] = await cli.owner.call(listTransfers);
  assert.deepEqual(transfer?.recipientEmails, ['a@example.org', 'b@example.org']);
  assert.equal(transfer?.title, 'Summer');
  const days = (Date.parse(transfer!.expiresAt!) - Date.parse(transfer!.createdAt)) / DAY_MS;
  assert.ok(Math.abs(days - 7) < 0.1, String(days));

  const received = await cli.runJson(['receive', sent.stdout.trim(), '--to', 'out']);
  assert.equal(received.code, 0, received.stderr);
  assert.deepEqual(await readTree(join(cli.folder, 'out')), TREE);
  assert.deepEqual(await cli.listStateFiles(), []);
  const detail = await cli.owner.call(getTransfer, { params: { id: transfer!.id } });
  assert.equal(detail.downloadCount, 1, 'receiving a whole transfer is one download');
});

test('modification times and executable bits arrive, encrypted or not, but no other permissions', async (t) => {
  const cli = await prepareCli(t);
  await writeTree(cli.folder, { ...TREE, 'only.sh': Buffer.from('echo') });
  const times = {
    'photos/large.bin': 160_000_001_500,
    'photos/small.txt': 5_000_000_003_000,
    'only.sh': -3_250,
  };
  for (const [path, time] of Object.entries(times))
    await utimes(join(cli.folder, path), new Date(time), new Date(time));
  const modes = { 'photos/large.bin': 0o4751, 'photos/small.txt': 0o600, 'only.sh': 0o777 };
  for (const [path, mode] of Object.entries(modes)) await chmod(join(cli.folder, path), mode);

  for (const options of [[], ['--encrypt']])
    for (const path of ['photos', 'only.sh']) {
      const to = `out ${path} ${options}`;
      const { facts } = await cli.runJson(['send', path, ...options]);
      const received = await cli.runJson(['receive', String(facts.link), '--to', to]);
      assert.equal(received.code, 0, received.stderr);
      for (const [file, time] of Object.entries(times).filter(([name]) => name.startsWith(path))) {
        const found = await stat(join(cli.folder, to, file));
        assert.equal(found.mtimeMs, time, `${to} ${file}`);
        const expected = modes[file as keyof typeof modes] & 0o100 ? 0o755 : 0o644;
        assert.equal(found.mode & 0o7777, expected & ~process.umask(), `${to} ${file}`);
      }
    }
});

test('a transfer or one file of it can be saved as a bag, once its checksums are known', async (t) => {
  const cli = await prepareCli(t);
  await writeTree(cli.folder, TREE);
  const { facts } = await cli.runJson(['send', 'photos', '--title', 'Summer']);
  for (const [index, options] of [[], ['--file', 'photos/small.txt']].entries()) {
    const folder = join(cli.folder, `out${index}`);
    const received = await cli.runJson(['receive', String(facts.link), '--bag', '--to', folder, ...options]);
    assert.equal(received.code, 0, received.stderr);
    execFileSync('unzip', ['-q', 'Summer.zip'], { cwd: folder });
    const [bag] = (await readdir(folder)).filter((name) => name !== 'Summer.zip');
    execFileSync('python3', [CHECKER, join(folder, bag!)]);
  }
});

test('receiving a transfer of many files counts as one download, and a second one is refused', async (t) => {
  const cli = await prepareCli(t);
  await writeTree(cli.folder, TREE);
  const { facts } = await cli.runJson(['send', 'photos', '--max-downloads', '1', '--auto-delete']);
  const received = await cli.runJson(['receive', String(facts.link), '--to', 'out']);
  assert.equal(received.code, 0, received.stderr);
  assert.deepEqual(await readTree(join(cli.folder, 'out')), TREE);
  const again = await cli.runJson(['receive', String(facts.link), '--to', 'again']);
  assert.ok(again.code === 4 || again.code === 1, `${again.code}`);
  assert.equal(again.facts.ok, false);
  assert.deepEqual(await cli.listStateFiles(), []);
});

test('a password is required, can be read from standard input, and is refused if it is wrong', async (t) => {
  const cli = await prepareCli(t);
  await writeTree(cli.folder, { 'a.txt': Buffer.from('secret') });
  const sent = await cli.runJson(['send', 'a.txt', '--password-stdin'], { input: 'open sesame\n' });
  const link = String(sent.facts.link);
  const without = await cli.run(['receive', link, '--to', 'out']);
  assert.deepEqual([without.code, /password/.test(without.stderr)], [4, true]);
  const wrong = await cli.run(['receive', link, '--to', 'out', '--password', 'nonsense']);
  assert.deepEqual([wrong.code, wrong.stderr.trim()], [6, 'sendwell: Invalid password']);
  const right = await cli.run(['receive', link, '--to', 'out', '--password-stdin'], { input: 'open sesame' });
  assert.equal(right.code, 0, right.stderr);
  assert.deepEqual(await readTree(join(cli.folder, 'out')), { 'a.txt': Buffer.from('secret') });
  const verified = await cli.run(['verify', link, 'out', '--password', 'open sesame']);
  assert.equal(verified.code, 0, verified.stderr);
});

test(
  'a single file or folder of a transfer can be received, and the whole transfer as a zip',
  onlyInAll,
  async (t) => {
    const cli = await prepareCli(t);
    await writeTree(cli.folder, TREE);
    const { facts } = await cli.runJson(['send', 'photos']);
    const link = String(facts.link);
    assert.equal((await cli.run(['receive', link, '--to', 'one', '--file', 'small.txt'])).code, 0);
    assert.deepEqual(Object.keys(await readTree(join(cli.folder, 'one'))), ['photos/small.txt']);
    const some = await cli.run([
      'receive',
      link,
      '--to',
      'some',
      '--file',
      'photos/2026/',
      '--portable-names',
    ]);
    assert.equal(some.code, 0, some.stderr);
    assert.deepEqual(Object.keys(await readTree(join(cli.folder, 'some'))).sort(), [
      'photos/2026/a_b_c.txt',
      'photos/2026/über “quotes” 🦊.txt',
    ]);
    assert.equal((await cli.run(['receive', link, '--to', 'zip', '--zip'])).code, 0);
    const [zip, ...others] = await readdir(join(cli.folder, 'zip'));
    assert.match(zip!, new RegExp(` \\+ ${Object.keys(TREE).length - 1}\\.zip$`));
    assert.deepEqual(others, []);
    assert.equal((await cli.run(['receive', link, '--to', 'none', '--file', 'no.txt'])).code, 1);
  },
);

test('existing files are not overwritten unless forced, and symbolic links never lead out of the folder', async (t) => {
  const cli = await prepareCli(t);
  await writeTree(cli.folder, { 'd/a.txt': Buffer.from('theirs'), 'out/d/a.txt': Buffer.from('mine') });
  const { facts } = await cli.runJson(['send', 'd']);
  const refused = await cli.runJson(['receive', String(facts.link), '--to', 'out']);
  assert.equal(refused.code, 1);
  assert.deepEqual(refused.facts.existing, ['d/a.txt']);
  assert.deepEqual(await readTree(join(cli.folder, 'out')), { 'd/a.txt': Buffer.from('mine') });
  assert.equal((await cli.run(['receive', String(facts.link), '--to', 'out', '--force'])).code, 0);
  assert.deepEqual(await readTree(join(cli.folder, 'out')), { 'd/a.txt': Buffer.from('theirs') });

  await mkdir(join(cli.folder, 'elsewhere'));
  await mkdir(join(cli.folder, 'trap'));
  await symlink(join(cli.folder, 'elsewhere'), join(cli.folder, 'trap/d'));
  const trapped = await cli.run(['receive', String(facts.link), '--to', 'trap']);
  assert.equal(trapped.code, 1);
  assert.match(trapped.stderr, /leads out of/);
  assert.deepEqual(await readdir(join(cli.folder, 'elsewhere')), []);
});

test('verify names files that differ or are missing', onlyInAll, async (t) => {
  const cli = await prepareCli(t);
  await writeTree(cli.folder, TREE);
  const { facts } = await cli.runJson(['send', 'photos']);
  const right = await cli.runJson(['verify', String(facts.link)]);
  assert.deepEqual([right.code, right.facts.checked], [0, 5]);
  await writeFile(join(cli.folder, 'photos/small.txt'), 'hellO\n');
  await mkdir(join(cli.folder, 'partly'));
  const wrong = await cli.runJson(['verify', String(facts.link), '.']);
  assert.equal(wrong.code, 3);
  assert.deepEqual(wrong.facts.different, [{ name: 'photos/small.txt', state: 'different' }]);
  const none = await cli.run(['verify', String(facts.link), 'partly']);
  assert.equal(none.code, 3);
  assert.match(none.stdout, /missing: photos\/large\.bin/);
});

test(
  'an invalid key, invalid arguments and an unreachable server have their exit codes',
  onlyInAll,
  async (t) => {
    const cli = await prepareCli(t);
    await writeTree(cli.folder, { 'a.txt': Buffer.from('a') });
    const wrongKey = await cli.runJson(['send', 'a.txt'], { env: { SENDWELL_KEY: `swk_${'x'.repeat(43)}` } });
    assert.deepEqual([wrongKey.code, wrongKey.facts.exitCode, wrongKey.facts.ok], [6, 6, false]);
    assert.equal((await cli.run(['list'], { env: { SENDWELL_KEY: '' } })).code, 6);
    const usage = [[], ['nonsense'], ['send'], ['send', 'missing.txt'], ['send', 'a.txt', '--days', 'x']];
    usage.push(
      ['send', 'a.txt', '--to', 'nobody'],
      ['send', 'a.txt', '--nonsense'],
      ['receive', 'https://x/'],
    );
    for (const args of usage) assert.equal((await cli.run(args)).code, 2, args.join(' '));
    const nobody = await cli.run([
      'list',
      '--server',
      'http://127.0.0.1:9',
      '--key',
      'swk_x',
      '--give-up-after',
      '1',
    ]);
    assert.equal(nobody.code, 5, nobody.stderr);
    assert.deepEqual(await cli.listStateFiles(), []);
  },
);

test('login saves the key in a file that only its owner can read, and prints the account', async (t) => {
  const cli = await prepareCli(t);
  const login = await cli.run(['login', '--server', cli.server.url], { input: `${cli.env.SENDWELL_KEY}\n` });
  assert.equal(login.code, 0, login.stderr);
  assert.match(login.stdout, new RegExp(`as ${cli.username} \\(Premium\\)\\. Saved to`));
  assert.equal((await stat(join(cli.folder, 'config/sendwell/config.json'))).mode & 0o777, 0o600);
  const listed = await cli.runJson(['list'], { env: { SENDWELL_URL: '', SENDWELL_KEY: '' } });
  assert.deepEqual([listed.code, listed.facts.transfers], [0, []]);
  const elsewhere = await cli.run(['list', '--server', 'http://127.0.0.1:9'], { env: { SENDWELL_KEY: '' } });
  assert.equal(elsewhere.code, 6, 'the key is sent to its own server only');
});

test('list --all shows every page of a long list', async (t) => {
  const cli = await prepareCli(t);
  cli.server.withDatabase((database) =>
    database
      .prepare(`
      with recursive n(i) as (select 1 union all select i + 1 from n where i < 1002)
      insert into transfers (id, "userId", token, status, "recipientEmails", "createdAt")
      select printf('n%025d', i), (select id from users where username = ?), 'n' || i, 'ready', '[]', i from n`)
      .run(cli.username),
  );
  const { code, facts, stderr } = await cli.runJson(['list', '--all']);
  assert.equal(code, 0, stderr);
  const tokens = (facts.transfers as { token: string }[]).map(({ token }) => token);
  assert.deepEqual([tokens.length, new Set(tokens).size], [1_002, 1_002]);
});

test('progress can be printed as JSON lines, the last of which is the result', onlyInAll, async (t) => {
  const cli = await prepareCli(t);
  await writeTree(cli.folder, TREE);
  const { stdout, code } = await cli.run(['send', 'photos', '--progress', 'json']);
  assert.equal(code, 0);
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.equal(lines[0].event, 'progress');
  assert.deepEqual([lines.at(-1).event, lines.at(-1).ok, lines.at(-1).files], ['end', true, 5]);
});

test('a transfer is received by its pickup code, and an encrypted one gets none', async (t) => {
  const cli = await prepareCli(t);
  await writeTree(cli.folder, { 'a.txt': Buffer.from('hello') });
  const sent = await cli.run(['send', 'a.txt', '--pickup-code']);
  assert.equal(sent.code, 0, sent.stderr);
  const [, code] = /Pickup code: ([A-Z]{3} [A-Z]{3}), valid until/.exec(sent.stderr) ?? [];
  assert.ok(code, sent.stderr);
  const received = await cli.runJson([
    'receive',
    code.toLowerCase(),
    '--server',
    cli.server.url,
    '--to',
    'out',
  ]);
  assert.equal(received.code, 0, received.stderr);
  assert.deepEqual(await readTree(join(cli.folder, 'out')), { 'a.txt': Buffer.from('hello') });
  const update = ['send', 'a.txt', '--update', sent.stdout.trim(), '--pickup-code'];
  await writeTree(cli.folder, { 'a.txt': Buffer.from('hello again') });
  const updated = await cli.run(update);
  assert.match(updated.stderr, /Pickup code: [A-Z]{3} [A-Z]{3}, valid until/);
  const unchanged = await cli.run(update);
  assert.match(unchanged.stderr, /up to date/);
  assert.match(unchanged.stderr, /Pickup code: [A-Z]{3} [A-Z]{3}, valid until/);
  const wrong = await cli.runJson(['receive', 'ZZZZZZ', '--server', cli.server.url]);
  assert.notEqual(wrong.code, 0);
  assert.match(String(wrong.facts.error), /This code is not valid/);
  const encrypted = await cli.runJson(['send', 'a.txt', '--encrypt', '--pickup-code']);
  assert.equal(encrypted.code, 2);
});

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cp, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { crc32 } from 'node:zlib';
import { runSystemChecks } from '../../contracts/admin/system.ts';
import { DAY_MS, MINUTE_MS } from '../../contracts/values/durations.ts';
import { MIB } from '../../contracts/values/sizes.ts';
import { readConfig } from '../../server/config.ts';
import { createOperatorContext } from '../../server/create-context.ts';
import { onlyInAll } from '../../testing/lib/only-in-all.ts';
import { type CommandRun, runCommand } from '../../testing/processes/run-command.ts';
import { filesAreOnDisk } from '../../testing/storage/test-storage.ts';
import { startTestServer, type TestServer } from '../../testing/test-context.ts';
import { type SentTransfer, sendTransfer } from '../../testing/uploads/send-transfer.ts';
import { makeBytes } from '../../testing/uploads/upload-files.ts';
import { backup, listBackups } from './backup-command.ts';
import { listGenerations, lockBackupFolder } from './generations.ts';
import { restore } from './restore-command.ts';
import { verifyBackup } from './verify-backup.ts';

const skip = !filesAreOnDisk && 'needs files on the disk';

/** The first file has its own blob; the other three share a pack. */
const SIZES: Record<string, number> = {
  'big.bin': 6 * MIB,
  'one.bin': 5_000,
  'two.bin': 70_000,
  'three.bin': 300,
};

const bytesOf = (title: string, fileName: string) => makeBytes(SIZES[fileName]!, `${title} ${fileName}`);

async function makeFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'sendwell-backup-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

async function start(t: TestContext, title = 'Figures') {
  const server = await startTestServer(t);
  const client = await server.signIn('paula');
  const folder = await makeFolder(t);
  const send = (name: string): Promise<SentTransfer> =>
    sendTransfer(
      client,
      Object.keys(SIZES).map((fileName) => ({ fileName, bytes: bytesOf(name, fileName) })),
      { title: name },
    );
  const { context } = server;
  const run = (...args: string[]) => {
    server.clock.advance(MINUTE_MS);
    return runCommand(backup, { config: context.config, context }, folder, ...args);
  };
  return { server, folder, send, run, sent: await send(title) };
}

/** Restores into an empty folder and returns for each file whether it is correct, marked as damaged or wrong. */
async function restoreElsewhere(
  t: TestContext,
  folder: string,
  ...options: string[]
): Promise<CommandRun & { files: Record<string, string>; dataDir: string }> {
  const dataDir = await makeFolder(t);
  const config = readConfig({ DATA_DIR: dataDir, LOG_LEVEL: 'silent' });
  const run = await runCommand(restore, { config }, folder, ...options);
  const files: Record<string, string> = {};
  if (run.code === 1) return { ...run, files, dataDir };
  const context = await createOperatorContext(config);
  const rows = await context.db
    .selectFrom('files')
    .innerJoin('transfers', 'transfers.id', 'files.transferId')
    .select(['title', 'originalName', 'storageKey', 'offset', 'sizeBytes', 'damagedAt'])
    .execute();
  for (const { title, originalName, storageKey, offset, sizeBytes, damagedAt } of rows) {
    const bytes = Buffer.alloc(sizeBytes);
    const isRead = await context.blobs.openRange(storageKey, offset, offset + sizeBytes).then(
      (range) => range.fill([bytes]).finally(() => range.close()),
      () => undefined,
    );
    const isRight = isRead === undefined && bytes.equals(bytesOf(title!, originalName));
    files[`${title}/${originalName}`] = damagedAt !== null ? 'damaged' : isRight ? 'right' : 'wrong';
  }
  await context.close();
  return { ...run, files, dataDir };
}

/** The expected state of the files of some transfers: right, except for `others`. */
function filesOf(titles: string[], others: Record<string, string> = {}): Record<string, string> {
  const names = titles.flatMap((title) => Object.keys(SIZES).map((name) => [`${title}/${name}`, 'right']));
  return { ...Object.fromEntries(names), ...others };
}

type StoredFile = { id: string; storageKey: string; offset: number };

async function findFile({ context }: TestServer, fileName: string): Promise<StoredFile> {
  return context.db
    .selectFrom('files')
    .select(['id', 'storageKey', 'offset'])
    .where('originalName', '=', fileName)
    .executeTakeFirstOrThrow();
}

function flipByte(path: string, position: number): void {
  const bytes = readFileSync(path);
  bytes[position]! ^= 1;
  writeFileSync(path, bytes);
}

function storedPathOf({ context }: TestServer, { storageKey }: StoredFile): string {
  return join(context.config.dataDir, 'blobs', storageKey.slice(0, 2), storageKey);
}

function copyPathOf(folder: string, { storageKey }: StoredFile): string {
  const prefix = join(folder, 'blobs', storageKey.slice(0, 2));
  const names = readdirSync(prefix).filter((name) => name.startsWith(storageKey));
  assert.equal(names.length, 1, names.join());
  return join(prefix, names[0]!);
}

async function listNames(folder: string): Promise<string[]> {
  return (await listGenerations(folder)).complete.map(({ name }) => name);
}

function verify({ context: { config } }: TestServer, folder: string): Promise<CommandRun> {
  return runCommand(verifyBackup, { config }, folder);
}

function requireWords({ text }: CommandRun, ...words: string[]): void {
  for (const word of words) assert.ok(text.includes(word), `${word}: ${text}`);
}

test("a damaged copy is found by a run's share or by --verify and replaced from the storage", {
  skip,
  ...onlyInAll,
}, async (t) => {
  const { server, folder, run } = await start(t);
  assert.equal((await run()).code, 0);
  const copy = copyPathOf(folder, await findFile(server, 'big.bin'));
  flipByte(copy, 5_000_000);
  const unread = await run('--verify-share', '0');
  assert.deepEqual([unread.code, unread.facts.verifiedBlobs], [0, 0]);
  const { code, facts } = await run('--verify');
  assert.deepEqual([code, facts.verifiedBlobs, facts.repairedBlobs, facts.newlyDamaged], [3, 2, 1, 0]);
  flipByte(copy, 9);
  const runs = [await run('--verify-share', '1/2'), await run('--verify-share', '1/2')];
  const total = (name: string) => runs.reduce((sum, each) => sum + Number(each.facts[name]), 0);
  assert.deepEqual([total('verifiedBlobs'), total('repairedBlobs')], [2, 1]);
  rmSync(copy);
  assert.equal((await run('--verify-share', '0')).facts.repairedBlobs, 1);
  const verified = await verify(server, folder);
  assert.deepEqual([verified.code, verified.facts.problems], [0, 0]);
  assert.deepEqual((await restoreElsewhere(t, folder)).files, filesOf(['Figures']));
});

test('restore refuses a damaged backup and names the files; --continue restores all others', {
  skip,
}, async (t) => {
  const { server, folder, run, send } = await start(t, 'Plans');
  const two = await findFile(server, 'two.bin');
  await send('Other');
  await run();
  flipByte(copyPathOf(folder, two), two.offset + 100);
  const refused = await restoreElsewhere(t, folder);
  assert.equal(refused.code, 1);
  requireWords(refused, 'two.bin', 'Plans', '--continue', 'Nothing was changed');
  assert.ok(!refused.text.includes('one.bin'), refused.text);
  assert.deepEqual(readdirSync(refused.dataDir), ['server.lock'], 'nothing is written');
  const verified = await verify(server, folder);
  assert.deepEqual([verified.code, verified.facts.problems], [3, 1]);
  requireWords(verified, 'two.bin', 'Plans');
  const { code, facts, files } = await restoreElsewhere(t, folder, '--continue');
  assert.deepEqual([code, facts.damagedFiles, facts.missingBlobs], [3, 1, 0]);
  assert.deepEqual(files, filesOf(['Plans', 'Other'], { 'Plans/two.bin': 'damaged' }));
});

test('--continue works without blobs or their list, but not without the database', {
  skip,
  ...onlyInAll,
}, async (t) => {
  const { server, folder, run } = await start(t, 'Plans');
  await run();
  const spare = join(await makeFolder(t), 'copy');
  await cp(folder, spare, { recursive: true });
  const big = copyPathOf(folder, await findFile(server, 'big.bin'));
  writeFileSync(big, readFileSync(big).subarray(0, MIB));
  assert.deepEqual((await restoreElsewhere(t, folder, '--continue')).facts.damagedFiles, 1);
  rmSync(big);
  const { code, facts, files } = await restoreElsewhere(t, folder, '--continue');
  assert.deepEqual([code, facts.damagedFiles, facts.missingBlobs], [3, 1, 1]);
  assert.deepEqual(files, filesOf(['Plans'], { 'Plans/big.bin': 'damaged' }));

  flipByte(join(spare, readdirSync(spare).find((name) => name.startsWith('files-'))!), 20);
  const refused = await restoreElsewhere(t, spare);
  assert.equal(refused.code, 1);
  requireWords(refused, 'list of blobs');
  assert.deepEqual((await restoreElsewhere(t, spare, '--continue')).files, filesOf(['Plans']));

  const secret = readdirSync(spare).find((name) => name.startsWith('secret-'))!;
  flipByte(join(spare, secret), 1);
  const unsigned = await restoreElsewhere(t, spare, '--continue');
  assert.equal(unsigned.code, 1);
  requireWords(unsigned, secret, 'SESSION_SECRET');
  const config = readConfig({
    DATA_DIR: await makeFolder(t),
    SESSION_SECRET: 'x'.repeat(40),
    LOG_LEVEL: 'silent',
  });
  assert.equal((await runCommand(restore, { config }, spare, '--continue')).code, 0);

  const database = readdirSync(spare).find((name) => name.endsWith('.db'))!;
  flipByte(join(spare, database), 5_000);
  const lost = await restoreElsewhere(t, spare, '--continue');
  assert.equal(lost.code, 1);
  requireWords(lost, database, '--generation');
});

test('wrong bytes in the storage never replace a correct copy and are reported with their files', {
  skip,
  ...onlyInAll,
}, async (t) => {
  const { server, folder, run } = await start(t, 'Photos');
  const { db } = server.context;
  await run();
  const [big, two] = [await findFile(server, 'big.bin'), await findFile(server, 'two.bin')];
  flipByte(storedPathOf(server, big), 123);
  flipByte(storedPathOf(server, two), two.offset + 1);
  const reported = await run('--verify');
  assert.equal(reported.code, 3);
  requireWords(reported, 'big.bin', 'two.bin', 'Photos', 'has a good earlier copy');
  // A pack that has grown is copied again, except for its wrong file, which comes from the earlier copy.
  await db
    .updateTable('files')
    .set({ uploadedAt: server.clock.now() + 5 })
    .where('storageKey', '=', two.storageKey)
    .execute();
  const grown = await run('--keep', '1', '--verify-share', '0');
  assert.deepEqual([grown.code, grown.facts.copiedBlobs, grown.facts.newlyDamaged], [3, 1, 1]);
  // Files marked as damaged by the server are not reported again, and their correct copies stay.
  await db
    .updateTable('files')
    .set({ damagedAt: 1, checkedAt: 1 })
    .where('id', 'in', [big.id, two.id])
    .execute();
  const known = await run('--verify', '--keep', '1');
  assert.deepEqual([known.code, known.facts.newlyDamaged, known.facts.knownDamaged], [0, 0, 2]);
  assert.deepEqual(await listNames(folder), [known.facts.name]);
  const { code, facts, files } = await restoreElsewhere(t, folder);
  assert.deepEqual([code, facts.damagedFiles, facts.healedFiles], [0, 0, 2]);
  assert.deepEqual(files, filesOf(['Photos']));
});

test('files that were wrong before the first backup are copied, listed as damaged and not served after a restore', {
  skip,
}, async (t) => {
  const { server, folder } = await start(t, 'Photos');
  const [big, one] = [await findFile(server, 'big.bin'), await findFile(server, 'one.bin')];
  rmSync(storedPathOf(server, big));
  flipByte(storedPathOf(server, one), one.offset);
  // Without the server's context, which still has the missing file open.
  const runAfresh = () => runCommand(backup, { config: server.context.config }, folder);
  for (const each of [await runAfresh(), await runAfresh()])
    assert.deepEqual(
      [each.code, each.facts.missingBlobs, each.facts.newlyDamaged, each.facts.blobs],
      [3, 1, 2, 2],
      each.text,
    );
  const refused = await restoreElsewhere(t, folder);
  assert.equal(refused.code, 1);
  requireWords(refused, 'already missing or wrong', 'big.bin', 'one.bin');
  const { code, facts, files } = await restoreElsewhere(t, folder, '--continue');
  assert.deepEqual([code, facts.damagedFiles, facts.missingBlobs], [3, 2, 1]);
  assert.deepEqual(files, filesOf(['Photos'], { 'Photos/big.bin': 'damaged', 'Photos/one.bin': 'damaged' }));
});

test('generations share blobs, each can be restored, and unreferenced blobs are removed', async (t) => {
  const { server, folder, run, send } = await start(t, 'Monday');
  const first = await run('--keep', '2');
  const tuesday = await send('Tuesday');
  const second = await run('--keep', '2');
  assert.equal(second.facts.blobs, 2 * Number(first.facts.blobs));
  assert.equal(second.facts.copiedBlobs, first.facts.blobs);
  assert.deepEqual(await listNames(folder), [first.facts.name, second.facts.name]);
  const old = await restoreElsewhere(t, folder, '--generation', String(first.facts.name));
  assert.deepEqual(old.files, filesOf(['Monday']));
  assert.deepEqual((await restoreElsewhere(t, folder)).files, filesOf(['Monday', 'Tuesday']));

  await server.context.db.deleteFrom('transfers').where('id', '=', tuesday.id).execute();
  await run('--keep', '2');
  const last = await run('--keep', '2');
  assert.deepEqual([last.facts.blobs, last.facts.removedBlobs], [first.facts.blobs, first.facts.blobs]);
  assert.equal(readdirSync(folder).filter((name) => name.endsWith('.db')).length, 2);
  const unknown = await restoreElsewhere(t, folder, '--generation', String(first.facts.name));
  assert.equal(unknown.code, 1);
  requireWords(unknown, String(last.facts.name));
  const listed = await runCommand(listBackups, { config: server.context.config }, folder);
  requireWords(listed, String(last.facts.name), 'not verified');
});

test('with a damaged manifest the other generations stay listed and no blob is removed', async (t) => {
  const { server, folder, run } = await start(t);
  const first = await run();
  const second = await run();
  const file = `backup-${second.facts.name}.json`;
  writeFileSync(
    join(folder, file),
    readFileSync(join(folder, file), 'utf8').replace(/("blobBytes": \d*)\d/, '$10'),
  );
  const verified = await verify(server, folder);
  assert.deepEqual([verified.code, verified.facts.unreadable], [3, [file]]);
  await server.context.db.deleteFrom('transfers').execute();
  const third = await run('--keep', '1');
  assert.deepEqual([third.code, third.facts.removedBlobs, third.facts.blobs], [3, 0, 0]);
  requireWords(third, file);
  const unsaid = await restoreElsewhere(t, folder);
  assert.equal(unsaid.code, 1);
  requireWords(unsaid, '--generation', file);
  const chosen = await restoreElsewhere(t, folder, '--generation', String(first.facts.name));
  assert.deepEqual(chosen.files, filesOf(['Figures']));
});

async function makeFirstFormat(folder: string): Promise<void> {
  const name = readdirSync(folder).find((each) => /^backup-.*\.json$/.test(each))!;
  const manifest = JSON.parse(readFileSync(join(folder, name), 'utf8'));
  const renamed = async (entry: { name: string; sha256?: string } | null, prefix: string, ending = '') => {
    if (entry === null) return null;
    const { sha256: _, ...rest } = entry;
    await rename(join(folder, entry.name), join(folder, `${prefix}-abcdef123456${ending}`));
    return { ...rest, name: `${prefix}-abcdef123456${ending}` };
  };
  const { startedAt, finishedAt, database, secret, files } = manifest;
  const first = {
    format: 1,
    id: 'abcdef123456',
    startedAt,
    finishedAt,
    database: await renamed(database, 'database', '.db'),
    secret: await renamed(secret, 'secret'),
    files: await renamed(files, 'files', '.ndjson'),
  };
  rmSync(join(folder, name));
  writeFileSync(join(folder, 'backup.json'), JSON.stringify(first));
}

test('a backup in the first format can be restored and becomes a generation with the next run', async (t) => {
  const { folder, run } = await start(t);
  await run();
  await makeFirstFormat(folder);
  assert.deepEqual(await listNames(folder), ['abcdef123456']);
  assert.deepEqual((await restoreElsewhere(t, folder)).files, filesOf(['Figures']));
  const next = await run();
  assert.deepEqual([next.code, next.facts.copiedBlobs], [0, 0]);
  assert.deepEqual(await listNames(folder), ['abcdef123456', next.facts.name]);
  const old = await restoreElsewhere(t, folder, '--generation', 'abcdef123456');
  assert.deepEqual(old.files, filesOf(['Figures']));
  // Earlier versions refuse this format, so they remove nothing here.
  assert.equal(JSON.parse(readFileSync(join(folder, 'backup.json'), 'utf8')).format, 2);
});

test('a second command in the same folder is refused', async (t) => {
  const { server, folder, run } = await start(t);
  await run();
  const unlock = lockBackupFolder(folder);
  for (const refused of [await run(), await verify(server, folder), await restoreElsewhere(t, folder)]) {
    assert.equal(refused.code, 1);
    requireWords(refused, 'Another command is using');
  }
  unlock();
  assert.equal((await run()).code, 0);
});

test('a full disk leaves earlier generations unchanged, and the message says so', onlyInAll, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'sendwell-full-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=10m', 'tmpfs', folder], { stdio: 'ignore' });
  } catch {
    return t.skip('needs the right to mount a tmpfs');
  }
  t.after(async () => {
    execFileSync('umount', ['--lazy', folder]);
    await rm(folder, { recursive: true });
  });
  const { server, send } = await start(t);
  const { context } = server;
  const run = () => runCommand(backup, { config: context.config, context }, folder);
  const first = await run();
  await send('too much');
  const full = await run();
  assert.equal(full.code, 1, full.text);
  requireWords(full, 'is full. The incomplete backup was removed; 1 earlier ones are unchanged.');
  assert.deepEqual(await listNames(folder), [first.facts.name]);
  assert.deepEqual((await restoreElsewhere(t, folder)).files, filesOf(['Figures']));
});

test('the next run reuses copies of a killed run only if their bytes are correct', { skip }, async (t) => {
  const { server, folder, run } = await start(t);
  const first = await run();
  // The state after a run that was killed before it wrote its manifest.
  rmSync(join(folder, `backup-${first.facts.name}.json`));
  flipByte(copyPathOf(folder, await findFile(server, 'big.bin')), 77);
  const next = await run();
  assert.deepEqual([next.code, next.facts.copiedBlobs, next.facts.blobs], [0, 1, 2]);
  assert.deepEqual((await restoreElsewhere(t, folder)).files, filesOf(['Figures']));
});

test('after a clock jump no generation is removed by age, but --keep still applies', async (t) => {
  const { server, run, folder } = await start(t);
  const rules = ['--keep-daily', '2', '--keep-monthly', '1', '--verify-share', '0'];
  for (let day = 0; day < 3; day += 1) {
    await run(...rules);
    server.clock.advance(DAY_MS);
  }
  assert.equal((await listNames(folder)).length, 2);
  server.clock.advance(400 * DAY_MS);
  const ahead = await run(...rules);
  assert.deepEqual([ahead.code, ahead.facts.removedGenerations], [3, []]);
  requireWords(ahead, 'contradict the clock');
  server.clock.advance(-400 * DAY_MS);
  const back = await run(...rules);
  assert.deepEqual([back.code, back.facts.removedGenerations], [3, []]);
  assert.equal((await listNames(folder)).length, 4);
  const counted = await run('--keep', '2');
  assert.deepEqual(await listNames(folder), [back.facts.name, counted.facts.name]);
});

test('the newest verified generation is never removed', async (t) => {
  const { server, run, folder } = await start(t);
  const verified = await run('--verify');
  await run('--keep', '1');
  const last = await run('--keep', '1');
  assert.deepEqual(await listNames(folder), [verified.facts.name, last.facts.name]);
  assert.equal((await verify(server, folder)).code, 0);
  const next = await run('--keep', '1');
  assert.deepEqual(await listNames(folder), [last.facts.name, next.facts.name]);
});

test('the metrics and the system checks report the age of the last backup', async (t) => {
  const { server, run } = await start(t);
  const readGauge = async () => {
    const text = await (await fetch(`${server.url}/metrics`)).text();
    return /^sendwell_last_backup_timestamp_seconds (\S+)$/m.exec(text)?.[1];
  };
  const check = async () => {
    const ada = await server.signIn('ada');
    const { state, found } = (await ada.call(runSystemChecks, { body: {} })).find(
      ({ name }) => name === 'backup',
    )!;
    return { state, found };
  };
  assert.deepEqual(await check(), { state: 'ok', found: 'No backup yet.' });
  server.clock.advance(8 * DAY_MS);
  assert.deepEqual(await check(), { state: 'warning', found: 'No backup yet.' });
  await run();
  assert.equal(Number(await readGauge()), server.clock.now() / 1000);
  assert.equal((await check()).state, 'ok');
  server.clock.advance(8 * DAY_MS);
  assert.equal((await check()).state, 'warning');
});

test('the checksums in the list of blobs match the copies', async (t) => {
  const { folder, run } = await start(t);
  await run();
  const list = readdirSync(folder).find((name) => name.startsWith('files-'))!;
  const lines = readFileSync(join(folder, list), 'utf8').trim().split('\n');
  for (const entry of lines.map((line) => JSON.parse(line)))
    assert.equal(crc32(readFileSync(join(folder, 'blobs', entry.name))), entry.crc32, entry.name);
});

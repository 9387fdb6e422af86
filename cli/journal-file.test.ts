import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { CommandError } from '../command-line/exit-codes.ts';
import { JournalFile } from './journal-file.ts';

const NAME = 'abc.send.jsonl';

test('a lock is respected while its process runs, but not one from before the last restart', async (t) => {
  const home = await mkdtemp(join(tmpdir(), 'journal-'));
  t.after(() => rm(home, { recursive: true }));
  process.env.XDG_STATE_HOME = home;
  t.after(() => delete process.env.XDG_STATE_HOME);
  const first = await JournalFile.open(NAME);
  await first.close();
  const lock = join(home, 'sendwell', `${NAME}.lock`);
  await writeFile(lock, String(process.ppid));
  await assert.rejects(JournalFile.open(NAME), CommandError);
  // Another process has the id now.
  await utimes(lock, 0, 0);
  const second = await JournalFile.open(NAME);
  assert.equal(await readFile(lock, 'utf8'), String(process.pid));
  await second.close();
});

test('of two processes that find the lock of a dead one at the same time, one gets it', async (t) => {
  const home = await mkdtemp(join(tmpdir(), 'journal-'));
  t.after(() => rm(home, { recursive: true }));
  const options = { env: { ...process.env, XDG_STATE_HOME: home } };
  const contend = () => run(process.execPath, ['--input-type=module', '--eval', CONTENDER], options);
  await Promise.all([contend(), contend()]);
});

const run = promisify(execFile);

/** Fails if another process has the lock at the same time. Leaves the lock as a killed process does. */
const CONTENDER = `
  import { rm, writeFile } from 'node:fs/promises';
  import { JournalFile } from '${pathToFileURL(join(import.meta.dirname, 'journal-file.ts'))}';
  const journals = [];
  while (journals.length < 60) {
    const journal = await JournalFile.open('${NAME}').catch((error) => {
      if (error.name !== 'CommandError') throw error;
    });
    if (!journal) continue;
    journals.push(journal);
    const folder = process.env.XDG_STATE_HOME;
    await writeFile(folder + '/taken', '', { flag: 'wx' });
    await rm(folder + '/taken');
    await writeFile(folder + '/sendwell/${NAME}.lock', '999999999');
  }
  process.exit();`;

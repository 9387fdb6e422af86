import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
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

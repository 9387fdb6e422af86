import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { DataDirInUseError, lockDataDir } from './data-dir-lock.ts';

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sendwell-lock-'));
});
after(() => rm(folder, { recursive: true, force: true }));

async function startHolder(dataDir: string): Promise<ChildProcess> {
  const script = `
    import { lockDataDir } from ${JSON.stringify(join(import.meta.dirname, 'data-dir-lock.ts'))};
    lockDataDir(${JSON.stringify(dataDir)});
    console.log('held');
    setInterval(() => {}, 60_000);
  `;
  const child = spawn(process.execPath, ['--input-type=module-typescript', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout!, 'data');
  return child;
}

test('creates the folder, and refuses it to a second server with a message that names it', () => {
  const dataDir = join(folder, 'new', 'data');
  const release = lockDataDir(dataDir);
  assert.throws(
    () => lockDataDir(dataDir),
    (error: Error) => error instanceof DataDirInUseError && error.message.includes(dataDir),
  );
  release();
  lockDataDir(dataDir)();
});

test('refuses a folder locked by another process, until that process is killed', async () => {
  const holder = await startHolder(folder);
  assert.throws(() => lockDataDir(folder), DataDirInUseError);
  const exited = once(holder, 'exit');
  holder.kill('SIGKILL');
  await exited;
  lockDataDir(folder)();
});

import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { onlyInAll } from '../../testing/lib/only-in-all.ts';

/** Starts something that ignores SIGTERM, names it and its folders, and waits for ever or ends. */
const PROGRAM = `
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { supervise } from ${JSON.stringify(join(import.meta.dirname, 'supervise.ts'))};
await supervise();
const stubborn = spawn('sh', ['-c', 'trap "" TERM; while :; do sleep 1; done'], { stdio: 'ignore' });
const { TMPDIR, TEST_DISK_DIR } = process.env;
for (const folder of [TMPDIR, TEST_DISK_DIR]) writeFileSync(folder + '/left', '');
process.once('SIGTERM', () => process.exit(130));
const started = { supervisor: process.ppid, worker: process.pid, stubborn: stubborn.pid, TMPDIR, TEST_DISK_DIR };
console.log(JSON.stringify(started));
if (process.argv[2]) process.exit(Number(process.argv[2]));
`;

type Started = {
  supervisor: number;
  worker: number;
  stubborn: number;
  TMPDIR: string;
  TEST_DISK_DIR: string;
};

describe('a supervised program leaves neither processes nor folders', onlyInAll, () => {
  test('when it ends by itself, with its own exit code', async (t) => {
    const { child, started } = await start(t, ['3']);
    assert.deepEqual(await once(child, 'exit'), [3, null]);
    await expectNothingLeft(started);
  });

  test('after SIGTERM', async (t) => {
    const { child, started } = await start(t);
    child.kill('SIGTERM');
    assert.deepEqual(await once(child, 'exit'), [143, null]);
    await expectNothingLeft(started);
  });

  test('after SIGKILL of the supervisor', async (t) => {
    const { started } = await start(t);
    process.kill(started.supervisor, 'SIGKILL');
    await expectNothingLeft(started);
  });

  test('after SIGKILL of the program', async (t) => {
    const { child, started } = await start(t);
    process.kill(started.worker, 'SIGKILL');
    assert.deepEqual(await once(child, 'exit'), [137, null]);
    await expectNothingLeft(started);
  });

  test('when what started it is killed, as npm is', async (t) => {
    const { child, started } = await start(t, [], 'as npm does');
    child.kill('SIGKILL');
    await expectNothingLeft(started);
  });
});

async function start(
  t: TestContext,
  args: string[] = [],
  behind?: 'as npm does',
): Promise<{ child: ChildProcess; started: Started }> {
  const folder = await mkdtemp(join(tmpdir(), 'sendwell-supervise-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'program.mjs');
  await writeFile(file, PROGRAM);
  const { SENDWELL_GATE_SUPERVISED: _, ...env } = process.env;
  const command = [process.execPath, file, ...args];
  const [program, ...rest] = behind ? ['sh', '-c', '"$@"; exit $?', 'sh', ...command] : command;
  if (behind) env.npm_lifecycle_event = 'test';
  const child = spawn(program!, rest, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  // Otherwise a program that is left running would keep the test waiting for its output.
  t.after(() => child.stdout.destroy());
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  return { child, started: JSON.parse(line) as Started };
}

async function expectNothingLeft({ supervisor, worker, stubborn, ...folders }: Started): Promise<void> {
  for (let tries = 0; tries < 300; tries += 1) {
    const isOver =
      ![supervisor, worker, stubborn].some(isRunning) && !Object.values(folders).some(existsSync);
    if (isOver) return;
    await sleep(100);
  }
  assert.deepEqual([supervisor, worker, stubborn].filter(isRunning), []);
  for (const folder of Object.values(folders)) assert.deepEqual(await readdir(folder).catch(() => []), []);
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

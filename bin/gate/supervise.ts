import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { GIB } from '../../contracts/values/sizes.ts';

/** Set in the process that does the work. */
const IS_SUPERVISED = 'SENDWELL_GATE_SUPERVISED';

/** A folder in memory, which Linux has, and how much room it must have. */
const MEMORY = { folder: '/dev/shm', minBytes: 8 * GIB };

/** Time for test processes to stop by themselves after a signal. */
const GRACE_MS = 5_000;

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Runs the program in its own process group and temporary folders, so that no process or file remains when it ends:
 * not after a signal, not after SIGKILL of either process, and not if npm dies, which does not forward SIGTERM. Returns
 * in the supervised process. The supervisor never returns and exits with the same code.
 */
export async function supervise(): Promise<void> {
  if (process.env[IS_SUPERVISED]) return endWithSupervisor();
  const folders = createFolders();
  const child = spawn(process.execPath, process.argv.slice(1), {
    detached: true,
    stdio: 'inherit',
    env: { ...process.env, [IS_SUPERVISED]: '1', ...folders },
  });
  const code = await waitForEnd(child);
  killGroup(child.pid!);
  for (const folder of Object.values(folders))
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  process.exit(code);
}

/**
 * `TMPDIR` is in memory if there is enough, because waiting for the disk takes a third of the tests' time and no test
 * depends on surviving a power cut. `TEST_DISK_DIR` is for tests that need a real file system.
 */
function createFolders(): { TMPDIR: string; TEST_DISK_DIR: string } {
  const create = (parent: string) => {
    const folder = mkdtempSync(join(parent, 'sendwell-tests-'));
    // PostgreSQL runs as another user.
    chmodSync(folder, 0o755);
    return folder;
  };
  return {
    TMPDIR: create(!process.env.TMPDIR && isMemoryLarge() ? MEMORY.folder : tmpdir()),
    TEST_DISK_DIR: create(existsSync('/var/tmp') ? '/var/tmp' : tmpdir()),
  };
}

function isMemoryLarge(): boolean {
  if (!existsSync(MEMORY.folder)) return false;
  const { bavail, bsize } = statfsSync(MEMORY.folder);
  return bavail * bsize >= MEMORY.minBytes;
}

/** Forwards signals to the child, and stops it if npm has died. */
async function waitForEnd(child: ChildProcess): Promise<number> {
  let signalled: NodeJS.Signals | undefined;
  const stop = (signal: NodeJS.Signals) => {
    if (signalled) return;
    signalled = signal;
    child.kill('SIGTERM');
    setTimeout(() => killGroup(child.pid!), GRACE_MS).unref();
  };
  for (const signal of SIGNALS) process.on(signal, stop);
  // Only under npm: after `nohup … &`, the parent shell may exit immediately.
  if (process.env.npm_lifecycle_event) whenParentDies(() => stop('SIGHUP'));
  const code = await new Promise<number>((resolve) => {
    child.once('exit', (exit, signal) => resolve(exit ?? 128 + constants.signals[signal!]));
  });
  return signalled ? 128 + constants.signals[signalled] : code;
}

/** If the supervisor is killed, a new process cleans up, because this one is in the group that it kills. */
function endWithSupervisor(): void {
  const { TMPDIR, TEST_DISK_DIR } = process.env;
  const script = 'kill -s KILL -- "-$0"; sleep 1; rm -rf -- "$@"';
  const args = ['-c', script, String(process.pid), TMPDIR!, TEST_DISK_DIR!];
  whenParentDies(() => spawn('sh', args, { detached: true, stdio: 'ignore' }));
}

function whenParentDies(act: () => void): void {
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    act();
  }, 500);
  watch.unref();
}

function killGroup(leader: number): void {
  try {
    process.kill(-leader, 'SIGKILL');
  } catch {
    // The group has already ended.
  }
}

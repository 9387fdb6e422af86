import { randomUUID } from 'node:crypto';
import {
  constants,
  copyFile,
  type FileHandle,
  link,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { uptime } from 'node:os';
import { join } from 'node:path';
import { CommandError, EXIT } from '../command-line/exit-codes.ts';
import { stateFolder } from './environment.ts';

/**
 * An append-only file of JSON lines with the state of an unfinished transfer. The cost of a change is independent of
 * the number of files. Ignores a line that a crash cut off. Only its owner can read it.
 */
export class JournalFile<Line> {
  readonly #name: string;
  readonly #file: FileHandle;

  private constructor(name: string, file: FileHandle) {
    this.#name = name;
    this.#file = file;
  }

  /** Creates the file, or opens it for appending. Throws CommandError if another process has it open. */
  static async open<Line>(name: string): Promise<JournalFile<Line>> {
    await mkdir(stateFolder(), { recursive: true, mode: 0o700 });
    await acquireLock(name);
    const file = await open(join(stateFolder(), name), 'a', 0o600);
    // Terminate a line that a crash may have cut off.
    if ((await file.stat()).size > 0) await file.appendFile('\n');
    return new JournalFile<Line>(name, file);
  }

  async write(...lines: Line[]): Promise<void> {
    await this.#file.appendFile(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  }

  async close(): Promise<void> {
    await this.#file.close();
    await rm(lockPathOf(this.#name), { force: true });
  }

  async remove(): Promise<void> {
    await removeJournalFile(this.#name);
    await this.close();
  }
}

export async function listJournalFiles(ending: string): Promise<string[]> {
  const names = await readdir(stateFolder()).catch(() => []);
  return names.filter((name) => name.endsWith(ending));
}

/** Empty if there is no such journal. */
export async function readJournalFile<Line>(name: string): Promise<Line[]> {
  const text = await readFile(join(stateFolder(), name), 'utf8').catch(() => '');
  return text.split('\n').flatMap((line) => parseLine<Line>(line) ?? []);
}

export async function removeJournalFile(name: string): Promise<void> {
  await rm(join(stateFolder(), name), { force: true });
}

/**
 * Prevents two processes from resuming the same transfer. Replaces the lock of a dead process, also if another one has
 * got its id since the computer was restarted. A lock appears with its content, so none is mistaken for a dead one.
 */
async function acquireLock(name: string): Promise<void> {
  const path = lockPathOf(name);
  const own = `${path}-${randomUUID()}`;
  await writeFile(own, String(process.pid), { flag: 'wx', mode: 0o600 });
  try {
    while (!(await linkUnlessExists(own, path))) {
      const holder = await findHolder(path);
      if (holder)
        throw new CommandError(
          EXIT.failed,
          `Process ${holder} is already working on this transfer. Stop it, or wait until it has finished.`,
        );
      await removeDeadLock(path);
    }
  } finally {
    await rm(own, { force: true });
  }
}

/** The running process that has the lock. */
async function findHolder(path: string): Promise<number | undefined> {
  const pid = Number(await readFile(path, 'utf8').catch(() => ''));
  return isRunning(pid) && !(await isOlderThanBoot(path)) ? pid : undefined;
}

/**
 * Moves the lock away first, because another process may have replaced the dead one since it was read. Until that lock
 * is back, a third process could take it, too.
 */
async function removeDeadLock(path: string): Promise<void> {
  const aside = `${path}-${randomUUID()}`;
  try {
    await rename(path, aside);
  } catch (error) {
    // Another process was faster.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  if (await findHolder(aside)) await linkUnlessExists(aside, path);
  await rm(aside, { force: true });
}

/** Copies where the file system has no hard links. */
async function linkUnlessExists(source: string, target: string): Promise<boolean> {
  const isExisting = (error: unknown) => (error as NodeJS.ErrnoException).code === 'EEXIST';
  try {
    await link(source, target).catch((error) => {
      if (isExisting(error)) throw error;
      return copyFile(source, target, constants.COPYFILE_EXCL);
    });
    return true;
  } catch (error) {
    if (isExisting(error)) return false;
    throw error;
  }
}

async function isOlderThanBoot(path: string): Promise<boolean> {
  const bootedAt = Date.now() - uptime() * 1_000;
  return await stat(path).then(
    ({ mtimeMs }) => mtimeMs < bootedAt,
    () => true,
  );
}

function isRunning(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0 || pid === process.pid) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function lockPathOf(name: string): string {
  return join(stateFolder(), `${name}.lock`);
}

function parseLine<Line>(text: string): Line | undefined {
  try {
    return JSON.parse(text) as Line;
  } catch {
    return undefined;
  }
}

import { type FileHandle, mkdir, open, readdir, readFile, rm, stat } from 'node:fs/promises';
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
 * got its id since the computer was restarted.
 */
async function acquireLock(name: string): Promise<void> {
  const path = lockPathOf(name);
  for (;;) {
    try {
      const lock = await open(path, 'wx', 0o600);
      await lock.writeFile(String(process.pid));
      return await lock.close();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const pid = Number(await readFile(path, 'utf8').catch(() => ''));
    if (isRunning(pid) && !(await isOlderThanBoot(path)))
      throw new CommandError(
        EXIT.failed,
        `Process ${pid} is already working on this transfer. Stop it, or wait until it has finished.`,
      );
    await rm(path, { force: true });
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

import { type FileHandle, mkdir, open, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { CommandError, EXIT } from './http/errors.ts';
import { stateFolder } from './places.ts';

/**
 * What an unfinished transfer has come to, one JSON object a line, only ever appended: a hundred thousand files are
 * not written again for each thousand that moved. A line that a crash cut off is as if it had not been. Only its
 * owner may read it.
 */
export class LineFile<Line> {
  readonly #name: string;
  readonly #file: FileHandle;

  private constructor(name: string, file: FileHandle) {
    this.#name = name;
    this.#file = file;
  }

  /** Makes it, or goes on with it. Throws CommandError while another process does. */
  static async open<Line>(name: string): Promise<LineFile<Line>> {
    await mkdir(stateFolder(), { recursive: true, mode: 0o700 });
    await takeLock(name);
    const file = await open(join(stateFolder(), name), 'a', 0o600);
    // What a crash cut off stays a line of its own.
    if ((await file.stat()).size > 0) await file.appendFile('\n');
    return new LineFile<Line>(name, file);
  }

  async write(...lines: Line[]): Promise<void> {
    await this.#file.appendFile(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  }

  async close(): Promise<void> {
    await this.#file.close();
    await rm(lockOf(this.#name), { force: true });
  }

  /** It is through. */
  async remove(): Promise<void> {
    await removeLineFile(this.#name);
    await this.close();
  }
}

/** Names of all that end so. */
export async function listLineFiles(ending: string): Promise<string[]> {
  const names = await readdir(stateFolder()).catch(() => []);
  return names.filter((name) => name.endsWith(ending));
}

export async function readLineFile<Line>(name: string): Promise<Line[]> {
  const text = await readFile(join(stateFolder(), name), 'utf8').catch(() => '');
  return text.split('\n').flatMap((line) => parseLine<Line>(line) ?? []);
}

export async function removeLineFile(name: string): Promise<void> {
  await rm(join(stateFolder(), name), { force: true });
}

/** Two that go on with the same transfer would undo each other's work. A lock of who is gone does not count. */
async function takeLock(name: string): Promise<void> {
  const path = lockOf(name);
  for (;;) {
    try {
      const lock = await open(path, 'wx', 0o600);
      await lock.writeFile(String(process.pid));
      return await lock.close();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const pid = Number(await readFile(path, 'utf8').catch(() => ''));
    if (isRunning(pid)) throw new CommandError(EXIT.failed, `Process ${pid} is at this transfer already.`);
    await rm(path, { force: true });
  }
}

function isRunning(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0 || pid === process.pid) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function lockOf(name: string): string {
  return join(stateFolder(), `${name}.lock`);
}

function parseLine<Line>(text: string): Line | undefined {
  try {
    return JSON.parse(text) as Line;
  } catch {
    return undefined;
  }
}

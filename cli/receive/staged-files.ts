import { createHash, type Hash } from 'node:crypto';
import { type FileHandle, link, lstat, mkdir, open, realpath, rename, rm, unlink } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { crc32 } from 'node:zlib';
import { CommandError, EXIT } from '../../command-line/exit-codes.ts';
import { countOf } from '../../contracts/values/format.ts';
import { toOneLine } from '../progress/words.ts';

const MAX_NAMES_SHOWN = 5;
const REREAD_BYTES = 1024 * 1024;

/** A partly received file with its running checksums. */
export class StagedFile {
  readonly #file: FileHandle;
  readonly #sha256: Hash = createHash('sha256');
  #crc32 = 0;
  #length = 0;

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  /** Creates the file, or continues after its first `keepBytes`, which it reads once for the checksums. */
  static async open(path: string, keepBytes = 0): Promise<StagedFile> {
    await mkdir(dirname(path), { recursive: true });
    const staged = new StagedFile(await open(path, keepBytes > 0 ? 'r+' : 'w+'));
    try {
      await staged.#rereadTo(keepBytes);
      if (keepBytes > 0) await staged.#file.truncate(keepBytes);
      return staged;
    } catch (error) {
      await staged.close();
      throw error;
    }
  }

  /** Bytes. */
  get length(): number {
    return this.#length;
  }

  async write(bytes: Buffer): Promise<void> {
    const writing = this.#writeAll(bytes);
    // Hash while the system writes.
    this.#updateSums(bytes);
    await writing;
    this.#length += bytes.length;
  }

  /** Of all bytes written so far. */
  sums(): { crc32: number; sha256: string } {
    return { crc32: this.#crc32, sha256: this.#sha256.copy().digest('hex') };
  }

  async close(): Promise<void> {
    await this.#file.close();
  }

  async #writeAll(bytes: Buffer): Promise<void> {
    for (let done = 0; done < bytes.length; ) {
      const { bytesWritten } = await this.#file.write(bytes, done, bytes.length - done, this.#length + done);
      done += bytesWritten;
    }
  }

  async #rereadTo(end: number): Promise<void> {
    const buffer = Buffer.allocUnsafe(REREAD_BYTES);
    while (this.#length < end) {
      const wanted = Math.min(REREAD_BYTES, end - this.#length);
      const { bytesRead } = await this.#file.read(buffer, 0, wanted, this.#length);
      if (bytesRead === 0) throw new Error('A file that was being received has become shorter.');
      this.#updateSums(buffer.subarray(0, bytesRead));
      this.#length += bytesRead;
    }
  }

  #updateSums(bytes: Buffer): void {
    this.#sha256.update(bytes);
    this.#crc32 = crc32(bytes, this.#crc32);
  }
}

/** Throws CommandError if one of the files already exists in the folder. */
export async function requireUnused(folder: string, names: readonly string[]): Promise<void> {
  const existing: string[] = [];
  for (const name of names) if (await exists(join(folder, name))) existing.push(name);
  if (existing.length === 0) return;
  throw new CommandError(
    EXIT.failed,
    `Already in ${folder}: ${describeNames(existing)}. Nothing was overwritten. To overwrite, add --force.`,
    { existing },
  );
}

export function describeNames(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMES_SHOWN).map(toOneLine).join(', ');
  return names.length > MAX_NAMES_SHOWN
    ? `${shown} and ${countOf(names.length - MAX_NAMES_SHOWN, 'file')} more`
    : shown;
}

type Move = { from: string; to: string; isForced: boolean };

/** Overwrites files only if forced. Throws CommandError. */
export async function moveIntoPlace({ from, to, isForced }: Move, names: readonly string[]): Promise<void> {
  if (!isForced) await requireUnused(to, await listStaged(from, names));
  const root = await realpath(to);
  const checkedFolders = new Set<string>();
  for (const name of names) {
    const target = join(to, name);
    const source = join(from, name);
    // An earlier run may have moved this file before it was stopped.
    if (!(await exists(source))) continue;
    if (!checkedFolders.has(dirname(target))) {
      await createFolderInside(root, dirname(target));
      checkedFolders.add(dirname(target));
    }
    await moveFile(source, target, isForced);
  }
  await rm(from, { recursive: true, force: true });
}

async function listStaged(from: string, names: readonly string[]): Promise<string[]> {
  const staged: string[] = [];
  for (const name of names) if (await exists(join(from, name))) staged.push(name);
  return staged;
}

/** Throws CommandError if the path leads out of `root` through a symbolic link. */
async function createFolderInside(root: string, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const real = await realpath(folder);
  if (real === root || real.startsWith(root.endsWith(sep) ? root : root + sep)) return;
  throw new CommandError(
    EXIT.failed,
    `${folder} leads out of ${root} through a symbolic link. Nothing was written there.`,
  );
}

/**
 * Uses link and unlink, because rename would overwrite an existing file. Renames if the file system has no hard
 * links.
 */
async function moveFile(source: string, target: string, isForced: boolean): Promise<void> {
  if (isForced) return await rename(source, target);
  try {
    await link(source, target);
    await unlink(source);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST')
      throw new CommandError(EXIT.failed, `${target} already exists. To overwrite it, add --force.`);
    if (code === 'ENOENT') throw error;
    if (await exists(target)) throw new CommandError(EXIT.failed, `${target} already exists.`);
    await rename(source, target);
  }
}

async function exists(path: string): Promise<boolean> {
  return await lstat(path).then(
    () => true,
    () => false,
  );
}

import { createHash, type Hash } from 'node:crypto';
import { type FileHandle, link, lstat, mkdir, open, realpath, rename, rm, unlink } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { crc32 } from 'node:zlib';
import { CommandError, EXIT } from '../../command-line/exit-codes.ts';
import { countOf } from '../../contracts/values/format.ts';
import { toOneLine } from '../progress/words.ts';

const MAX_NAMES_SHOWN = 5;
const REREAD_BYTES = 1024 * 1024;
/** Pieces from the network are written together, because each write costs about as much as its bytes. */
const WRITE_BYTES = 1024 * 1024;

type OpenOptions = {
  /** Continues after this many bytes of the file. */
  keepBytes?: number;
  /** Whether `sums` has a CRC-32. */
  hasCrc32?: boolean;
};

/** A partly received file with its running checksums. */
export class StagedFile {
  readonly #file: FileHandle;
  readonly #sha256: Hash = createHash('sha256');
  #crc32: number | undefined;
  /** Received but not yet passed to the system. */
  #pieces: Buffer[] = [];
  #received = 0;
  #passedOn = 0;
  #writing: Promise<void> = Promise.resolve();

  private constructor(file: FileHandle, hasCrc32: boolean) {
    this.#file = file;
    if (hasCrc32) this.#crc32 = 0;
  }

  /** Creates the file, or continues after its first `keepBytes`, which it reads once for the checksums. */
  static async open(
    path: string,
    { keepBytes = 0, hasCrc32 = false }: OpenOptions = {},
  ): Promise<StagedFile> {
    await mkdir(dirname(path), { recursive: true });
    const staged = new StagedFile(await open(path, keepBytes > 0 ? 'r+' : 'w+'), hasCrc32);
    try {
      await staged.#rereadTo(keepBytes);
      if (keepBytes > 0) await staged.#file.truncate(keepBytes);
      return staged;
    } catch (error) {
      await staged.close();
      throw error;
    }
  }

  /** Bytes received so far, including those that are still to be written. */
  get length(): number {
    return this.#received;
  }

  /** `bytes` are written later, so they must not change. Throws the error of an earlier write. */
  async write(bytes: Buffer): Promise<void> {
    this.#count(bytes);
    this.#pieces.push(bytes);
    if (this.#received - this.#passedOn >= WRITE_BYTES) await this.#passOn();
  }

  /** Resolves when the system has all bytes. */
  async flush(): Promise<void> {
    await this.#passOn();
    await this.#writing;
  }

  /** Of all bytes received so far. */
  sums(): { crc32: number | undefined; sha256: string } {
    return { crc32: this.#crc32, sha256: this.#sha256.copy().digest('hex') };
  }

  /** Writes what was received, so that a later run can continue there. Call `flush` to learn whether that worked. */
  async close(): Promise<void> {
    await this.flush().catch(() => undefined);
    await this.#file.close();
  }

  /** One write at a time: a file that was interrupted has no holes. More pieces arrive and are hashed meanwhile. */
  async #passOn(): Promise<void> {
    await this.#writing;
    const pieces = this.#pieces;
    const position = this.#passedOn;
    this.#pieces = [];
    this.#passedOn = this.#received;
    this.#writing = this.#writeAll(pieces, position);
    // The next write or flush throws the error.
    this.#writing.catch(() => undefined);
  }

  async #writeAll(pieces: Buffer[], start: number): Promise<void> {
    let position = start;
    for (let rest = pieces; rest.length > 0; ) {
      const { bytesWritten } = await this.#file.writev(rest, position);
      position += bytesWritten;
      rest = dropBytes(rest, bytesWritten);
    }
  }

  async #rereadTo(end: number): Promise<void> {
    const buffer = Buffer.allocUnsafe(REREAD_BYTES);
    while (this.#received < end) {
      const wanted = Math.min(REREAD_BYTES, end - this.#received);
      const { bytesRead } = await this.#file.read(buffer, 0, wanted, this.#received);
      if (bytesRead === 0) throw new Error('A file that was being received has become shorter.');
      this.#count(buffer.subarray(0, bytesRead));
      this.#passedOn = this.#received;
    }
  }

  #count(bytes: Buffer): void {
    this.#sha256.update(bytes);
    if (this.#crc32 !== undefined) this.#crc32 = crc32(bytes, this.#crc32);
    this.#received += bytes.length;
  }
}

function dropBytes(pieces: Buffer[], count: number): Buffer[] {
  let left = count;
  const index = pieces.findIndex(({ length }) => {
    if (length > left) return true;
    left -= length;
    return false;
  });
  return index === -1 ? [] : [pieces[index]!.subarray(left), ...pieces.slice(index + 1)];
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

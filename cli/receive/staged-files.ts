import { createHash, type Hash } from 'node:crypto';
import {
  closeSync,
  fchmodSync,
  fstatSync,
  ftruncateSync,
  futimesSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  read,
  realpathSync,
  renameSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { crc32 } from 'node:zlib';
import { CommandError, EXIT } from '../../command-line/exit-codes.ts';
import { countOf } from '../../contracts/values/format.ts';
import { toOneLine } from '../progress/words.ts';

const MAX_NAMES_SHOWN = 5;
const REREAD_BYTES = 1024 * 1024;
/**
 * Of one write. Virtual machines that return free memory to their host need several times as long for larger ones,
 * because Linux caches those in larger pieces of memory, which it must fetch from the host again.
 */
const WRITE_BYTES = 64 * 1024;
/** Handle signals and redraw the progress after this many files. */
const FILES_PER_TURN = 200;

const READ_BITS = 0o444;
const MAX_MODE = 0o755;

const readInThread = promisify(read);

type OpenOptions = {
  /** Continues after this many bytes of the file. */
  keepBytes?: number;
  /** Whether `sums` returns a CRC-32. */
  hasCrc32?: boolean;
};

/**
 * A partly received file with its running checksums. Opens, writes and closes it synchronously: that costs less than
 * handing the bytes to a thread.
 */
export class StagedFile {
  readonly #file: number;
  readonly #sha256: Hash = createHash('sha256');
  #crc32: number | undefined;
  #length = 0;

  private constructor(file: number, hasCrc32: boolean) {
    this.#file = file;
    if (hasCrc32) this.#crc32 = 0;
  }

  /** Creates the file, or continues after its first `keepBytes`, which it reads once for the checksums. */
  static async open(
    path: string,
    { keepBytes = 0, hasCrc32 = false }: OpenOptions = {},
  ): Promise<StagedFile> {
    mkdirSync(dirname(path), { recursive: true });
    const staged = new StagedFile(openSync(path, keepBytes > 0 ? 'r+' : 'w+'), hasCrc32);
    try {
      if (keepBytes > 0) await staged.#reread(keepBytes);
      return staged;
    } catch (error) {
      staged.close();
      throw error;
    }
  }

  /** Bytes received so far. */
  get length(): number {
    return this.#length;
  }

  write(bytes: Buffer): void {
    for (let start = 0; start < bytes.length; ) {
      const size = Math.min(WRITE_BYTES, bytes.length - start);
      start += writeSync(this.#file, bytes, start, size, this.#length + start);
    }
    this.#count(bytes);
  }

  /** Of all bytes. Can be called once. */
  sums(): { crc32: number | undefined; sha256: string } {
    return { crc32: this.#crc32, sha256: this.#sha256.digest('hex') };
  }

  /** Epoch milliseconds. Moving the file into place keeps it. Does nothing where the file system has no such time. */
  setModifiedAt(time: number): void {
    // Node replaces a negative number with the current time.
    const date = new Date(time);
    ignoreRefusal(() => futimesSync(this.#file, date, date));
  }

  /** For everybody who may read it, like `chmod +x`. Does nothing where files cannot be executable. */
  makeExecutable(): void {
    const { mode } = fstatSync(this.#file);
    const executeBits = (mode & READ_BITS) >> 2;
    ignoreRefusal(() => fchmodSync(this.#file, (mode | executeBits) & MAX_MODE));
  }

  close(): void {
    closeSync(this.#file);
  }

  async #reread(end: number): Promise<void> {
    const buffer = Buffer.allocUnsafe(REREAD_BYTES);
    while (this.#length < end) {
      const wanted = Math.min(REREAD_BYTES, end - this.#length);
      const { bytesRead } = await readInThread(this.#file, buffer, 0, wanted, this.#length);
      if (bytesRead === 0) throw new Error('A file that was being received has become shorter.');
      this.#count(buffer.subarray(0, bytesRead));
    }
    ftruncateSync(this.#file, end);
  }

  #count(bytes: Buffer): void {
    this.#sha256.update(bytes);
    if (this.#crc32 !== undefined) this.#crc32 = crc32(bytes, this.#crc32);
    this.#length += bytes.length;
  }
}

/** File systems differ in the times and permissions they can store, and the bytes matter more. */
function ignoreRefusal(set: () => void): void {
  try {
    set();
  } catch (error) {
    if (
      !['EINVAL', 'EOVERFLOW', 'EPERM', 'ENOTSUP', 'ENOSYS'].includes(
        String((error as NodeJS.ErrnoException).code),
      )
    )
      throw error;
  }
}

/** Throws CommandError if one of the files already exists in the folder. */
export async function requireUnused(folder: string, names: readonly string[]): Promise<void> {
  const existing = await listExisting(folder, names);
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
  // An earlier run may have moved some files before it was stopped.
  const staged = await listExisting(from, names);
  if (!isForced) await requireUnused(to, staged);
  const root = realpathSync(to);
  const checkedFolders = new Set<string>();
  await forEachName(staged, (name) => {
    const target = join(to, name);
    const folder = dirname(target);
    if (!checkedFolders.has(folder)) createFolderInside(root, folder);
    checkedFolders.add(folder);
    moveFile(join(from, name), target, isForced);
  });
  await rm(from, { recursive: true, force: true });
}

async function listExisting(folder: string, names: readonly string[]): Promise<string[]> {
  const existing: string[] = [];
  await forEachName(names, (name) => {
    if (exists(join(folder, name))) existing.push(name);
  });
  return existing;
}

/** Synchronous calls are several times as fast for many files. The pauses keep the command responsive. */
async function forEachName(names: readonly string[], run: (name: string) => void): Promise<void> {
  for (const [index, name] of names.entries()) {
    if (index % FILES_PER_TURN === FILES_PER_TURN - 1) await nextTurn();
    run(name);
  }
}

/** Throws CommandError if the path leads out of `root` through a symbolic link. */
function createFolderInside(root: string, folder: string): void {
  mkdirSync(folder, { recursive: true });
  const real = realpathSync(folder);
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
function moveFile(source: string, target: string, isForced: boolean): void {
  if (isForced) {
    renameSync(source, target);
    return;
  }
  try {
    linkSync(source, target);
    unlinkSync(source);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST')
      throw new CommandError(EXIT.failed, `${target} already exists. To overwrite it, add --force.`);
    if (code === 'ENOENT') throw error;
    if (exists(target)) throw new CommandError(EXIT.failed, `${target} already exists.`);
    renameSync(source, target);
  }
}

function exists(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

import { SaveError } from '../failures.ts';
import { openFileSink } from './file-sink.ts';
import { type Sink, writing } from './sink.ts';

const MOST_NAMES = 1_000;

/** How many files may still be closing when the next one is opened. */
export const MOST_CLOSING = 4;

/** A new folder in one that the user chose, so that no file of theirs is replaced. */
export class TargetFolder {
  readonly root: FileSystemDirectoryHandle;
  readonly #folders = new Map<string, Promise<FileSystemDirectoryHandle>>();

  constructor(root: FileSystemDirectoryHandle) {
    this.root = root;
  }

  static create(parent: FileSystemDirectoryHandle, name: string): Promise<TargetFolder> {
    return writing(async () => {
      for (let number = 1; number <= MOST_NAMES; number += 1) {
        const numbered = number === 1 ? name : `${name} (${number})`;
        if (await exists(parent, numbered)) continue;
        return new TargetFolder(await findFolder(parent, numbered, true));
      }
      throw new SaveError({ kind: 'unwritable', reason: name });
    });
  }

  get name(): string {
    return this.root.name;
  }

  async open(path: string): Promise<Sink> {
    const at = path.lastIndexOf('/');
    return writing(async () => {
      const folder = await this.#folder(path.slice(0, Math.max(0, at)));
      return openFileSink(await findFile(folder, path.slice(at + 1), true));
    });
  }

  /**
   * How many of these files, which are opened in this order, are complete: a file has no bytes until it is closed. Up to
   * MOST_CLOSING after the first incomplete one may be complete.
   */
  async countComplete(files: readonly { path: string; size: number }[]): Promise<number> {
    let [low, high] = [0, files.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (await this.#isComplete(files[middle]!)) low = middle + 1;
      else high = middle;
    }
    let count = Math.max(0, low - 1 - MOST_CLOSING);
    while (count < low && (await this.#isComplete(files[count]!))) count += 1;
    return count;
  }

  async #isComplete({ path, size }: { path: string; size: number }): Promise<boolean> {
    try {
      let folder = this.root;
      const names = path.split('/');
      const name = names.pop()!;
      for (const each of names) folder = await findFolder(folder, each, false);
      const handle = await findFile(folder, name, false);
      return (await handle.getFile()).size === size;
    } catch {
      return false;
    }
  }

  #folder(path: string): Promise<FileSystemDirectoryHandle> {
    if (path === '') return Promise.resolve(this.root);
    const known = this.#folders.get(path);
    if (known) return known;
    const at = path.lastIndexOf('/');
    const folder = this.#folder(path.slice(0, Math.max(0, at))).then((parent) =>
      findFolder(parent, path.slice(at + 1), true),
    );
    this.#folders.set(path, folder);
    return folder;
  }
}

async function exists(parent: FileSystemDirectoryHandle, name: string): Promise<boolean> {
  try {
    await findFolder(parent, name, false);
    return true;
  } catch (error) {
    return (error as Error).name !== 'NotFoundError';
  }
}

function findFolder(parent: FileSystemDirectoryHandle, name: string, create: boolean) {
  return withAllowedName(name, (allowed) => parent.getDirectoryHandle(allowed, { create }));
}

function findFile(parent: FileSystemDirectoryHandle, name: string, create: boolean) {
  return withAllowedName(name, (allowed) => parent.getFileHandle(allowed, { create }));
}

/** Chromium refuses some names, such as those that end in `.lnk` or `.local`, with a TypeError. */
async function withAllowedName<Handle>(
  name: string,
  find: (name: string) => Promise<Handle>,
): Promise<Handle> {
  try {
    return await find(name);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return find(`${name}_`);
  }
}

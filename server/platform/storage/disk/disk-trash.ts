import type { Dirent } from 'node:fs';
import { mkdir, opendir, readdir, rename, rmdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DAY_MS } from '../../../../contracts/values/durations.ts';
import { dayOf } from '../../lib/clock.ts';
import type { TrashedBlob } from '../blob-store.ts';
import { isStorageKey, isThere, locateBlob, NOTES_SUFFIX, unlinkIfThere } from './blob-files.ts';
import { isMissing } from './disk-errors.ts';
import type { DiskFolders } from './disk-syncs.ts';

/** Inside the blobs' folder, so that it is on the same file system even if that is a mount point. */
export const TRASH_FOLDER = 'trash';

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/**
 * `<root>/trash/<UTC day>/<key>`. The day is in the path because timestamps may not survive a crash together
 * with the new name.
 */
export class DiskTrash {
  readonly #root: string;
  readonly #trash: string;
  readonly #folders: DiskFolders;

  constructor(root: string, folders: DiskFolders) {
    this.#root = root;
    this.#trash = join(root, TRASH_FOLDER);
    this.#folders = folders;
  }

  /**
   * Moves the notes first: the blob stays listed until the bytes have moved, so an interrupted move is
   * repeated.
   */
  async put(storageKey: string, now: number): Promise<void> {
    const from = locateBlob(this.#root, storageKey);
    const folder = join(this.#trash, dayOf(now));
    await this.#makeFolder(folder);
    await renameIfThere(from.notes, join(folder, storageKey + NOTES_SUFFIX));
    await renameIfThere(from.bytes, join(folder, storageKey));
    await this.#folders.sync(folder);
    await this.#folders.sync(from.folder).catch(ignoreMissing);
  }

  async *list(): AsyncGenerator<TrashedBlob> {
    for (const day of await this.#listDays()) {
      const folder = join(this.#trash, day);
      // The end of the day, so that no blob counts as older than it is.
      const trashedAt = Date.parse(day) + DAY_MS - 1;
      let count = 0;
      for await (const { name } of await opendir(folder)) {
        count += 1;
        if (!isStorageKey(name)) continue;
        const found = await stat(join(folder, name)).catch(() => undefined);
        if (found) yield { storageKey: name, sizeBytes: found.size, trashedAt };
      }
      if (count === 0) await rmdir(folder).catch(() => undefined);
    }
  }

  /** Never overwrites an existing blob. Moves the notes first, as in `put`. */
  async restore(storageKey: string): Promise<boolean> {
    const to = locateBlob(this.#root, storageKey);
    for (const day of await this.#listDays()) {
      const folder = join(this.#trash, day);
      const bytes = join(folder, storageKey);
      if (!(await isThere(bytes))) continue;
      await this.#folders.make(to.folder);
      const moves = [
        [bytes + NOTES_SUFFIX, to.notes],
        [bytes, to.bytes],
      ] as const;
      for (const [from, target] of moves) {
        if (await isThere(target)) await unlinkIfThere(from);
        else await renameIfThere(from, target);
      }
      await this.#folders.sync(to.folder);
      await this.#folders.sync(folder).catch(ignoreMissing);
      return true;
    }
    return false;
  }

  /** Deletes the bytes last, so that a crash leaves the blob listed. */
  async remove(storageKey: string): Promise<void> {
    for (const day of await this.#listDays()) {
      const bytes = join(this.#trash, day, storageKey);
      await unlinkIfThere(bytes + NOTES_SUFFIX);
      await unlinkIfThere(bytes);
    }
  }

  /** Not cached, because `list` removes empty folders. */
  async #makeFolder(folder: string): Promise<void> {
    const first = await mkdir(folder, { recursive: true, mode: 0o700 });
    if (first === undefined) return;
    await this.#folders.sync(dirname(folder));
    if (first !== folder) await this.#folders.sync(this.#root);
  }

  async #listDays(): Promise<string[]> {
    const entries = await readdir(this.#trash, { withFileTypes: true }).catch((error: unknown): Dirent[] => {
      if (isMissing(error)) return [];
      throw error;
    });
    return entries.filter((entry) => entry.isDirectory() && DAY.test(entry.name)).map(({ name }) => name);
  }
}

async function renameIfThere(from: string, to: string): Promise<void> {
  await rename(from, to).catch(ignoreMissing);
}

function ignoreMissing(error: unknown): void {
  if (!isMissing(error)) throw error;
}

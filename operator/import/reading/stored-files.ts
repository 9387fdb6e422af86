import { constants } from 'node:fs';
import { access, type FileHandle, lstat, open, realpath } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';

/** Why a file of the other product cannot be read. */
export class FileProblem extends Error {
  override name = 'FileProblem';
}

/**
 * The folder in which another product stores files. Locations come from its database and are not trusted: only regular
 * files inside the folder are opened, and no links.
 */
export class StoredFiles {
  readonly #folder: string;
  #realFolder: string | undefined;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Returns the size. Throws FileProblem. */
  async inspect(location: string[]): Promise<number> {
    const path = await this.#find(location);
    try {
      const found = await lstat(path);
      if (!found.isFile()) throw new FileProblem('it is not a regular file');
      await access(path, constants.R_OK);
      return found.size;
    } catch (error) {
      throw toProblem(error);
    }
  }

  /** Throws FileProblem. */
  async open(location: string[]): Promise<{ file: FileHandle; sizeBytes: number; modifiedAt: number }> {
    const path = await this.#find(location);
    try {
      const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
      const found = await file.stat();
      if (found.isFile()) return { file, sizeBytes: found.size, modifiedAt: Math.floor(found.mtimeMs) };
      await file.close();
    } catch (error) {
      throw toProblem(error);
    }
    throw new FileProblem('it is not a regular file');
  }

  async #find(location: string[]): Promise<string> {
    if (location.length === 0 || !location.every(isPlainSegment))
      throw new FileProblem('its place in the database is not a file name');
    const path = join(this.#folder, ...location);
    try {
      this.#realFolder ??= await realpath(this.#folder);
      const parent = await realpath(dirname(path));
      if (parent !== this.#realFolder && !parent.startsWith(this.#realFolder + sep))
        throw new FileProblem('it is outside of the folder');
    } catch (error) {
      throw toProblem(error);
    }
    return path;
  }
}

function isPlainSegment(segment: string): boolean {
  return segment !== '' && segment !== '.' && segment !== '..' && !/[/\\\0]/.test(segment);
}

const REASONS: Record<string, string> = {
  ENOENT: 'it is missing',
  ENOTDIR: 'it is missing',
  ELOOP: 'it is a link',
  EACCES: 'it may not be read',
  ENAMETOOLONG: 'its name is too long',
};

function toProblem(error: unknown): FileProblem {
  if (error instanceof FileProblem) return error;
  const { code = '' } = error as NodeJS.ErrnoException;
  return new FileProblem(REASONS[code] ?? `it cannot be read (${code || (error as Error).message})`);
}

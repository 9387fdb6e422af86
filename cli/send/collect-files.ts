import { opendir, realpath, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { MAX_FILES_PER_TRANSFER } from '../../contracts/plans/limits.ts';
import { isJunkFile, normalisePath } from '../../contracts/values/file-names.ts';
import { CommandError, EXIT, usageError } from '../exits.ts';
import { toOneLine } from '../progress/words.ts';

/** A file to be sent, as it was when it was found. */
export type SourceFile = {
  /** Absolute. */
  path: string;
  /** Folder path with the name, '/'-separated, as the recipient gets it. */
  relativePath: string;
  /** Bytes. */
  size: number;
  /** Of the last change, milliseconds with fractions. */
  mtimeMs: number;
};

type Collected = {
  files: SourceFile[];
  /** What was left out although it was asked for, each as a sentence. */
  notes: string[];
};

/**
 * The files at these paths, folders with all that is in them in the order of their names, each folder under its own
 * name. Files that systems leave behind are left out, as are links to folders (they may lead in circles) and what is
 * no file. Throws CommandError for a path that does not exist or cannot be read.
 */
export async function collectFiles(
  paths: readonly string[],
  { name }: { name?: string } = {},
): Promise<Collected> {
  const collected: Collected = { files: [], notes: [] };
  for (const path of paths) {
    const absolute = resolve(path);
    const root = name ?? (basename(absolute) || 'files');
    await collectAt(collected, { path: absolute, relativePath: root, isAsked: true });
  }
  if (collected.files.length === 0) throw usageError('There is no file to send there.');
  refuseLongPaths(collected.files);
  return collected;
}

type Place = { path: string; relativePath: string; isAsked: boolean };

async function collectAt(collected: Collected, place: Place): Promise<void> {
  const { path, relativePath } = place;
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (place.isAsked) throw usageError(`${path}: ${readableReason(error)}.`);
    collected.notes.push(`Left out ${path}: ${readableReason(error)}.`);
    return undefined;
  });
  if (!found) return;
  if (found.isDirectory()) return await collectFolder(collected, place);
  if (!found.isFile()) {
    const note = `${path} is neither a file nor a folder.`;
    if (place.isAsked) throw usageError(note);
    return void collected.notes.push(`Left out: ${note}`);
  }
  if (collected.files.length >= MAX_FILES_PER_TRANSFER)
    throw new CommandError(EXIT.refused, `A transfer has at most ${MAX_FILES_PER_TRANSFER} files.`);
  collected.files.push({ path, relativePath, size: found.size, mtimeMs: found.mtimeMs });
}

async function collectFolder(collected: Collected, { path, relativePath }: Place): Promise<void> {
  const names: { name: string; isLink: boolean }[] = [];
  try {
    for await (const entry of await opendir(path))
      if (!isJunkFile(entry.name)) names.push({ name: entry.name, isLink: entry.isSymbolicLink() });
  } catch (error) {
    throw new CommandError(EXIT.failed, `${path}: ${readableReason(error as NodeJS.ErrnoException)}.`);
  }
  names.sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const { name, isLink } of names) {
    const child = { path: join(path, name), relativePath: `${relativePath}/${name}`, isAsked: false };
    if (isLink && (await leadsToFolder(child.path)))
      collected.notes.push(`Left out ${child.path}: it is a link to a folder.`);
    else await collectAt(collected, child);
  }
}

async function leadsToFolder(path: string): Promise<boolean> {
  const target = await realpath(path).catch(() => undefined);
  return target !== undefined && (await stat(target)).isDirectory();
}

/** The server would refuse them one batch after another. */
function refuseLongPaths(files: readonly SourceFile[]): void {
  const long = files.find(({ relativePath }) => normalisePath(relativePath) === undefined);
  if (long)
    throw new CommandError(
      EXIT.refused,
      `This path is too deep or too long: ${toOneLine(long.relativePath)}`,
    );
}

export function readableReason({ code, message }: NodeJS.ErrnoException): string {
  if (code === 'ENOENT') return 'there is no such file or folder';
  if (code === 'EACCES' || code === 'EPERM') return 'it may not be read';
  return message;
}

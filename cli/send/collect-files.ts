import type { Stats } from 'node:fs';
import { opendir, realpath, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { CommandError, EXIT, usageError } from '../../command-line/exit-codes.ts';
import { MAX_FILES_PER_TRANSFER } from '../../contracts/plans/limits.ts';
import { formatCount } from '../../contracts/values/format.ts';
import { isJunkFile, normalisePath } from '../../contracts/values/names/file-names.ts';
import { toOneLine } from '../progress/words.ts';

/** Size and time are those at the time of collection. */
export type SourceFile = {
  /** Absolute. */
  path: string;
  /** Path that the recipient sees, '/'-separated. */
  relativePath: string;
  /** Bytes. */
  size: number;
  /** Modification time in milliseconds, with fractions. */
  mtimeMs: number;
  /** Whether anybody may execute it. */
  isExecutable?: true;
  /** Its name on the server, if it is sent encrypted. */
  fileId?: string;
};

type Collected = {
  files: SourceFile[];
  /** One sentence for each skipped file or folder. */
  notes: string[];
};

/**
 * Collects files, and all files of folders in the order of their names. `name` replaces the name of the file or
 * folder. Skips junk files such as .DS_Store, links to folders (which may be circular) and special files. Throws
 * CommandError for a path that does not exist or cannot be read.
 */
export async function collectFiles(
  paths: readonly string[],
  { name }: { name?: string } = {},
): Promise<Collected> {
  const collected: Collected = { files: [], notes: [] };
  for (const path of paths) {
    const absolute = resolve(path);
    const root = name ?? (basename(absolute) || 'files');
    await collectAt(collected, { path: absolute, relativePath: root, isGiven: true });
  }
  if (collected.files.length === 0) throw usageError('There are no files to send.');
  requireShortPaths(collected.files);
  return collected;
}

type Place = { path: string; relativePath: string; isGiven: boolean };

async function collectAt(collected: Collected, place: Place): Promise<void> {
  const { path, relativePath } = place;
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (place.isGiven) throw usageError(`${path}: ${readableReason(error)}.`);
    collected.notes.push(`Skipped ${path}: ${readableReason(error)}.`);
    return undefined;
  });
  if (!found) return;
  if (found.isDirectory()) return await collectFolder(collected, place);
  if (!found.isFile()) {
    const note = `${path} is neither a file nor a folder.`;
    if (place.isGiven) throw usageError(note);
    return void collected.notes.push(`Skipped: ${note}`);
  }
  if (collected.files.length >= MAX_FILES_PER_TRANSFER)
    throw new CommandError(
      EXIT.refused,
      `A transfer can have at most ${formatCount(MAX_FILES_PER_TRANSFER)} files.`,
    );
  collected.files.push({ path, relativePath, ...describeSource(found) });
}

const EXECUTE_BITS = 0o111;

/** What a file's recipient gets besides its bytes. Windows has no executable bits. */
export function describeSource({ size, mtimeMs, mode }: Stats): Omit<SourceFile, 'path' | 'relativePath'> {
  const isExecutable = process.platform !== 'win32' && (mode & EXECUTE_BITS) !== 0;
  return { size, mtimeMs, ...(isExecutable && { isExecutable }) };
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
    const child = { path: join(path, name), relativePath: `${relativePath}/${name}`, isGiven: false };
    if (isLink && (await isLinkToFolder(child.path)))
      collected.notes.push(`Skipped ${child.path}: it is a link to a folder.`);
    else await collectAt(collected, child);
  }
}

async function isLinkToFolder(path: string): Promise<boolean> {
  const target = await realpath(path).catch(() => undefined);
  return target !== undefined && (await stat(target)).isDirectory();
}

/** Fail before sending: the server would reject these only batch by batch. */
function requireShortPaths(files: readonly SourceFile[]): void {
  const long = files.find(({ relativePath }) => normalisePath(relativePath) === undefined);
  if (long)
    throw new CommandError(
      EXIT.refused,
      `This path is too deep or too long: ${toOneLine(long.relativePath)}`,
    );
}

export function readableReason({ code, message }: NodeJS.ErrnoException): string {
  if (code === 'ENOENT') return 'no such file or folder';
  if (code === 'EACCES' || code === 'EPERM') return 'permission denied';
  return message;
}

const TYPES: Record<string, string> = {
  txt: 'text/plain',
  md: 'text/plain',
  csv: 'text/csv',
  html: 'text/html',
  json: 'application/json',
  pdf: 'application/pdf',
  zip: 'application/zip',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  png: 'image/png',
  gif: 'image/gif',
  webp: 'image/webp',
  avif: 'image/avif',
  svg: 'image/svg+xml',
  mp3: 'audio/mpeg',
  m4a: 'audio/mp4',
  ogg: 'audio/ogg',
  wav: 'audio/wav',
  flac: 'audio/flac',
  mp4: 'video/mp4',
  mov: 'video/quicktime',
  webm: 'video/webm',
};

export function mimeTypeOf(fileName: string): string {
  const extension = fileName.slice(fileName.lastIndexOf('.') + 1).toLowerCase();
  return TYPES[extension] ?? 'application/octet-stream';
}

import { linkSync, lstatSync, mkdirSync, realpathSync, renameSync, unlinkSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { CommandError, EXIT } from '../../../command-line/exit-codes.ts';
import { countOf } from '../../../contracts/values/format.ts';
import { toOneLine } from '../../progress/words.ts';

const MAX_NAMES_SHOWN = 5;
/** Handle signals and redraw the progress after this many files. */
const FILES_PER_TURN = 200;

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

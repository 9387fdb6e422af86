import { link, lstat, mkdir, realpath, rename, rm, unlink } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { CommandError, EXIT } from '../http/errors.ts';
import { countFiles, toOneLine } from '../progress/words.ts';

const SHOWN = 5;

/** Throws CommandError when one of the names is taken in the folder. */
export async function refuseTaken(folder: string, names: readonly string[]): Promise<void> {
  const taken: string[] = [];
  for (const name of names) if (await isThere(join(folder, name))) taken.push(name);
  if (taken.length === 0) return;
  throw new CommandError(
    EXIT.failed,
    `There already is ${describeNames(taken)} in ${folder}. Nothing was overwritten; --force does.`,
    { existing: taken },
  );
}

/** The first few of the names, and how many more there are. */
export function describeNames(names: readonly string[]): string {
  const shown = names.slice(0, SHOWN).map(toOneLine).join(', ');
  return names.length > SHOWN ? `${shown} and ${countFiles(names.length - SHOWN)} more` : shown;
}

type Move = { from: string; to: string; isForced: boolean };

/** Moves what is whole to its place; what was there stays, unless forced. Throws CommandError. */
export async function settleFiles({ from, to, isForced }: Move, names: readonly string[]): Promise<void> {
  if (!isForced) await refuseTaken(to, await stillStaged(from, names));
  const root = await realpath(to);
  const known = new Set<string>();
  for (const name of names) {
    const target = join(to, name);
    const source = join(from, name);
    // An earlier run may have been ended here.
    if (!(await isThere(source))) continue;
    if (!known.has(dirname(target))) {
      await makeFolderInside(root, dirname(target));
      known.add(dirname(target));
    }
    await moveFile(source, target, isForced);
  }
  await rm(from, { recursive: true, force: true });
}

async function stillStaged(from: string, names: readonly string[]): Promise<string[]> {
  const staged: string[] = [];
  for (const name of names) if (await isThere(join(from, name))) staged.push(name);
  return staged;
}

/** A link that lies there could lead anywhere. */
async function makeFolderInside(root: string, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const real = await realpath(folder);
  if (real === root || real.startsWith(root.endsWith(sep) ? root : root + sep)) return;
  throw new CommandError(EXIT.failed, `${folder} leads out of ${root}: nothing is written there.`);
}

/** A hard link refuses a name that is taken, which a rename does not; some file systems have none. */
async function moveFile(source: string, target: string, isForced: boolean): Promise<void> {
  if (isForced) return await rename(source, target);
  try {
    await link(source, target);
    await unlink(source);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST')
      throw new CommandError(EXIT.failed, `${target} is there already; --force overwrites it.`);
    if (code === 'ENOENT') throw error;
    if (await isThere(target)) throw new CommandError(EXIT.failed, `${target} is there already.`);
    await rename(source, target);
  }
}

async function isThere(path: string): Promise<boolean> {
  return await lstat(path).then(
    () => true,
    () => false,
  );
}

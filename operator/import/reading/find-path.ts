import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { CommandError, EXIT } from '../../../command-line/exit-codes.ts';

/** The first of these paths below the folder. Throws CommandError that names what was looked for. */
export async function findPath(folder: string, candidates: string[], what: string): Promise<string> {
  const path = await findOptionalPath(folder, candidates);
  if (path !== undefined) return path;
  throw new CommandError(
    EXIT.failed,
    `There is no ${what} in ${folder}. Looked for ${candidates.join(', ')}.`,
  );
}

export async function findOptionalPath(folder: string, candidates: string[]): Promise<string | undefined> {
  for (const candidate of candidates) {
    const path = join(folder, candidate);
    if (await stat(path).catch(() => undefined)) return path;
  }
  return undefined;
}

import {
  byteLength,
  cleanPath,
  NAMES_PER_STEP,
  numberNamesInSteps,
  runSteps,
} from '../values/names/unique-names.ts';

/** The path limit of common systems; the format allows 65,535. */
const PATH_BYTES_MAX = 4096;

/**
 * Names are '/'-separated, relative, safe to extract and unique, in the order given. Linear; yields every few
 * milliseconds.
 */
export function* nameEntriesInSteps(given: readonly string[]): Generator<void, string[]> {
  const paths: string[] = [];
  for (const path of given) {
    paths.push(dropOuterFolders(cleanPath(path)));
    if (paths.length % NAMES_PER_STEP === 0) yield;
  }
  return yield* numberNamesInSteps(paths);
}

/** For few files. */
export function nameEntries(files: readonly { path: string }[]): string[] {
  return runSteps(nameEntriesInSteps(files.map(({ path }) => path)));
}

function dropOuterFolders(path: string): string {
  if (path.length * 3 <= PATH_BYTES_MAX) return path;
  const parts = path.split('/');
  let length = byteLength(path);
  while (length > PATH_BYTES_MAX) length -= byteLength(parts.shift()!) + 1;
  return parts.join('/');
}

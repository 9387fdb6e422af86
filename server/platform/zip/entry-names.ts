import {
  byteLength,
  cleanPath,
  NAMES_PER_STEP,
  numberNamesInSteps,
  runSteps,
} from '../../../contracts/values/unique-names.ts';

/** Far below the format's limit of 65,535; the path limit of common systems. */
const PATH_BYTES_MAX = 4096;

/**
 * One entry name per path, in order: '/'-separated, relative, safe to extract anywhere and unique by
 * `numberNamesInSteps`. Linear in the number of paths. Yields every few milliseconds so that the caller can yield the
 * event loop.
 */
export function* nameEntriesInSteps(given: readonly string[]): Generator<void, string[]> {
  const paths: string[] = [];
  for (const path of given) {
    paths.push(dropOuterFolders(cleanPath(path)));
    if (paths.length % NAMES_PER_STEP === 0) yield;
  }
  return yield* numberNamesInSteps(paths);
}

/** `nameEntriesInSteps` without pauses, for few files. */
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

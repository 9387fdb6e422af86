const PART_BYTES_MAX = 255;
/** Far below the format's 65,535 and what systems take for a path. */
const PATH_BYTES_MAX = 4096;
/** Kept free for the number when a name is numbered: " (100000)". */
const NUMBER_BYTES = 12;
const EXTENSION_LENGTH_MAX = 16;
const UNNAMED = 'unnamed';

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it replaces
const UNSAFE = /[\\\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;
/** `.`, `..`, and what Windows takes for them because it strips trailing dots and spaces. */
const ONLY_DOTS = /^[. ]*$/;
const DRIVE_LETTER = /^([A-Za-z]):/;

/** So many names are worked out between two yields of `nameEntriesInSteps`; a millisecond or two. */
const NAMES_PER_STEP = 500;

/**
 * One entry name per path, in order: '/'-separated, relative, harmless to extract anywhere (zip-slip), and
 * unique regardless of case, also against the folders that the other names imply. The second `a.txt` is
 * `a (2).txt`; a name that is the only one of its kind stays as it is. Linear in the number of paths, and yields
 * every few milliseconds so that the caller can let others run.
 */
export function* nameEntriesInSteps(given: readonly string[]): Generator<void, string[]> {
  const paths: string[] = [];
  const keys: string[] = [];
  const folders = new Set<string>();
  for (const path of given) {
    const clean = cleanPath(path);
    const key = foldCase(clean);
    paths.push(clean);
    keys.push(key);
    addFolders(folders, key);
    if (paths.length % NAMES_PER_STEP === 0) yield;
  }
  const wanted = new Set<string>();
  for (const key of keys) {
    wanted.add(key);
    if (wanted.size % (8 * NAMES_PER_STEP) === 0) yield;
  }
  const taken = new Set<string>();
  const numbers = new Map<string, number>();
  const isFree = (key: string) => !wanted.has(key) && !taken.has(key) && !folders.has(key);
  for (const [index, key] of keys.entries()) {
    if (index % NAMES_PER_STEP === 0) yield;
    if (taken.has(key) || folders.has(key)) {
      const name = yield* numberName(paths[index]!, numbers, isFree);
      paths[index] = name;
      taken.add(foldCase(name));
    } else taken.add(key);
  }
  return paths;
}

/** `nameEntriesInSteps` at one go, for few files. */
export function nameEntries(files: readonly { path: string }[]): string[] {
  const steps = nameEntriesInSteps(files.map(({ path }) => path));
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

function cleanPath(path: string): string {
  const parts = path
    .toWellFormed()
    .replace(UNSAFE, '_')
    .split('/')
    .filter((part) => !ONLY_DOTS.test(part))
    .map((part, index) => cutName(index === 0 ? part.replace(DRIVE_LETTER, '$1_') : part, PART_BYTES_MAX));
  let length = Buffer.byteLength(parts.join('/'));
  while (length > PATH_BYTES_MAX) length -= Buffer.byteLength(parts.shift()!) + 1;
  return parts.length > 0 ? parts.join('/') : UNNAMED;
}

/** `key` is a folded path, and so are the folders in it. */
function addFolders(folders: Set<string>, key: string): void {
  let end = key.lastIndexOf('/');
  while (end > 0) {
    const folder = key.slice(0, end);
    if (folders.has(folder)) return;
    folders.add(folder);
    end = key.lastIndexOf('/', end - 1);
  }
}

/** The first free `stem (n).ext`. One running number per cut stem, so that n equal names take n steps. */
function* numberName(
  path: string,
  numbers: Map<string, number>,
  isFree: (key: string) => boolean,
): Generator<void, string> {
  const slash = path.lastIndexOf('/') + 1;
  const folder = path.slice(0, slash);
  const { stem, extension } = splitName(cutName(path.slice(slash), PART_BYTES_MAX - NUMBER_BYTES));
  const counter = foldCase(`${folder}${stem}/${extension}`);
  for (let number = numbers.get(counter) ?? 2; ; number += 1) {
    if (number % NAMES_PER_STEP === 0) yield;
    const name = `${folder}${stem} (${number})${extension}`;
    if (!isFree(foldCase(name))) continue;
    numbers.set(counter, number + 1);
    return name;
  }
}

function splitName(name: string): { stem: string; extension: string } {
  const dot = name.lastIndexOf('.');
  if (dot <= 0 || name.length - dot > EXTENSION_LENGTH_MAX) return { stem: name, extension: '' };
  return { stem: name.slice(0, dot), extension: name.slice(dot) };
}

/** Shortens the stem, never the extension and never through the middle of a character. */
function cutName(name: string, maxBytes: number): string {
  if (name.length * 3 <= maxBytes || Buffer.byteLength(name) <= maxBytes) return name;
  const { stem, extension } = splitName(name);
  let room = maxBytes - Buffer.byteLength(extension);
  let length = 0;
  for (const character of stem) {
    room -= Buffer.byteLength(character);
    if (room < 0) break;
    length += character.length;
  }
  return stem.slice(0, length) + extension;
}

/** Two names with one key would be one file on a system that ignores case or Unicode form. */
function foldCase(path: string): string {
  return path.normalize('NFC').toLowerCase();
}

const PART_BYTES_MAX = 255;
/** Reserved for a number: " (100000)". */
const NUMBER_BYTES = 12;
const EXTENSION_LENGTH_MAX = 16;
const UNNAMED = 'unnamed';

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it replaces
const UNSAFE = /[\\\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;
/** Includes what Windows treats like `.` and `..`, because it strips trailing dots and spaces. */
const ONLY_DOTS = /^[. ]*$/;
const DRIVE_LETTER = /^([A-Za-z]):/;

/** A step takes a millisecond or two. */
export const NAMES_PER_STEP = 500;

/**
 * Returns a '/'-separated relative path that is safe to extract (no zip slip), with at most 255 UTF-8 bytes per part.
 * `cleanPart` can replace more in each part.
 */
export function cleanPath(path: string, cleanPart = (part: string) => part): string {
  const parts = path
    .toWellFormed()
    .replace(UNSAFE, '_')
    .split('/')
    .filter((part) => !ONLY_DOTS.test(part))
    .map((part, index) => {
      const relative = index === 0 ? part.replace(DRIVE_LETTER, '$1_') : part;
      return cleanPart(cutName(relative, PART_BYTES_MAX));
    });
  return parts.join('/') || UNNAMED;
}

/**
 * Makes paths unique regardless of case, also against the folders of other paths: the second `a.txt` becomes `a
 * (2).txt`. Linear in the number of paths. Yields every few milliseconds so that other work can run.
 */
export function* numberNamesInSteps(paths: readonly string[]): Generator<void, string[]> {
  const names = [...paths];
  const keys: string[] = [];
  const folders = new Set<string>();
  const wanted = new Set<string>();
  for (const path of names) {
    const key = foldCase(path);
    keys.push(key);
    wanted.add(key);
    addFolders(folders, key);
    if (keys.length % NAMES_PER_STEP === 0) yield;
  }
  const taken = new Set<string>();
  const numbers = new Map<string, number>();
  const isFree = (key: string) => !wanted.has(key) && !taken.has(key) && !folders.has(key);
  for (const [index, key] of keys.entries()) {
    if (index % NAMES_PER_STEP === 0) yield;
    if (taken.has(key) || folders.has(key)) {
      const name = yield* numberName(names[index]!, numbers, isFree);
      names[index] = name;
      taken.add(foldCase(name));
    } else taken.add(key);
  }
  return names;
}

/** Runs all steps without a pause. */
export function runSteps<Result>(steps: Generator<void, Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** `folders` and `key` are case-folded. */
function addFolders(folders: Set<string>, key: string): void {
  let end = key.lastIndexOf('/');
  while (end > 0) {
    const folder = key.slice(0, end);
    if (folders.has(folder)) return;
    folders.add(folder);
    end = key.lastIndexOf('/', end - 1);
  }
}

/** Keeps one counter per stem, so that n equal names take n steps. */
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

/** Keeps the extension and never splits a character. */
function cutName(name: string, maxBytes: number): string {
  if (name.length * 3 <= maxBytes || byteLength(name) <= maxBytes) return name;
  const { stem, extension } = splitName(name);
  const room = new Uint8Array(maxBytes - byteLength(extension));
  const { read } = encoder.encodeInto(stem, room);
  return stem.slice(0, read) + extension;
}

/** Equal for names that are one file on a system that ignores case or Unicode form. */
function foldCase(path: string): string {
  return path.normalize('NFC').toLowerCase();
}

const encoder = new TextEncoder();

export function byteLength(text: string): number {
  return encoder.encode(text).length;
}

const UNNAMED = 'unnamed';
const PART_BYTES_MAX = 255;
/** Kept free for the number of a name that is there already. */
const NUMBER_BYTES = 12;
const EXTENSION_LENGTH_MAX = 16;

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it replaces
const UNSAFE = /[\\\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;
/** `.`, `..`, and what Windows takes for them because it strips trailing dots and spaces. */
const ONLY_DOTS = /^[. ]*$/;
const WINDOWS_UNSAFE = /[<>:"|?*]/g;
const WINDOWS_DEVICE = /^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9¹²³])(?=\.|$|\s)/i;

type Rules = {
  /** Also what Windows does not take. */
  isWindows: boolean;
};

/**
 * Where each file goes below the folder that was asked for: relative, '/'-separated, never out of it, and unique
 * whatever the case, also against the folders that the others imply: the second `a.txt` is `a (2).txt`, as in the
 * server's zip. What a server says is not believed, not even ours.
 */
export function safeNames(paths: readonly string[], rules: Rules): string[] {
  const clean = paths.map((path) => cleanPath(path, rules));
  const wanted = new Set(clean.map(foldCase));
  const folders = new Set(clean.flatMap((path) => foldersOf(foldCase(path))));
  const taken = new Set<string>();
  const numbers = new Map<string, number>();
  const isFree = (key: string) => !wanted.has(key) && !taken.has(key) && !folders.has(key);
  return clean.map((path) => {
    const key = foldCase(path);
    const name = taken.has(key) || folders.has(key) ? numberName(path, numbers, isFree) : path;
    taken.add(foldCase(name));
    return name;
  });
}

/**
 * Names that could do something where they are written: hidden ones at the root of the folder (`.bashrc` in a home) and
 * those that Windows reserves for devices (`nul`, also as part of a path).
 */
export function listSpecialNames(names: readonly string[]): string[] {
  return names.filter(
    (name) => name.startsWith('.') || name.split('/').some((part) => WINDOWS_DEVICE.test(part)),
  );
}

function cleanPath(path: string, rules: Rules): string {
  const parts = path
    .toWellFormed()
    .replace(UNSAFE, '_')
    .split('/')
    .filter((part) => !ONLY_DOTS.test(part))
    .map((part, index) => cleanPart(index === 0 ? part.replace(/^([A-Za-z]):/, '$1_') : part, rules));
  return parts.join('/') || UNNAMED;
}

function cleanPart(part: string, { isWindows }: Rules): string {
  const short = cutName(part, PART_BYTES_MAX);
  if (!isWindows) return short;
  const plain = short.replace(WINDOWS_UNSAFE, '_').replace(/[. ]+$/, (end) => '_'.repeat(end.length));
  return WINDOWS_DEVICE.test(plain) ? `_${plain}` : plain;
}

function foldersOf(path: string): string[] {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_part, index) => parts.slice(0, index + 1).join('/'));
}

/** The first free `stem (n).ext`; one running number per stem, so that n equal names take n steps. */
function numberName(path: string, numbers: Map<string, number>, isFree: (key: string) => boolean): string {
  const slash = path.lastIndexOf('/') + 1;
  const { stem, extension } = splitName(cutName(path.slice(slash), PART_BYTES_MAX - NUMBER_BYTES));
  const counter = foldCase(`${path.slice(0, slash)}${stem}/${extension}`);
  for (let number = numbers.get(counter) ?? 2; ; number += 1) {
    const name = `${path.slice(0, slash)}${stem} (${number})${extension}`;
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
  if (Buffer.byteLength(name) <= maxBytes) return name;
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

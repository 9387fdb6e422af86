import { PATH_DEPTH_MAX, PATH_LENGTH_MAX } from '../../plans/limits.ts';

const UNNAMED = 'unnamed';
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it removes
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g;
const BIDI = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g;
const JUNK = new Set(['.ds_store', 'thumbs.db', 'desktop.ini', 'ehthumbs.db', '.localized']);

/**
 * Returns a safe display name of at most 255 UTF-8 bytes. Keeps Unicode and leading dots (`.gitignore`). Removes
 * separators, line breaks, control and bidi characters, leading spaces, and trailing dots and spaces, so `.` and `..`
 * cannot occur.
 */
export function normaliseFileName(name: string): string {
  const clean = name
    .toWellFormed()
    .normalize('NFC')
    .replace(CONTROL, '')
    .replace(BIDI, '')
    .replace(/[/\\]/g, '_')
    .replace(/^ +|[. ]+$/g, '');
  return cutToBytes(clean, 255) || UNNAMED;
}

/**
 * Normalizes each segment of a '/'-separated path. Returns undefined if it has more than 32 segments or 1,024
 * characters.
 */
export function normalisePath(path: string): string | undefined {
  const segments = path
    .split(/[/\\]/)
    .filter((segment) => segment !== '' && segment !== '.' && segment !== '..')
    .map(normaliseFileName);
  const joined = segments.join('/');
  if (segments.length > PATH_DEPTH_MAX || joined.length > PATH_LENGTH_MAX) return undefined;
  return joined || UNNAMED;
}

/**
 * Cuts a long name in the middle ("Quarterly repo…final.pdf"), so that the beginning and the extension stay. `most`
 * counts characters, including the ellipsis.
 */
export function shortenFileName(name: string, most: number): string {
  const characters = [...name];
  if (characters.length <= most) return name;
  const { stem, tail } = splitFileName(name);
  const end = [...tail].slice(-Math.floor(most / 2));
  return `${[...stem].slice(0, most - 1 - end.length).join('')}…${end.join('')}`;
}

const LONGEST_EXTENSION = 16;
const KEPT_BEFORE_EXTENSION = 6;

/** Splits a name into what may be cut, and its end: a few characters and the extension. */
export function splitFileName(name: string): { stem: string; tail: string } {
  const dot = name.lastIndexOf('.');
  const extension = dot > 0 && name.length - dot <= LONGEST_EXTENSION ? [...name.slice(dot)].length : 0;
  const characters = [...name];
  const at = Math.max(0, characters.length - extension - KEPT_BEFORE_EXTENSION);
  return { stem: characters.slice(0, at).join(''), tail: characters.slice(at).join('') };
}

/** Files that operating systems create. */
export function isJunkFile(name: string): boolean {
  const lower = name.toLowerCase();
  return JUNK.has(lower) || lower.startsWith('._');
}

function cutToBytes(text: string, maxBytes: number): string {
  const encoder = new TextEncoder();
  if (encoder.encode(text).length <= maxBytes) return text;
  const dot = text.lastIndexOf('.');
  const extension = dot > 0 && text.length - dot <= 16 ? text.slice(dot) : '';
  let stem = '';
  let room = maxBytes - encoder.encode(extension).length;
  for (const character of text.slice(0, text.length - extension.length)) {
    room -= encoder.encode(character).length;
    if (room < 0) break;
    stem += character;
  }
  return stem.replace(/[. ]+$/, '') + extension;
}

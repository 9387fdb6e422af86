/** Characters that steer instead of saying something: controls, and those that turn the reading direction. */
const STEERING = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu;
const LINE_BREAKS = /\r\n?|[\v\f\u0085\u2028\u2029]/g;

/** Text as it may stand in a mail: lines stay lines, nothing in it steers how the rest is read. */
export function toPlainText(text: string): string {
  return text
    .toWellFormed()
    .replace(LINE_BREAKS, '\n')
    .replace(STEERING, (character) => (character === '\n' || character === '\t' ? character : ''));
}

/** The same on one line, at most `maxLength` characters as people count them. */
export function toOneLine(text: string, maxLength: number): string {
  const line = toPlainText(text).replace(/\s+/g, ' ').trim();
  const characters = [...line];
  return characters.length <= maxLength
    ? line
    : `${characters
        .slice(0, maxLength - 1)
        .join('')
        .trimEnd()}…`;
}

const SUBJECT_LENGTH = 140;

/**
 * A subject is one line of bounded length, whatever people have called themselves and their things. An encoded
 * word (RFC 2047) of theirs is shown as it is written: decoded by the reader's program it could say anything.
 */
export function toSubject(text: string): string {
  return toOneLine(text.replaceAll('=?', '= ?'), SUBJECT_LENGTH);
}

import { toOneLine } from '../../contracts/values/fields.ts';

// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern finds the control characters to remove
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/** One line as the server's contracts accept it, cut to `max` characters. */
export function cleanLine(text: string, max: number): string {
  return cut(toOneLine(text.toWellFormed().replaceAll('\0', ' ')), max);
}

/** The same for a text of several lines. */
export function cleanText(text: string, max: number): string {
  return cut(text.toWellFormed().replace(/\r\n?/g, '\n').replace(CONTROL, '').trim(), max);
}

function cut(text: string, max: number): string {
  return text.length <= max
    ? text
    : text
        .slice(0, max)
        .toWellFormed()
        .replace(/\ufffd$/, '')
        .trim();
}

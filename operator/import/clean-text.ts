// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern finds the control characters to remove
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern finds control characters
const BREAKS = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g;
const BIDI = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g;

/** One line as the server's contracts accept it, cut to `max` characters. */
export function cleanLine(text: string, max: number): string {
  return cut(text.toWellFormed().replace(BREAKS, ' ').replace(BIDI, '').trim(), max);
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

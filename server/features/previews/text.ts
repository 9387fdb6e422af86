/** Above this share of bytes beyond ASCII, what is no UTF-8 is taken for binary. */
const MOST_FOREIGN = 0.3;

/** Whether a file that begins like this is text or code for people: no control characters, and some encoding. */
export function looksLikeText(head: Buffer): boolean {
  if (head.length === 0) return false;
  if (findUtf16(head)) return !hasControls(decodeText(head));
  if (hasControls(head.toString('latin1'))) return false;
  if (isUtf8(head)) return true;
  const foreign = head.filter((byte) => byte >= 0x80).length;
  return foreign / head.length < MOST_FOREIGN;
}

/** Never fails: UTF-16 by its mark, UTF-8 if it is that (a character cut off at the end is dropped), else Windows-1252. */
export function decodeText(bytes: Buffer): string {
  const encoding = findUtf16(bytes) ?? (isUtf8(bytes) ? 'utf-8' : 'windows-1252');
  // A stream's decoder waits for the rest of a character, and here there is none.
  return new TextDecoder(encoding).decode(bytes, { stream: true });
}

function findUtf16(bytes: Buffer): 'utf-16le' | 'utf-16be' | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  return undefined;
}

function isUtf8(bytes: Buffer): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}

/** Beside those of plain text: tab, line ends, form feed, and the escape that colours logs. */
function hasControls(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
  return /[\0-\x08\x0b\x0e-\x1a\x1c-\x1f\x7f]/.test(text);
}

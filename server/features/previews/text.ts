const MAX_NON_ASCII_SHARE = 0.3;

/** Whether the beginning of a file looks like text or code: in a known encoding and without control characters. */
export function isLikelyText(head: Buffer): boolean {
  if (head.length === 0) return false;
  if (findUtf16(head)) return !hasControls(decodeText(head));
  if (hasControls(head.toString('latin1'))) return false;
  if (isUtf8(head)) return true;
  const foreign = head.filter((byte) => byte >= 0x80).length;
  return foreign / head.length < MAX_NON_ASCII_SHARE;
}

/** Decodes UTF-16 with a BOM, valid UTF-8 or, as a fallback, Windows-1252. Never throws. */
export function decodeText(bytes: Buffer): string {
  const encoding = findUtf16(bytes) ?? (isUtf8(bytes) ? 'utf-8' : 'windows-1252');
  // `stream` drops a truncated last character.
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

function hasControls(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it matches control characters on purpose
  return /[\0-\x08\x0b\x0e-\x1a\x1c-\x1f\x7f]/.test(text);
}

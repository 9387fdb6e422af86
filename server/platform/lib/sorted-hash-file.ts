import { type FileHandle, open } from 'node:fs/promises';

/** Those of Have I Been Pwned have at most 52. */
const LINE_MAX_BYTES = 128;
const NEWLINE = 10;

/** Finds a line that begins with `key` by binary search. Throws when the file cannot be read. */
export async function hasSortedLine(path: string, key: string): Promise<boolean> {
  const file = await open(path, 'r');
  try {
    let low = 0;
    let high = (await file.stat()).size;
    // The first line with a greater or equal key begins between low and high.
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const line = await readLineFrom(file, middle);
      if (line === undefined || line.text.slice(0, key.length) >= key) high = middle;
      else low = line.end;
    }
    const line = await readLineFrom(file, low);
    return line?.text.startsWith(key) ?? false;
  } finally {
    await file.close();
  }
}

/** The first line at or after a position, and where the next begins. */
async function readLineFrom(file: FileHandle, position: number) {
  // Start one byte earlier: a line begins at `position` if that byte is a newline.
  const start = Math.max(0, position - 1);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(2 * LINE_MAX_BYTES), {
    position: start,
  });
  const bytes = buffer.subarray(0, bytesRead);
  const before = position === 0 ? -1 : bytes.indexOf(NEWLINE);
  if (position > 0 && before === -1) return undefined;
  const end = bytes.indexOf(NEWLINE, before + 1);
  const text = bytes.subarray(before + 1, end === -1 ? bytes.length : end).toString('latin1');
  return text === '' && end === -1 ? undefined : { text, end: start + (end === -1 ? bytes.length : end + 1) };
}

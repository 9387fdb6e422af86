/** Characters; enough for positions up to 36,000. 5,000 files need less than 1,000 characters. */
export const SELECTION_MAX = 6_000;

/**
 * base64url of a bitmap over the `position` of the files: bit `p % 8` of byte `p / 8`, without trailing zero bytes.
 * The result is independent of the order and repetition of positions; '' for none.
 */
export function encodeSelection(positions: Iterable<number>): string {
  const bytes: number[] = [];
  for (const position of positions) {
    const index = Math.floor(position / 8);
    while (bytes.length <= index) bytes.push(0);
    bytes[index]! |= 1 << (position % 8);
  }
  const base64 = btoa(bytes.map((byte) => String.fromCharCode(byte)).join(''));
  return base64.replace(/=+$/, '').replaceAll('+', '-').replaceAll('/', '_');
}

/** Positions in ascending order; undefined for text that `encodeSelection` does not produce. */
export function decodeSelection(text: string): number[] | undefined {
  if (text.length > SELECTION_MAX || !/^[\w-]+$/.test(text) || text.length % 4 === 1) return undefined;
  const bitmap = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  const positions: number[] = [];
  for (let index = 0; index < bitmap.length; index += 1) {
    const byte = bitmap.charCodeAt(index);
    for (let bit = 0; bit < 8; bit += 1) if (byte & (1 << bit)) positions.push(index * 8 + bit);
  }
  // Accept only the canonical encoding: no zero bytes or stray bits at the end.
  return positions.length > 0 && encodeSelection(positions) === text ? positions : undefined;
}

/**
 * Whether a struct that Go's encoding/gob wrote has any field that is not zero (https://pkg.go.dev/encoding/gob: a
 * stream of messages with a length; those with a negative type id define types; zero fields are not written). Returns
 * undefined for other bytes.
 */
export function hasNonZeroField(bytes: Uint8Array): boolean | undefined {
  for (let at = 0; at < bytes.length; ) {
    const length = readUnsigned(bytes, at);
    if (length === undefined || length.end + length.value > bytes.length) return undefined;
    const typeId = readUnsigned(bytes, length.end);
    if (typeId === undefined) return undefined;
    // Signed numbers are shifted left, with the complement and a set lowest bit for negative ones.
    const isValue = typeId.value % 2 === 0;
    if (isValue) {
      const firstField = readUnsigned(bytes, typeId.end);
      return firstField && firstField.value !== 0;
    }
    at = length.end + length.value;
  }
  return undefined;
}

/** One byte up to 127; otherwise the complement of the number of bytes that follow, big-endian. */
function readUnsigned(bytes: Uint8Array, at: number): { value: number; end: number } | undefined {
  const first = bytes[at];
  if (first === undefined) return undefined;
  if (first < 128) return { value: first, end: at + 1 };
  const end = at + 1 + (256 - first);
  if (256 - first > 6 || end > bytes.length) return undefined;
  let value = 0;
  for (let next = at + 1; next < end; next += 1) value = value * 256 + bytes[next]!;
  return { value, end };
}

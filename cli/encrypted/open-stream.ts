import { encryptedSize, SEGMENT_BYTES, SEGMENT_PLAIN_BYTES } from '../../contracts/transfers/encryption.ts';
import type { SegmentKey } from '../../encryption/keys.ts';
import { openSegments, type SegmentPlace } from '../../encryption/segments.ts';
import type { ByteReader } from '../receive/download.ts';

const SEGMENTS_AT_ONCE = 4;

/**
 * Opens the rest of a file from `firstSegment` on, and reads the next segments meanwhile. Every piece is authentic.
 * Throws DamagedSegmentError, and what the reader throws.
 */
export async function* openStream(
  key: SegmentKey,
  { firstSegment, ...file }: SegmentPlace,
  sealed: ByteReader,
): AsyncGenerator<Buffer> {
  const end = encryptedSize(file.plainBytes);
  const readFrom = (segment: number) => {
    const start = segment * SEGMENT_BYTES;
    const reading = sealed.read(Math.min(SEGMENTS_AT_ONCE * SEGMENT_BYTES, end - start));
    // It is awaited only after the segments before it.
    reading.catch(() => {});
    return reading;
  };
  let reading = readFrom(firstSegment);
  for (let segment = firstSegment; segment * SEGMENT_BYTES < end; segment += SEGMENTS_AT_ONCE) {
    const bytes = await reading;
    const opening = openSegments(key, { ...file, firstSegment: segment }, bytes);
    const next = segment + SEGMENTS_AT_ONCE;
    if (next * SEGMENT_BYTES < end) reading = readFrom(next);
    yield Buffer.from((await opening).buffer);
  }
}

/** Where the ciphertext continues after so many whole segments, or the end, of the plaintext. */
export function sealedOffset(plainLength: number, plainBytes: number): number {
  return plainLength === plainBytes
    ? encryptedSize(plainBytes)
    : (plainLength / SEGMENT_PLAIN_BYTES) * SEGMENT_BYTES;
}

/** Of a file that was opened in part, the length that ends with a whole segment. */
export function wholeSegments(plainLength: number, plainBytes: number): number {
  return plainLength >= plainBytes ? plainBytes : plainLength - (plainLength % SEGMENT_PLAIN_BYTES);
}

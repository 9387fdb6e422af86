import { createDecipheriv } from 'node:crypto';
import {
  encryptedSize,
  SEGMENT_BYTES,
  SEGMENT_NONCE_BYTES,
  SEGMENT_PLAIN_BYTES,
  SEGMENT_TAG_BYTES,
  segmentCount,
} from '../../contracts/transfers/encryption.ts';
import { DamagedSegmentError } from '../../encryption/errors.ts';
import type { SegmentKey } from '../../encryption/keys.ts';
import type { ManifestFile } from '../../encryption/manifest.ts';
import { additionalDataOfSegment, type SegmentPlace } from '../../encryption/segments.ts';
import type { ByteReader } from '../receive/download.ts';
import type { WantedSums } from '../receive/staging/staged-file.ts';
import { createDeriveMessageKey } from './message-keys.ts';

/** Small enough to stay in the processor's cache. */
const PIECE_BYTES = 256 * 1024;

/**
 * Opens the rest of a file from `firstSegment` on, segment by segment. Every segment is authentic, and stays unchanged
 * until the next one is requested. Throws DamagedSegmentError, and what the reader throws.
 *
 * It uses Node's AES-GCM, because WebCrypto copies each segment into memory of its own, which costs twice as much as
 * the decryption.
 */
export async function* openStream(
  key: SegmentKey,
  { firstSegment, ...file }: SegmentPlace,
  sealed: ByteReader,
): AsyncGenerator<Buffer> {
  const deriveMessageKey = await createDeriveMessageKey(key);
  const count = segmentCount(file.plainBytes);
  const plain = Buffer.allocUnsafeSlow(Math.min(SEGMENT_PLAIN_BYTES, file.plainBytes));
  for (let segment = firstSegment; segment < count; segment += 1) {
    const length = Math.min(SEGMENT_PLAIN_BYTES, file.plainBytes - segment * SEGMENT_PLAIN_BYTES);
    const nonce = await sealed.read(SEGMENT_NONCE_BYTES);
    const messageKey = deriveMessageKey(nonce);
    const decipher = createDecipheriv('aes-256-gcm', messageKey, nonce.subarray(12), {
      authTagLength: SEGMENT_TAG_BYTES,
    });
    messageKey.fill(0);
    decipher.setAAD(additionalDataOfSegment({ ...file, firstSegment }, segment));
    let filled = 0;
    for await (const block of sealed.stream(length))
      for (let start = 0; start < block.length; start += PIECE_BYTES)
        filled += decipher.update(block.subarray(start, start + PIECE_BYTES)).copy(plain, filled);
    decipher.setAuthTag(await sealed.read(SEGMENT_TAG_BYTES));
    try {
      decipher.final();
    } catch {
      throw new DamagedSegmentError(segment);
    }
    yield plain.subarray(0, length);
  }
}

/**
 * The sums of a file to compare with those of the manifest. Its segments are authentic, so this only finds a file that
 * changed while it was sent, and the CRC-32, which costs a third of the SHA-256, is enough.
 */
export function sumsToCheck({ crc32, sha256 }: Pick<ManifestFile, 'crc32' | 'sha256'>): WantedSums {
  return { crc32: crc32 !== null, sha256: crc32 === null && sha256 !== null };
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

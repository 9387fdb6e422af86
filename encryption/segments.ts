import {
  encryptedSize,
  FILE_ID_PATTERN,
  SEGMENT_BYTES,
  SEGMENT_NONCE_BYTES,
  SEGMENT_OVERHEAD,
  SEGMENT_PLAIN_BYTES,
  segmentCount,
} from '../contracts/transfers/encryption.ts';
import { type Bytes, concatBytes, fromHex, randomBytes, toHex, utf8 } from './bytes.ts';
import { DamagedSegmentError } from './errors.ts';
import { openInParts, sealInParts } from './gcm-parts.ts';
import type { SegmentKey } from './keys.ts';
import { Xaes } from './xaes.ts';

/** Where segments belong. `plainBytes` is the length of the whole file. */
export type SegmentPlace = { fileId: string; plainBytes: number; firstSegment: number };

/** The same for files, manifests and pictures; `context` is 16 bytes. */
export type SealedPlace = Omit<SegmentPlace, 'fileId'> & { context: Bytes };

export function createFileId(): string {
  return toHex(randomBytes(16));
}

/**
 * Seals consecutive segments, such as those of one chunk. `plain` begins at `firstSegment` and ends at the end of a
 * segment. Nonces are random, so the same place may be sealed any number of times. The result is in `target` if that is
 * given: writing to fresh memory costs as much as half of the sealing.
 */
export async function sealSegments(
  key: SegmentKey,
  { fileId, ...place }: SegmentPlace,
  plain: Bytes,
  target?: Bytes,
): Promise<Bytes> {
  return sealAt(key, { ...place, context: parseFileId(fileId) }, plain, target);
}

/**
 * Opens consecutive whole segments, as many as there are in `sealed`. A file is complete when its last segment is open.
 * `target` as for `sealSegments`; after an error, its content is undefined. Throws DamagedSegmentError, and returns
 * nothing of any of them, if a single one is not what was sealed at its place.
 */
export async function openSegments(
  key: SegmentKey,
  { fileId, ...place }: SegmentPlace,
  sealed: Bytes,
  target?: Bytes,
): Promise<Bytes> {
  return openAt(key, { ...place, context: parseFileId(fileId) }, sealed, target);
}

/** Like `openSegments`, but each part has a buffer of its own. This is faster in browsers, see gcm-parts.ts. */
export async function openSegmentsInParts(
  key: SegmentKey,
  { fileId, ...place }: SegmentPlace,
  sealed: Bytes,
): Promise<Bytes[]> {
  const parts = await openEach(
    key,
    { ...place, context: parseFileId(fileId) },
    sealed,
    (xaes, additionalData, segment) =>
      withMessageKey(xaes, segment.subarray(0, SEGMENT_NONCE_BYTES), (messageKey, iv) =>
        openInParts(messageKey, { iv, additionalData }, segment.subarray(SEGMENT_NONCE_BYTES)),
      ),
  );
  return parts.flat();
}

/** The key and the nonce of AES-GCM for the message with this nonce. The key is erased afterwards. */
async function withMessageKey<T>(
  xaes: Xaes,
  nonce: Bytes,
  use: (messageKey: Bytes, iv: Bytes) => Promise<T>,
): Promise<T> {
  const messageKey = await xaes.deriveKey(nonce);
  return use(messageKey, nonce.subarray(12)).finally(() => messageKey.fill(0));
}

function parseFileId(fileId: string): Bytes {
  if (!FILE_ID_PATTERN.test(fileId)) throw new RangeError('A file id is 16 bytes in hex.');
  return fromHex(fileId);
}

export async function sealAt(
  key: SegmentKey,
  place: SealedPlace,
  plain: Bytes,
  target?: Bytes,
): Promise<Bytes> {
  const { plainBytes, firstSegment } = place;
  const last = findLastSegment(place, plain.length, SEGMENT_PLAIN_BYTES, plainBytes);
  if (last === undefined) throw new RangeError('The plaintext does not end at the end of a segment.');
  const count = last - firstSegment + 1;
  const xaes = await Xaes.create(key);
  const sealed = roomIn(target, plain.length + count * SEGMENT_OVERHEAD);
  const nonces = randomBytes(count * SEGMENT_NONCE_BYTES);
  await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const nonce = nonces.subarray(index * SEGMENT_NONCE_BYTES, (index + 1) * SEGMENT_NONCE_BYTES);
      const additionalData = additionalDataOf(place, firstSegment + index);
      const part = plain.subarray(index * SEGMENT_PLAIN_BYTES, (index + 1) * SEGMENT_PLAIN_BYTES);
      sealed.set(nonce, index * SEGMENT_BYTES);
      const ciphertext = sealed.subarray(index * SEGMENT_BYTES + SEGMENT_NONCE_BYTES);
      await withMessageKey(xaes, nonce, (messageKey, iv) =>
        sealInParts(messageKey, { iv, additionalData }, part, ciphertext),
      );
    }),
  );
  return sealed;
}

export async function openAt(
  key: SegmentKey,
  place: SealedPlace,
  sealed: Bytes,
  target?: Bytes,
): Promise<Bytes> {
  const plain = roomIn(target, sealed.length - requireSegments(place, sealed) * SEGMENT_OVERHEAD);
  await openEach(key, place, sealed, async (xaes, additionalData, segment, index) => {
    const nonce = segment.subarray(0, SEGMENT_NONCE_BYTES);
    const part = await xaes.open({ nonce, additionalData }, segment.subarray(SEGMENT_NONCE_BYTES));
    plain.set(part, index * SEGMENT_PLAIN_BYTES);
  });
  return plain;
}

type OpenOne<T> = (xaes: Xaes, additionalData: Bytes, segment: Bytes, index: number) => Promise<T>;

/** Throws DamagedSegmentError if `open` rejects. */
async function openEach<T>(
  key: SegmentKey,
  place: SealedPlace,
  sealed: Bytes,
  open: OpenOne<T>,
): Promise<T[]> {
  const count = requireSegments(place, sealed);
  const xaes = await Xaes.create(key);
  return Promise.all(
    Array.from({ length: count }, (_, index) => {
      const number = place.firstSegment + index;
      const segment = sealed.subarray(index * SEGMENT_BYTES, (index + 1) * SEGMENT_BYTES);
      return open(xaes, additionalDataOf(place, number), segment, index).catch(() =>
        Promise.reject(new DamagedSegmentError(number)),
      );
    }),
  );
}

/** Throws DamagedSegmentError if they are not whole segments of the file. Returns how many there are. */
function requireSegments(place: SealedPlace, sealed: Bytes): number {
  const last = findLastSegment(place, sealed.length, SEGMENT_BYTES, encryptedSize(place.plainBytes));
  if (last === undefined) throw new DamagedSegmentError();
  return last - place.firstSegment + 1;
}

function roomIn(target: Bytes | undefined, length: number): Bytes {
  if (target && target.length < length) throw new RangeError('The target is too short.');
  return target?.subarray(0, length) ?? new Uint8Array(length);
}

/** Of `length` bytes of a whole of `total` bytes. Undefined if they do not end at the end of a segment. */
function findLastSegment(
  { firstSegment, plainBytes }: SealedPlace,
  length: number,
  segmentBytes: number,
  total: number,
): number | undefined {
  const end = firstSegment * segmentBytes + length;
  const last = segmentCount(plainBytes) - 1;
  if (!Number.isSafeInteger(firstSegment) || firstSegment < 0 || firstSegment > last) return undefined;
  if (end === total) return last;
  if (end > total || length === 0 || length % segmentBytes !== 0) return undefined;
  return end / segmentBytes - 1;
}

const LABEL = utf8('sw1');

/** Bound to a segment of a file; for code that seals without WebCrypto. */
export function additionalDataOfSegment({ fileId, ...place }: SegmentPlace, segment: number): Bytes {
  return additionalDataOf({ ...place, context: fromHex(fileId) }, segment);
}

/** "sw1", context, number of the segment (32 bits, big-endian), and 1 for the last segment, else 0. */
function additionalDataOf({ context, plainBytes }: SealedPlace, segment: number): Bytes {
  const position = new Uint8Array(5);
  new DataView(position.buffer).setUint32(0, segment);
  position[4] = segment === segmentCount(plainBytes) - 1 ? 1 : 0;
  return concatBytes(LABEL, context, position);
}

import { encryptedSize, SEGMENT_PLAIN_BYTES } from '../../../contracts/transfers/encryption.ts';
import { type Bytes, freeBytes } from '../../../encryption/bytes.ts';
import type { SegmentKey } from '../../../encryption/keys.ts';
import { sealSegments } from '../../../encryption/segments.ts';
import { crc32 } from './crc32.ts';
import { noteReleasedBlob } from './released-blobs.ts';

/** The slice begins at `start` (bytes) of a file of `plainBytes`, which the server knows as `fileId`. */
export type Seal = { key: SegmentKey; fileId: string; plainBytes: number; start: number };

/** Memory of earlier chunks, to be used again: writing to fresh memory costs as much as encrypting. */
const spare: Bytes[] = [];

/** `crc` is that of the bytes to send, `plainCrc` of those in the file. */
export type ReadChunk = { bytes: Blob; crc: number; plainCrc: number };

/**
 * Reads a slice, encrypts it if asked to, and computes CRC-32s. Returns a Blob, because Chromium blocks the main thread
 * for 250 ms to send 5 MB from an ArrayBuffer, and not at all from a Blob. A Blob's round trip takes three times as long as
 * sealing its bytes, so both happen in one go.
 */
export async function readChunk(slice: Blob, seal: Seal | undefined): Promise<ReadChunk> {
  const plain = new Uint8Array(await slice.arrayBuffer());
  const plainCrc = crc32(plain);
  const sealed = seal && (await sealChunk(plain, seal));
  const sent = sealed ?? plain;
  const chunk = { bytes: new Blob([sent]), crc: sealed ? crc32(sealed) : plainCrc, plainCrc };
  freeBytes(plain);
  if (sealed) spare.push(new Uint8Array(sealed.buffer));
  noteReleasedBlob();
  return chunk;
}

function sealChunk(plain: Bytes, { key, start, ...file }: Seal): Promise<Bytes> {
  const size = encryptedSize(plain.length);
  const kept = spare.pop();
  const target = kept && kept.length >= size ? kept : new Uint8Array(size);
  return sealSegments(key, { ...file, firstSegment: start / SEGMENT_PLAIN_BYTES }, plain, target);
}

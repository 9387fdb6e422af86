import { MIB } from '../../../../contracts/values/sizes.ts';
import { Sha256 } from './sha256.ts';

/** Read at once. */
const SLICE_BYTES = 4 * MIB;
/** WebCrypto is several times as fast, but needs all bytes at once and a secure context. */
const WHOLE_BYTES = 32 * MIB;

/** SHA-256 in lower-case hex. Rejects if the file cannot be read. `onProgress` gets the bytes hashed so far. */
export async function hashBlob(blob: Blob, onProgress: (hashedBytes: number) => void): Promise<string> {
  if (blob.size <= WHOLE_BYTES && globalThis.crypto?.subtle) {
    const digest = await crypto.subtle.digest('SHA-256', await blob.arrayBuffer());
    return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
  }
  const sum = new Sha256();
  for (let start = 0; start < blob.size; start += SLICE_BYTES) {
    const slice = blob.slice(start, start + SLICE_BYTES);
    sum.update(new Uint8Array(await slice.arrayBuffer()));
    onProgress(Math.min(blob.size, start + SLICE_BYTES));
  }
  return sum.digest();
}

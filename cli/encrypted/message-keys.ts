import { createCipheriv, KeyObject } from 'node:crypto';
import type { Bytes } from '../../encryption/bytes.ts';
import type { SegmentKey } from '../../encryption/keys.ts';
import { Xaes } from '../../encryption/xaes.ts';

/**
 * Returns a function that derives the AES-256-GCM key of the segment with a nonce. It uses Node's AES, because each call
 * of WebCrypto waits for another thread.
 */
export async function createDeriveMessageKey(key: SegmentKey): Promise<(nonce: Bytes) => Buffer> {
  const xaes = await Xaes.create(key);
  // Without chaining, one cipher serves all segments.
  const aes = createCipheriv('aes-256-ecb', KeyObject.from(key), null);
  return (nonce) => aes.update(xaes.messageKeyInput(nonce));
}

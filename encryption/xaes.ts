import { type Bytes, concatBytes } from './bytes.ts';

/**
 * XAES-256-GCM (https://c2sp.org/XAES-256-GCM) on WebCrypto: AES-256-GCM with a key derived from the first half of
 * a 192-bit nonce by the KDF of NIST SP 800-108r1 with CMAC, and the second half as its nonce.
 */

/** An AES-CBC key, because WebCrypto has no bare AES. It can be posted to workers. */
export type XaesKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

/** Keys must be able to encrypt single blocks. */
export const XAES_ALGORITHM = { name: 'AES-CBC', length: 256 } as const;
export const XAES_USAGE = 'encrypt';

const BLOCK_BYTES = 16;

export type Message = { nonce: Bytes; additionalData: Bytes };

export function importXaesKey(key: Bytes): Promise<XaesKey> {
  return crypto.subtle.importKey('raw', key, XAES_ALGORITHM, false, [XAES_USAGE]);
}

/**
 * Derives the keys of messages, and opens messages, with one key. It keeps the CMAC subkey in memory, so it should live as
 * long as one piece of work, not as long as the key.
 */
export class Xaes {
  readonly #key: XaesKey;
  readonly #subkey: Bytes;

  private constructor(key: XaesKey, subkey: Bytes) {
    this.#key = key;
    this.#subkey = subkey;
  }

  static async create(key: XaesKey): Promise<Xaes> {
    return new Xaes(key, doubled(await encryptBlock(key, new Uint8Array(BLOCK_BYTES))));
  }

  /** Takes ciphertext and tag. Rejects with WebCrypto's OperationError if they are not authentic. */
  async open({ nonce, additionalData }: Message, sealed: Bytes): Promise<Bytes> {
    const bytes = await this.deriveKey(nonce);
    const key = await crypto.subtle.importKey('raw', bytes, 'AES-GCM', false, ['decrypt']);
    bytes.fill(0);
    const algorithm = { name: 'AES-GCM', iv: nonce.subarray(12), additionalData };
    return new Uint8Array(await crypto.subtle.decrypt(algorithm, key, sealed));
  }

  /**
   * What AES-256-ECB with the XAES key turns into the message key, without padding: for code that has synchronous AES.
   */
  messageKeyInput(nonce: Bytes): Bytes {
    const blocks = concatBytes(keyBlock(1, nonce), keyBlock(2, nonce));
    return blocks.map((byte, index) => byte ^ this.#subkey[index % BLOCK_BYTES]!);
  }

  /** The AES-256-GCM key of the message with this nonce. The last 12 bytes of `nonce` are the nonce of AES-GCM. */
  async deriveKey(nonce: Bytes): Promise<Bytes> {
    const halves = await Promise.all([1, 2].map((counter) => this.#deriveBlock(counter, nonce)));
    const bytes = concatBytes(...halves);
    for (const half of halves) half.fill(0);
    return bytes;
  }

  /** CMAC of one whole block. */
  #deriveBlock(counter: number, nonce: Bytes): Promise<Bytes> {
    return encryptBlock(this.#key, keyBlock(counter, nonce), this.#subkey);
  }
}

/** Counter, label 'X', zero, first half of the nonce. */
function keyBlock(counter: number, nonce: Bytes): Bytes {
  const block = new Uint8Array(BLOCK_BYTES);
  block.set([0, counter, 0x58, 0]);
  block.set(nonce.subarray(0, 12), 4);
  return block;
}

/** AES of `block` xor `mask`. CBC's second block is padding, which WebCrypto cannot leave out. */
async function encryptBlock(
  key: XaesKey,
  block: Bytes,
  mask: Bytes = new Uint8Array(BLOCK_BYTES),
): Promise<Bytes> {
  const padded = await crypto.subtle.encrypt({ name: 'AES-CBC', iv: mask }, key, block);
  return new Uint8Array(padded, 0, BLOCK_BYTES);
}

/** Times x in GF(2^128), as CMAC makes its subkey. */
function doubled(block: Bytes): Bytes {
  const result = block.map((byte, index) => (byte << 1) | ((block[index + 1] ?? 0) >>> 7));
  result[BLOCK_BYTES - 1]! ^= (block[0]! >>> 7) * 0x87;
  return result;
}

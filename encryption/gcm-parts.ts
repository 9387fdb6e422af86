import { type Bytes, freeBytes } from './bytes.ts';

/**
 * AES-256-GCM (NIST SP 800-38D) in parts of half a mebibyte. Chromium gives every larger result memory that comes fresh
 * from the system, which takes several times as long as the encryption. WebCrypto has no GCM in parts, so this encrypts
 * with AES-CTR, and computes the tag from those that AES-GCM gives the parts: they hold GHASH values of the parts, and
 * GHASH is linear. A message of one part needs none of this.
 */

/** Must be a multiple of the block. */
const PART_BYTES = 512 * 1024;
const BLOCK_BYTES = 16;
const TAG_BYTES = 16;

/** `iv` is 12 bytes. */
type Message = { iv: Bytes; additionalData: Bytes };

/** Writes ciphertext and tag to `target`. A nonce must never be used twice with the same key. */
export async function sealInParts(key: Bytes, message: Message, plain: Bytes, target: Bytes): Promise<void> {
  if (plain.length <= PART_BYTES) {
    const gcm = await importKey(key, 'AES-GCM', 'encrypt');
    return target.set(new Uint8Array(await crypto.subtle.encrypt(gcmOf(message), gcm, plain)));
  }
  const cipher = await Cipher.create(key, message);
  await Promise.all(
    listParts(plain).map(async (part, index) => {
      const encrypted = await cipher.apply(part, index);
      target.set(encrypted, index * PART_BYTES);
      freeBytes(encrypted);
    }),
  );
  target.set(toBytes(await cipher.computeTag(target.subarray(0, plain.length))), plain.length);
}

/**
 * Takes ciphertext and tag. Returns the plaintext in order, in buffers of their own. Rejects if the message is not
 * authentic; before that is known, nothing is returned.
 */
export async function openInParts(key: Bytes, message: Message, sealed: Bytes): Promise<Bytes[]> {
  if (sealed.length <= PART_BYTES + TAG_BYTES) {
    const gcm = await importKey(key, 'AES-GCM', 'decrypt');
    return [new Uint8Array(await crypto.subtle.decrypt(gcmOf(message), gcm, sealed))];
  }
  const cipher = await Cipher.create(key, message);
  const ciphertext = sealed.subarray(0, -TAG_BYTES);
  const [tag, plain] = await Promise.all([
    cipher.computeTag(ciphertext),
    Promise.all(listParts(ciphertext).map((part, index) => cipher.apply(part, index))),
  ]);
  const difference = add(tag, toElement(sealed, ciphertext.length));
  if (difference.some((word) => word !== 0)) throw new Error('The message is not authentic.');
  return plain;
}

function listParts(bytes: Bytes): Bytes[] {
  const count = Math.ceil(bytes.length / PART_BYTES);
  return Array.from({ length: count }, (_, index) =>
    bytes.subarray(index * PART_BYTES, (index + 1) * PART_BYTES),
  );
}

function gcmOf(message: Message) {
  return { name: 'AES-GCM', ...message };
}

function importKey(key: Bytes, name: 'AES-CTR' | 'AES-GCM', usage: 'encrypt' | 'decrypt'): Promise<Key> {
  return crypto.subtle.importKey('raw', key, name, false, [usage]);
}

type Key = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

class Cipher {
  readonly #ctr: Key;
  readonly #gcm: Key;
  readonly #message: Message;

  private constructor([ctr, gcm]: [Key, Key], message: Message) {
    this.#ctr = ctr;
    this.#gcm = gcm;
    this.#message = message;
  }

  static async create(key: Bytes, message: Message): Promise<Cipher> {
    const keys = [importKey(key, 'AES-CTR', 'encrypt'), importKey(key, 'AES-GCM', 'encrypt')] as const;
    return new Cipher(await Promise.all(keys), message);
  }

  /** Encrypts or decrypts the part with this number. */
  apply(part: Bytes, index: number): Promise<Bytes> {
    return this.#applyFrom(this.#counterBlock(2 + index * (PART_BYTES / BLOCK_BYTES)), part);
  }

  async computeTag(ciphertext: Bytes): Promise<Element> {
    const parts = listParts(ciphertext);
    const nothing = new Uint8Array(BLOCK_BYTES);
    const [hashKey, maskBytes, ...tags] = await Promise.all([
      this.#applyFrom(nothing, nothing),
      this.#applyFrom(this.#counterBlock(1), nothing),
      ...parts.map((part) => this.#authenticate(part)),
    ]);
    const h = toElement(hashKey);
    const mask = toElement(maskBytes);
    const { additionalData } = this.#message;
    let hash = multiply(hashBlocks(h, additionalData), h);
    for (const [index, part] of parts.entries()) {
      const partHash = add(toElement(tags[index]!), mask, multiply(lengthBlock(part.length, 0), h));
      hash = add(multiply(hash, power(h, Math.ceil(part.length / BLOCK_BYTES))), partHash);
    }
    return add(hash, multiply(lengthBlock(additionalData.length, ciphertext.length), h), mask);
  }

  /** The tag of nothing, with the part as additional data: (hash of the part ⊕ its length · H) ⊕ mask. */
  async #authenticate(part: Bytes): Promise<Bytes> {
    const algorithm = gcmOf({ ...this.#message, additionalData: part });
    return new Uint8Array(await crypto.subtle.encrypt(algorithm, this.#gcm, new Uint8Array()));
  }

  async #applyFrom(counter: Bytes, bytes: Bytes): Promise<Bytes> {
    const algorithm = { name: 'AES-CTR', counter, length: 32 };
    return new Uint8Array(await crypto.subtle.encrypt(algorithm, this.#ctr, bytes));
  }

  #counterBlock(counter: number): Bytes {
    const block = new Uint8Array(BLOCK_BYTES);
    block.set(this.#message.iv);
    new DataView(block.buffer).setUint32(12, counter);
    return block;
  }
}

/** Of GF(2^128) in the bit order of GCM: the highest bit of the first 32-bit word is the coefficient of x^0. */
type Element = readonly [number, number, number, number];

const ZERO: Element = [0, 0, 0, 0];
const ONE: Element = [0x8000_0000, 0, 0, 0];
const REDUCTION = 0xe100_0000;

/** A block that ends early is filled with zeros. */
function toElement(bytes: Bytes, at = 0): Element {
  const block = new Uint8Array(BLOCK_BYTES);
  block.set(bytes.subarray(at, at + BLOCK_BYTES));
  const view = new DataView(block.buffer);
  return [view.getUint32(0), view.getUint32(4), view.getUint32(8), view.getUint32(12)];
}

function toBytes(element: Element): Bytes {
  const block = new Uint8Array(BLOCK_BYTES);
  const view = new DataView(block.buffer);
  for (const [index, word] of element.entries()) view.setUint32(index * 4, word);
  return block;
}

/** Numbers of bits, 64 each, of messages below 512 MiB. */
function lengthBlock(additionalBytes: number, cipherBytes: number): Element {
  return [0, additionalBytes * 8, 0, cipherBytes * 8];
}

function add(...elements: Element[]): Element {
  return elements.reduce((a, b) => [a[0] ^ b[0], a[1] ^ b[1], a[2] ^ b[2], a[3] ^ b[3]]);
}

function multiply(a: Element, b: Element): Element {
  let [z0, z1, z2, z3] = ZERO;
  let [v0, v1, v2, v3] = b;
  for (const word of a)
    for (let bit = 31; bit >= 0; bit -= 1) {
      const mask = -((word >>> bit) & 1);
      z0 ^= v0 & mask;
      z1 ^= v1 & mask;
      z2 ^= v2 & mask;
      z3 ^= v3 & mask;
      const reduction = -(v3 & 1) & REDUCTION;
      v3 = (v3 >>> 1) | (v2 << 31);
      v2 = (v2 >>> 1) | (v1 << 31);
      v1 = (v1 >>> 1) | (v0 << 31);
      v0 = (v0 >>> 1) ^ reduction;
    }
  return [z0, z1, z2, z3];
}

function power(base: Element, exponent: number): Element {
  let result = ONE;
  let square = base;
  for (let rest = exponent; rest > 0; rest >>>= 1) {
    if (rest & 1) result = multiply(result, square);
    if (rest > 1) square = multiply(square, square);
  }
  return result;
}

/** GHASH without the length block. */
function hashBlocks(h: Element, bytes: Bytes): Element {
  let hash = ZERO;
  for (let at = 0; at < bytes.length; at += BLOCK_BYTES) hash = multiply(add(hash, toElement(bytes, at)), h);
  return hash;
}

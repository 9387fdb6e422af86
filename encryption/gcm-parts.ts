import type { Bytes } from './bytes.ts';

/**
 * AES-256-GCM (NIST SP 800-38D) that decrypts in parts of half a mebibyte. Chromium gives every larger result memory that
 * comes fresh from the system, which takes several times as long as decrypting. WebCrypto has no GCM in parts, so this
 * decrypts with AES-CTR, and computes the tag from those that AES-GCM gives the parts: they hold GHASH values of the
 * parts, and GHASH is linear.
 */

/** Must be a multiple of the block. */
const PART_BYTES = 512 * 1024;
const BLOCK_BYTES = 16;
const TAG_BYTES = 16;

type Message = {
  /** 12 bytes. */
  iv: Bytes;
  additionalData: Bytes;
  /** Ciphertext and tag begin at `start`, with at least one block of anything before it. */
  sealed: Bytes;
  start: number;
};

/**
 * The plaintext in order, in buffers of their own (an empty one for no plaintext). Views may begin behind the start of
 * their buffer. Rejects if the message is not authentic; before that is known, nothing is returned.
 */
export async function openInParts(key: Bytes, message: Message): Promise<Bytes[]> {
  const [ctr, gcm] = await Promise.all([importKey(key, 'AES-CTR'), importKey(key, 'AES-GCM')]);
  const { iv, additionalData, sealed, start } = message;
  const ciphertext = sealed.subarray(start, sealed.length - TAG_BYTES);
  const starts = listPartStarts(ciphertext.length);
  const parts = starts.map((at) => ciphertext.subarray(at, at + PART_BYTES));
  const [hashKey, plain, tags] = await Promise.all([
    applyCtr(ctr, new Uint8Array(BLOCK_BYTES), new Uint8Array(BLOCK_BYTES)),
    // With the block before it, the first part also shows what the tag is masked with.
    Promise.all(
      parts.map((part, index) =>
        index === 0
          ? applyCtr(ctr, counterBlock(iv, 1), sealed.subarray(start - BLOCK_BYTES, start + part.length))
          : applyCtr(ctr, counterBlock(iv, 2 + starts[index]! / BLOCK_BYTES), part),
      ),
    ),
    Promise.all(parts.map((part) => computeTag(gcm, iv, part))),
  ]);
  const before = toElement(sealed, start - BLOCK_BYTES);
  const mask = add(toElement(plain[0]!, 0), before);
  const h = toElement(hashKey, 0);
  const hashes = parts.map((part, index) => ({
    blocks: Math.ceil(part.length / BLOCK_BYTES),
    hash: add(toElement(tags[index]!, 0), mask, multiply(lengthBlock(part.length, 0), h)),
  }));
  const hash = hashes.reduce(
    (sum, part) => add(multiply(sum, power(h, part.blocks)), part.hash),
    multiply(hashBlocks(h, additionalData), h),
  );
  const tag = add(hash, multiply(lengthBlock(additionalData.length, ciphertext.length), h), mask);
  const difference = add(tag, toElement(sealed, sealed.length - TAG_BYTES));
  if (difference.some((word) => word !== 0)) throw new Error('The message is not authentic.');
  return [plain[0]!.subarray(BLOCK_BYTES), ...plain.slice(1)];
}

function listPartStarts(length: number): number[] {
  return Array.from(
    { length: Math.max(1, Math.ceil(length / PART_BYTES)) },
    (_, index) => index * PART_BYTES,
  );
}

function importKey(key: Bytes, name: 'AES-CTR' | 'AES-GCM') {
  return crypto.subtle.importKey('raw', key, name, false, ['encrypt']);
}

type Key = Awaited<ReturnType<typeof importKey>>;

async function applyCtr(key: Key, counter: Bytes, bytes: Bytes): Promise<Bytes> {
  return new Uint8Array(await crypto.subtle.encrypt({ name: 'AES-CTR', counter, length: 32 }, key, bytes));
}

/** The tag of nothing, with the part as additional data: (hash of the part ⊕ its length · H) ⊕ mask. */
async function computeTag(key: Key, iv: Bytes, additionalData: Bytes): Promise<Bytes> {
  const algorithm = { name: 'AES-GCM', iv, additionalData };
  return new Uint8Array(await crypto.subtle.encrypt(algorithm, key, new Uint8Array()));
}

function counterBlock(iv: Bytes, counter: number): Bytes {
  const block = new Uint8Array(BLOCK_BYTES);
  block.set(iv);
  new DataView(block.buffer).setUint32(12, counter);
  return block;
}

/** Of GF(2^128) in the bit order of GCM: the highest bit of the first 32-bit word is the coefficient of x^0. */
type Element = readonly [number, number, number, number];

const ZERO: Element = [0, 0, 0, 0];
const ONE: Element = [0x8000_0000, 0, 0, 0];
const REDUCTION = 0xe100_0000;

/** A block that ends early is filled with zeros. */
function toElement(bytes: Bytes, at: number): Element {
  const block = new Uint8Array(BLOCK_BYTES);
  block.set(bytes.subarray(at, at + BLOCK_BYTES));
  const view = new DataView(block.buffer);
  return [view.getUint32(0), view.getUint32(4), view.getUint32(8), view.getUint32(12)];
}

/** Numbers of bits, 64 each. */
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

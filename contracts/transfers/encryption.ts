import { z } from 'zod/mini';
import { KIB, MIB } from '../values/sizes.ts';

/**
 * End-to-end encrypted transfers: what server, pages and commands must agree on. The cryptography is in the room
 * `encryption`; the format is described in docs/formats/e2ee.md.
 */

export const ENCRYPTION_VERSION = 'e2e-1';

/** A segment as it is sent and stored. Chunks are multiples of it, see `planChunks`. */
export const SEGMENT_BYTES = MIB;
export const SEGMENT_NONCE_BYTES = 24;
export const SEGMENT_TAG_BYTES = 16;
/** The nonce before the ciphertext and the tag after it. */
export const SEGMENT_OVERHEAD = SEGMENT_NONCE_BYTES + SEGMENT_TAG_BYTES;
export const SEGMENT_PLAIN_BYTES = SEGMENT_BYTES - SEGMENT_OVERHEAD;

/** In bytes of ciphertext. */
export const MANIFEST_MAX_BYTES = 32 * MIB;
export const PICTURES_MAX_BYTES = 32 * MIB;
/** The plaintext of a manifest is a multiple of this, so that its length says little about the names in it. */
export const MANIFEST_BLOCK_BYTES = 4 * KIB;

export const KDF_ITERATIONS_MIN = 600_000;
export const KDF_ITERATIONS_MAX = 10_000_000;

/** An encrypted file's name on the server: 16 random bytes in hex. */
export const FILE_ID_PATTERN = /^[0-9a-f]{32}$/;

/** At least 1: an empty file is one empty segment. */
export function segmentCount(plainBytes: number): number {
  return Math.max(1, Math.ceil(plainBytes / SEGMENT_PLAIN_BYTES));
}

export function encryptedSize(plainBytes: number): number {
  return plainBytes + SEGMENT_OVERHEAD * segmentCount(plainBytes);
}

/** Undefined if no plaintext encrypts to this length. */
export function plainSize(encryptedBytes: number): number | undefined {
  if (!Number.isSafeInteger(encryptedBytes) || encryptedBytes < SEGMENT_OVERHEAD) return undefined;
  const plainBytes = encryptedBytes - SEGMENT_OVERHEAD * Math.ceil(encryptedBytes / SEGMENT_BYTES);
  return plainBytes >= 0 && encryptedSize(plainBytes) === encryptedBytes ? plainBytes : undefined;
}

/** Bytes of ciphertext. */
export function isManifestSize(encryptedBytes: number): boolean {
  const plainBytes = plainSize(encryptedBytes);
  if (plainBytes === undefined || plainBytes === 0) return false;
  return plainBytes % MANIFEST_BLOCK_BYTES === 0 && encryptedBytes <= MANIFEST_MAX_BYTES;
}

/** Base64url without padding, in its only spelling: unused bits of the last character are zero. */
const Bytes16 = z.string().check(z.regex(/^[\w-]{21}[AQgw]$/, 'This must be 16 bytes in base64url.'));
const Bytes32 = z
  .string()
  .check(z.regex(/^[\w-]{42}[AEIMQUYcgkosw048]$/, 'This must be 32 bytes in base64url.'));

const KeyDerivation = z.discriminatedUnion('name', [
  z.strictObject({ name: z.literal('none') }),
  z.strictObject({
    name: z.literal('pbkdf2-sha-256'),
    iterations: z.int().check(z.minimum(KDF_ITERATIONS_MIN), z.maximum(KDF_ITERATIONS_MAX)),
    salt: Bytes16,
  }),
]);

export const EncryptionParams = z
  .strictObject({
    version: z.literal(ENCRYPTION_VERSION),
    salt: Bytes16,
    kdf: KeyDerivation.check(
      z.describe('How the password becomes part of the key; `none` without a password.'),
    ),
    commit: Bytes32.check(z.describe('Equals the value derived from the right key.')),
  })
  .register(z.globalRegistry, {
    id: 'EncryptionParams',
    description: 'Public parameters of an end-to-end encrypted transfer; see docs/formats/e2ee.md.',
  });
export type EncryptionParams = z.infer<typeof EncryptionParams>;

/** Derived from the link’s key. The server gives manifest and ciphertext only to clients that send it. */
export const AccessKey = Bytes32;
/** SHA-256 of the 32 bytes of the access key. */
export const AccessKeyHash = Bytes32;

/** Of the invitation's inbox: an uncompressed point of P-256, 65 bytes. */
export const InboxPublicKey = z
  .string()
  .check(z.regex(/^B[\w-]{85}[AEIMQUYcgkosw048]$/, 'This must be a public key of P-256 in base64url.'));

/** HPKE: a point of P-256, the 32 bytes of a link's key as ciphertext, and the tag. */
const SEALED_KEY_BYTES = 65 + 32 + 16;
export const SealedKey = z
  .string()
  .check(
    z.regex(
      /^B[\w-]{149}[AEIMQUYcgkosw048]$/,
      `This must be a sealed key of ${SEALED_KEY_BYTES} bytes in base64url.`,
    ),
  );

import { createHash } from 'node:crypto';
import { KIB } from '../../../../contracts/values/sizes.ts';

/**
 * The formats of password hashes in the database. New ones are argon2id with the current cost. The others come from
 * imports (`features/imports`) and are replaced at the first sign-in or unlock.
 */
export type StoredHash =
  | { kind: 'argon2id'; cost: Argon2Cost; salt: Buffer; expected: Buffer }
  | { kind: 'bcrypt'; hash: string }
  /** argon2id of the hex digits of SHA-1(password + salt). */
  | { kind: 'sha1'; salt: string; inner: string }
  | { kind: 'inactive' };

export type Argon2Cost = { memory: number; passes: number; parallelism: number };

/**
 * Of an account that may not sign in. No password matches it, and no link is mailed to it. An administrator activates
 * the account by setting a password.
 */
export const INACTIVE_HASH = '!';

export function isInactive({ passwordHash }: { passwordHash: string }): boolean {
  return passwordHash === INACTIVE_HASH;
}

const PHC = /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,3}),p=(\d{1,3})\$([\w+/]+)\$([\w+/]+)$/;
const BCRYPT = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/;
const SHA1 = /^\$sha1\$([\w-]{1,400})(\$argon2id\$.+)$/;

/** Throws for an unknown format. */
export function parseStoredHash(text: string): StoredHash {
  if (text === INACTIVE_HASH) return { kind: 'inactive' };
  if (BCRYPT.test(text)) return { kind: 'bcrypt', hash: text };
  const [, encodedSalt, inner] = SHA1.exec(text) ?? [];
  if (encodedSalt && inner)
    return { kind: 'sha1', salt: Buffer.from(encodedSalt, 'base64url').toString(), inner };
  const [, memory, passes, parallelism, salt, tag] = PHC.exec(text) ?? [];
  if (!salt || !tag) throw new Error('A stored password hash has an unknown format.');
  return {
    kind: 'argon2id',
    cost: { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) },
    salt: Buffer.from(salt, 'base64'),
    expected: Buffer.from(tag, 'base64'),
  };
}

export function toPhc({ memory, passes, parallelism }: Argon2Cost, salt: Buffer, tag: Buffer): string {
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${toBase64(salt)}$${toBase64(tag)}`;
}

/** PHC strings omit the padding. */
function toBase64(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}

/** Limits the cost of a check: 256 MiB of memory, and seconds of a core. */
const MOST = { memory: 262_144, passes: 12, parallelism: 16, bcryptCost: 14, tagBytes: 64 };
const LEAST_BCRYPT_COST = 4;
const LEAST_BYTES = { salt: 8, tag: 16 };

/** Whether a hash that another product stored can be verified here, at an acceptable cost. */
export function isUsableHash(text: string): boolean {
  const bcryptCost = BCRYPT.exec(text)?.[1];
  if (bcryptCost !== undefined)
    return Number(bcryptCost) >= LEAST_BCRYPT_COST && Number(bcryptCost) <= MOST.bcryptCost;
  if (!PHC.test(text)) return false;
  const stored = parseStoredHash(text);
  if (stored.kind !== 'argon2id') return false;
  const { cost, salt, expected } = stored;
  return (
    cost.memory <= MOST.memory &&
    cost.memory >= 8 * cost.parallelism &&
    cost.passes >= 1 &&
    cost.passes <= MOST.passes &&
    cost.parallelism >= 1 &&
    cost.parallelism <= MOST.parallelism &&
    salt.length >= LEAST_BYTES.salt &&
    salt.length <= MOST.tagBytes &&
    expected.length >= LEAST_BYTES.tag &&
    expected.length <= MOST.tagBytes
  );
}

export function sha1Hex(password: string, salt: string): string {
  return createHash('sha1')
    .update(password + salt)
    .digest('hex');
}

const SALT_MAX_BYTES = KIB / 4;

export type Sha1Hash = { digest: string; salt: string };

export function isUsableSha1({ digest, salt }: Sha1Hash): boolean {
  return /^[0-9a-f]{40}$/.test(digest) && salt !== '' && Buffer.byteLength(salt) <= SALT_MAX_BYTES;
}

export function wrapSha1({ salt }: Sha1Hash, inner: string): string {
  return `$sha1$${Buffer.from(salt).toString('base64url')}${inner}`;
}

import { createHash, createHmac, randomFillSync, randomInt, randomUUID, timingSafeEqual } from 'node:crypto';

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const ID_LENGTH = 26;

/** Random bytes for several ids, because each request needs one and asking the system costs more than the id. */
const pool = Buffer.alloc(128 * ID_LENGTH);
let used = pool.length;

/** 130 bits from the CSPRNG, 26 characters of [0-9a-z]. For ids, share tokens and storage keys. */
export function randomId(): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const bytes = pool.subarray(used, used + ID_LENGTH);
  used += ID_LENGTH;
  const id = toId(bytes);
  bytes.fill(0);
  return id;
}

/** Derived from its parts. Keyed, so that only the server can compute it. */
export function keyedId(secret: string, ...parts: string[]): string {
  return toId(createHmac('sha256', secret).update(parts.join('\n')).digest().subarray(0, ID_LENGTH));
}

function toId(bytes: Buffer): string {
  let id = '';
  for (const byte of bytes) id += ALPHABET[byte & 31];
  return id;
}

export function randomUserId(): string {
  return randomUUID();
}

/** Six digits. */
export function randomCode(): string {
  return String(randomInt(1_000_000)).padStart(6, '0');
}

/** For secrets with full entropy, for which a plain hash is enough. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}

/** For short secrets. Keyed, so that a stolen database doesn't reveal them. */
export function keyedHash(secret: string, ...parts: string[]): string {
  return createHmac('sha256', secret).update(parts.join('\n')).digest('base64url');
}

export function equalInConstantTime(a: string, b: string): boolean {
  const left = createHash('sha256').update(a).digest();
  const right = createHash('sha256').update(b).digest();
  return timingSafeEqual(left, right);
}

import { type Argon2Parameters, argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { MINUTE_MS } from '../../../../contracts/values/durations.ts';
import { KIB } from '../../../../contracts/values/sizes.ts';
import type { Context } from '../../../context.ts';
import { claimAllWithinLimit, tooManyRequests } from '../../../platform/http/limits/rate-limits.ts';
import { AppError, isAppError } from '../../../platform/lib/app-error.ts';
import { FairQueue } from '../../../platform/lib/concurrency/fair-queue.ts';
import { verifyBcrypt } from './bcrypt.ts';
import { parseStoredHash, type Sha1Hash, sha1Hex, toPhc, wrapSha1 } from './stored-hashes.ts';

const derive = promisify(argon2);

/** OWASP's second recommendation for argon2id: 19 MiB, two passes, one lane. A hash takes about 20 ms of a core. */
const COST = { memory: 19_456, passes: 2, parallelism: 1 };

/** The beginning of all hashes with today's cost. */
const CURRENT = `$argon2id$v=19$m=${COST.memory},t=${COST.passes},p=${COST.parallelism}$`;

const SALT_BYTES = 16;
const HASH_BYTES = 32;

/** Half of Node's thread pool (four threads by default), which also serves file I/O. */
const HASHES_AT_ONCE = 2;

const PASSWORD_MAX_BYTES = KIB;

/**
 * Sign-in may use all slots. Other hashes (passwords of transfers, registrations) use all but one, so that they never
 * block sign-in. A full lane drains in about four seconds.
 */
const hashing = new FairQueue({
  places: HASHES_AT_ONCE,
  lanes: { 'sign-in': { places: HASHES_AT_ONCE }, other: { places: HASHES_AT_ONCE - 1 } },
  maxWaiting: 200,
  maxWaitingPerTag: 50,
});

const HASHES = { limit: 300, windowMs: 15 * MINUTE_MS };

/** Waiting network addresses and accounts (or transfers) take turns. */
export type HashingTurn = { lane?: 'sign-in' | 'other'; address?: string; account?: string };

/**
 * Unknown usernames are verified against this hash, so that they take as long as known ones. No password matches it.
 */
export const UNKNOWN_USER_HASH = toPhc(COST, Buffer.alloc(SALT_BYTES), Buffer.alloc(HASH_BYTES));

/**
 * Hashes with argon2id, in PHC string format. Throws AppError `invalid_input` for a password longer than 1 KiB, and
 * `unavailable` immediately when too many hashes of the lane, the address or the account are waiting.
 */
export async function hashPassword(password: string, turn: HashingTurn = {}): Promise<string> {
  if (Buffer.byteLength(password) > PASSWORD_MAX_BYTES) throw new AppError('invalid_input');
  const nonce = randomBytes(SALT_BYTES);
  return toPhc(COST, nonce, await hash({ ...COST, message: password, nonce, tagLength: HASH_BYTES }, turn));
}

/**
 * Takes equally long for right and wrong passwords. Verifies the formats that imports bring, too (`StoredHash`). Throws
 * AppError `unavailable` like `hashPassword`.
 */
export async function verifyPassword(
  stored: string,
  password: string,
  turn: HashingTurn = {},
): Promise<boolean> {
  if (Buffer.byteLength(password) > PASSWORD_MAX_BYTES) return false;
  const parsed = parseStoredHash(stored);
  if (parsed.kind === 'inactive') return verifyPassword(UNKNOWN_USER_HASH, password, turn);
  if (parsed.kind === 'bcrypt') return inTurn(turn, () => verifyBcrypt(password, parsed.hash));
  if (parsed.kind === 'sha1') return verifyPassword(parsed.inner, sha1Hex(password, parsed.salt), turn);
  const { cost, salt, expected } = parsed;
  const actual = await hash({ ...cost, message: password, nonce: salt, tagLength: expected.length }, turn);
  return timingSafeEqual(actual, expected);
}

/** Protects another product's fast hash immediately, although its password is not known. */
export async function hashSha1(sha1: Sha1Hash): Promise<string> {
  return wrapSha1(sha1, await hashPassword(sha1.digest));
}

/**
 * Returns the hash that replaces an imported one, for a password that was just verified; undefined if the stored one has
 * today's format and cost, or if too many hashes are waiting: the next sign-in replaces it then.
 */
export async function rehashPassword(
  stored: string,
  password: string,
  turn: HashingTurn = {},
): Promise<string | undefined> {
  if (stored.startsWith(CURRENT)) return undefined;
  try {
    return await hashPassword(password, turn);
  } catch (error) {
    if (isAppError(error, 'unavailable')) return undefined;
    throw error;
  }
}

/**
 * Counts a password check, right or wrong, because each costs about 20 ms of a core. Counts per network address, per
 * account, or both. Call it after the limits for wrong passwords, so that attempts they refuse don't count. Throws
 * AppError `too_many_requests`.
 */
export async function claimHashing(
  deps: Pick<Context, 'db' | 'clock' | 'config'>,
  { address, userId }: { address?: string; userId?: string },
): Promise<void> {
  const costs = new Map<string, number>();
  if (address !== undefined) costs.set(`hashing:address:${address}`, 1);
  if (userId !== undefined) costs.set(`hashing:user:${userId}`, 1);
  const refusal = await claimAllWithinLimit(deps, { ...HASHES, costs });
  if (refusal) throw tooManyRequests(refusal.waitMs);
}

function hash(parameters: Argon2Parameters, turn: HashingTurn): Promise<Buffer> {
  return inTurn(turn, () => derive('argon2id', parameters));
}

function inTurn<T>({ lane = 'other', address, account }: HashingTurn, task: () => Promise<T>): Promise<T> {
  const tags = [
    ...(address === undefined ? [] : [`address:${address}`]),
    ...(account === undefined ? [] : [`account:${account}`]),
  ];
  return hashing.run({ lane, tags }, task);
}

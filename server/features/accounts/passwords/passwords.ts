import { type Argon2Parameters, argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { MINUTE_MS } from '../../../../contracts/values/durations.ts';
import { KIB } from '../../../../contracts/values/sizes.ts';
import type { Context } from '../../../context.ts';
import { claimAllWithinLimit, tooManyRequests } from '../../../platform/http/limits/rate-limits.ts';
import { AppError } from '../../../platform/lib/app-error.ts';
import { FairQueue } from '../../../platform/lib/concurrency/fair-queue.ts';

const derive = promisify(argon2);

/** OWASP's second recommendation for argon2id: 19 MiB, two passes, one lane. A hash takes about 20 ms of a core. */
const COST = { memory: 19_456, passes: 2, parallelism: 1 };

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

/** Takes equally long for right and wrong passwords. Throws AppError `unavailable` like `hashPassword`. */
export async function verifyPassword(
  phc: string,
  password: string,
  turn: HashingTurn = {},
): Promise<boolean> {
  if (Buffer.byteLength(password) > PASSWORD_MAX_BYTES) return false;
  const { cost, salt, expected } = fromPhc(phc);
  const actual = await hash({ ...cost, message: password, nonce: salt, tagLength: expected.length }, turn);
  return timingSafeEqual(actual, expected);
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

function hash(
  parameters: Argon2Parameters,
  { lane = 'other', address, account }: HashingTurn,
): Promise<Buffer> {
  const tags = [
    ...(address === undefined ? [] : [`address:${address}`]),
    ...(account === undefined ? [] : [`account:${account}`]),
  ];
  return hashing.run({ lane, tags }, () => derive('argon2id', parameters));
}

function toPhc({ memory, passes, parallelism }: typeof COST, salt: Buffer, tag: Buffer): string {
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${toBase64(salt)}$${toBase64(tag)}`;
}

const PHC = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]+)$/;

function fromPhc(phc: string) {
  const [, memory, passes, parallelism, salt, tag] = PHC.exec(phc) ?? [];
  if (!salt || !tag) throw new Error('A stored password hash is not argon2id.');
  return {
    cost: { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) },
    salt: Buffer.from(salt, 'base64'),
    expected: Buffer.from(tag, 'base64'),
  };
}

/** PHC strings omit the padding. */
function toBase64(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}

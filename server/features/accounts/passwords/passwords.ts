import { type Argon2Parameters, argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { KIB } from '../../../../contracts/sizes.ts';
import type { Context } from '../../../context.ts';
import { claimTries, tooManyRequests } from '../../../platform/http/rate-limits.ts';
import { AppError } from '../../../platform/lib/app-error.ts';
import { MINUTE_MS } from '../../../platform/lib/clock.ts';
import { FairQueue } from '../../../platform/lib/fair-queue.ts';

const derive = promisify(argon2);

/** OWASP's second choice: 19 MiB, two passes, one lane (about 20 ms of one core). */
const COST = { memory: 19_456, passes: 2, parallelism: 1 };

const SALT_BYTES = 16;
const HASH_BYTES = 32;

/** Node hashes in the threads that also read and write files, so hashing may use half of them. */
const HASHES_AT_ONCE = 2;

const PASSWORD_MAX_BYTES = KIB;

/**
 * Signing in has a lane of its own with a reserved place. Of the other hashes (unlocking transfers, setting their
 * passwords, registering) only one runs at a time. A full lane is worked off in about four seconds.
 */
const hashing = new FairQueue({
  places: HASHES_AT_ONCE,
  lanes: { 'sign-in': { places: HASHES_AT_ONCE }, other: { places: HASHES_AT_ONCE - 1 } },
  maxWaiting: 200,
  maxWaitingPerTag: 50,
});

/** Far more than people need, and too few to keep the processor busy. */
const HASHES = { limit: 300, windowMs: 15 * MINUTE_MS };

/** Whom a hash is for: each network address and each account (or transfer) gets one turn after the other. */
export type HashingTurn = { lane?: 'sign-in' | 'other'; address?: string; account?: string };

/** What a wrong user name is verified against, so that it takes as long as a right one. No password fits. */
export const UNKNOWN_USER_HASH = toPhc(COST, Buffer.alloc(SALT_BYTES), Buffer.alloc(HASH_BYTES));

/**
 * argon2id in the PHC string format. Throws AppError `invalid_input` for a password longer than 1 KiB, and
 * `unavailable` at once when too many hashes of the lane, the address or the account are waiting.
 */
export async function hashPassword(password: string, turn: HashingTurn = {}): Promise<string> {
  if (Buffer.byteLength(password) > PASSWORD_MAX_BYTES) throw new AppError('invalid_input');
  const nonce = randomBytes(SALT_BYTES);
  return toPhc(COST, nonce, await hash({ ...COST, message: password, nonce, tagLength: HASH_BYTES }, turn));
}

/** Whether this is the password; takes as long when it is not. Throws AppError `unavailable` like hashPassword. */
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
 * Counts a password check that is about to run, whether the password turns out right or not: each costs about 20 ms of
 * a core. It counts for the network address, the account, or both. Call it after the limits of wrong passwords, so
 * that refused tries do not count. Throws AppError `too_many_requests`.
 */
export async function claimHashing(
  deps: Pick<Context, 'db' | 'clock' | 'config'>,
  { address, userId }: { address?: string; userId?: string },
): Promise<void> {
  const costs = new Map<string, number>();
  if (address !== undefined) costs.set(`hashing:address:${address}`, 1);
  if (userId !== undefined) costs.set(`hashing:user:${userId}`, 1);
  const refusal = await claimTries(deps, { ...HASHES, costs });
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

/** PHC strings carry no padding. */
function toBase64(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}

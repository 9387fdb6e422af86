import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { RETENTION } from '../../../../contracts/transfers/retention.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../../contracts/values/durations.ts';
import type { Context } from '../../../context.ts';
import { findKnownPlaces, recordKnownPlace } from '../../../platform/http/limits/known-places.ts';
import {
  addressKey,
  claimFromBudget,
  refundCounter,
  refundToBudget,
  requireAddressWithinLimits,
  requireWithinLimit,
  tooManyRequests,
} from '../../../platform/http/limits/rate-limits.ts';
import {
  readSignedValue,
  type Secrets,
  type Signing,
  signValue,
} from '../../../platform/http/security/signed-value.ts';
import { AppError } from '../../../platform/lib/app-error.ts';
import { toIso } from '../../../platform/lib/clock.ts';
import { keyedHash } from '../../../platform/lib/tokens.ts';
import { claimHashing, rehashPassword, verifyPassword } from '../../accounts/index.ts';
import { isExpired } from '../../transfers/index.ts';
import { findShare, replacePasswordHash, type Share } from '../queries.ts';

const SCAN_RETRY_SECONDS = 10;

const UNKNOWN_TOKENS = { limit: 300, windowMs: 10 * MINUTE_MS };

type Proofs = {
  grant: string | undefined;
  request: Pick<FastifyRequest, 'ip'>;
};

/** In order of precedence. */
type Availability =
  | 'taken-down'
  | 'expired'
  | 'blocked'
  | 'checking'
  | 'stopped'
  | 'locked'
  | 'scheduled'
  | 'open';

type Gate = Pick<Context, 'db' | 'clock' | 'secret' | 'previousSecret' | 'config'>;

/**
 * The only place where a share token becomes a transfer. Known tokens are never refused; `availability` says how much
 * may be shown. Only unknown tokens are rate-limited per address, because many people may share an address and 130-bit
 * tokens can't be guessed. Throws AppError `transfer_not_found`, `too_many_requests`.
 */
export async function viewTransfer(
  gate: Gate,
  token: string,
  proofs: Proofs,
): Promise<{ share: Share; availability: Availability }> {
  const share = await findShare(gate.db, token);
  if (!share) {
    await limitUnknownTokens(gate, proofs.request);
    throw new AppError('transfer_not_found');
  }
  return { share, availability: getAvailability(gate, share, proofs) };
}

/** Counts a link that leads nowhere. Throws AppError `too_many_requests`. */
export async function limitUnknownTokens(
  gate: Pick<Gate, 'db' | 'clock' | 'config'>,
  request: Pick<FastifyRequest, 'ip'>,
): Promise<void> {
  await requireWithinLimit(gate, { key: `unknown-token:${addressKey(request)}`, ...UNKNOWN_TOKENS });
}

/**
 * Every call that sends bytes passes this gate. `claimDownload` then decides whether a download is left. Throws what
 * `viewTransfer` throws and AppError `transfer_taken_down`, `transfer_blocked`, `transfer_expired`,
 * `transfer_checking`, `upload_stopped`, `password_required`, `access_key_required`, `not_yet_available`.
 */
export async function openTransfer(gate: Gate, token: string, proofs: Proofs): Promise<Share> {
  const { share, availability } = await viewTransfer(gate, token, proofs);
  requireNotBlocked(availability);
  if (availability === 'expired') throw new AppError('transfer_expired');
  if (availability === 'checking')
    throw new AppError('transfer_checking', { retryAfterSeconds: SCAN_RETRY_SECONDS });
  if (availability === 'stopped') throw new AppError('upload_stopped');
  if (availability === 'locked')
    throw new AppError(share.accessKeyHash === null ? 'password_required' : 'access_key_required');
  if (availability === 'scheduled') throw notYetAvailableError(share.scheduledAvailableAt!, gate.clock.now());
  return share;
}

export function requireNotBlocked(availability: Availability): void {
  if (availability === 'taken-down') throw new AppError('transfer_taken_down');
  if (availability === 'blocked') throw new AppError('transfer_blocked');
}

/** Only an early check; `claimDownload` decides. */
export function isUsedUp({ closedAt, maxDownloads, downloadCount }: Share): boolean {
  return closedAt !== null || (maxDownloads !== null && downloadCount >= maxDownloads);
}

function getAvailability(
  { clock, secret, previousSecret }: Gate,
  share: Share,
  { grant }: Proofs,
): Availability {
  if (share.takenDownAt !== null) return 'taken-down';
  const now = clock.now();
  if (isExpired(share, now)) return 'expired';
  if (share.scanState === 'blocked') return 'blocked';
  if (share.scanState !== null && share.scanState !== 'partial') return 'checking';
  if (share.status === 'draft') return 'stopped';
  if (!isUnlocked({ secret, previousSecret, now }, share, grant)) return 'locked';
  return share.scheduledAvailableAt !== null && share.scheduledAvailableAt > now ? 'scheduled' : 'open';
}

function notYetAvailableError(availableAt: number, now: number): AppError {
  return new AppError('not_yet_available', {
    details: { availableAt: toIso(availableAt) },
    retryAfterSeconds: Math.ceil((availableAt - now) / SECOND_MS),
  });
}

export const GRANT_LIFETIME_MS = RETENTION.unlockedTransferHours * HOUR_MS;

const WINDOW_MS = 15 * MINUTE_MS;
const ATTEMPTS_PER_ADDRESS = 10;
/** Per transfer, shared by all addresses that never unlocked it: 100 at once, refilled at 288 a day. */
const BUDGET = { tries: 100, refillMs: 5 * MINUTE_MS };
const KNOWN_ADDRESSES_MAX = 500;

type LockedShare = Pick<Share, 'id' | 'createdAt' | 'passwordHash' | 'accessKeyHash'>;

export type UnlockProof = { password?: string | undefined; accessKey?: string | undefined };

/**
 * Returns the grant that unlocks this transfer for 12 hours, or undefined if it is not locked. A transfer with a password
 * needs it, an encrypted one its access key. Attempts at a password are counted before the check and refunded if it is
 * right. Throws AppError `too_many_requests`, `password_required` and `access_key_required` (the other proof was sent),
 * `wrong_password`, `wrong_access_key`, `unavailable`.
 */
export async function unlockTransfer(
  context: Context,
  share: LockedShare,
  { password, accessKey, request }: UnlockProof & { request: FastifyRequest },
): Promise<string | undefined> {
  const { clock, secret } = context;
  const { passwordHash, accessKeyHash } = share;
  if (passwordHash === null && accessKeyHash === null) return undefined;
  if (accessKeyHash !== null && accessKey === undefined) throw new AppError('access_key_required');
  if (passwordHash !== null && password === undefined) throw new AppError('password_required');
  const address = addressKey(request);
  const subject = `transfer:${share.id}`;
  const place = keyedHash(secret, 'known-address', subject, address);
  const grant = (unlocked = share) =>
    signValue(grantSigning({ secret }, unlocked), 'unlocked', clock.now() + GRANT_LIFETIME_MS);
  // Nobody can guess 256 random bits, so only wrong keys count. Many people behind one address may open the page at once.
  if (accessKeyHash !== null && isAccessKey(accessKeyHash, accessKey!)) return grant();
  const refund = await claimUnlockAttempt(context, { subject, place, request });
  if (passwordHash === null) throw new AppError('wrong_access_key');
  await claimHashing(context, { address });
  const turn = { address, account: share.id };
  if (!(await verifyPassword(passwordHash, password!, turn))) throw new AppError('wrong_password');
  const renewed = await rehashPassword(passwordHash, password!, turn);
  await refund();
  await recordKnownPlace(context, { subject, place, max: KNOWN_ADDRESSES_MAX });
  if (renewed === undefined) return grant();
  // Of parallel calls, the first one decides: grants are valid for one hash only.
  const current = await replacePasswordHash(context.db, { id: share.id, from: passwordHash, to: renewed });
  if (current === renewed) return grant({ ...share, passwordHash: renewed });
  if (current == null || !(await verifyPassword(current, password!, turn)))
    throw new AppError('wrong_password');
  return grant({ ...share, passwordHash: current });
}

/** A fast hash is enough for a key with full entropy. */
function isAccessKey(accessKeyHash: string, accessKey: string): boolean {
  const hash = createHash('sha256').update(accessKey, 'base64url').digest();
  return timingSafeEqual(hash, Buffer.from(accessKeyHash, 'base64url'));
}

/**
 * Addresses that unlocked the transfer before don't use its shared budget, so strangers can't lock recipients out.
 * Returns a function that refunds the attempt. Throws AppError `too_many_requests`.
 */
async function claimUnlockAttempt(
  context: Context,
  { subject, place, request }: { subject: string; place: string; request: FastifyRequest },
): Promise<() => Promise<void>> {
  const limits = await requireAddressWithinLimits(context, request, {
    key: `unlock:${subject}`,
    limit: ATTEMPTS_PER_ADDRESS,
    windowMs: WINDOW_MS,
  });
  const isKnown = (await findKnownPlaces(context, { subject, places: [place] })).has(place);
  const budget = { key: `unlock:budget:${subject}`, ...BUDGET };
  const waitMs = isKnown ? undefined : await claimFromBudget(context, budget);
  if (waitMs !== undefined) throw tooManyRequests(waitMs);
  return async () => {
    for (const limit of limits) await refundCounter(context, limit);
    if (!isKnown) await refundToBudget(context, budget);
  };
}

function isUnlocked(
  { now, ...secrets }: Secrets & { now: number },
  share: LockedShare,
  grant: string | undefined,
): boolean {
  if (share.passwordHash === null && share.accessKeyHash === null) return true;
  return readSignedValue(grantSigning(secrets, share), grant, now) !== undefined;
}

/** Includes the hash of the password or the access key, so that changing the password voids earlier grants. */
function grantSigning(
  { secret, previousSecret }: Secrets,
  { id, createdAt, passwordHash, accessKeyHash }: LockedShare,
): Signing {
  const bindings = [id, String(createdAt), passwordHash ?? accessKeyHash ?? ''];
  return { secret, previousSecret, purpose: 'download-grant', bindings };
}

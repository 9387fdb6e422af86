import type { FastifyRequest } from 'fastify';
import type { Context } from '../../context.ts';
import { addressKey, takeTry } from '../../platform/http/rate-limits.ts';
import { AppError } from '../../platform/lib/app-error.ts';
import { MINUTE_MS, SECOND_MS, toIso } from '../../platform/lib/clock.ts';
import { isExpired } from '../transfers/index.ts';
import { isUnlocked } from './password-grants.ts';
import { findShare, type Share } from './queries.ts';

/** What a visitor brings beside the link. */
export type Proofs = {
  /** The cookie that `verify` gave for this transfer's password. */
  grant: string | undefined;
  request: Pick<FastifyRequest, 'ip'>;
};

/** When a client may ask again for a transfer that is being scanned. */
const CHECK_AGAIN_SECONDS = 10;

const UNKNOWN_TOKENS = { limit: 300, windowMs: 10 * MINUTE_MS };

/** How a known transfer stands towards a visitor, in the order in which it is decided. */
export type Standing = 'taken-down' | 'expired' | 'blocked' | 'checking' | 'locked' | 'scheduled' | 'open';

type Gate = Pick<Context, 'db' | 'clock' | 'secret' | 'previousSecret' | 'config'>;

/**
 * The one gate: a share token becomes a transfer here and nowhere else. Never refuses a known token; its
 * standing says how much of it may be shown.
 *
 * Unknown tokens are limited per address. Known ones pass however many unknown ones the address has tried: many people
 * may share it, and what keeps a token from being guessed is its length of 130 bits, not this limit. Throws AppError
 * `transfer_not_found`, `too_many_requests`.
 */
export async function viewTransfer(
  gate: Gate,
  token: string,
  proofs: Proofs,
): Promise<{ share: Share; standing: Standing }> {
  const share = await findShare(gate.db, token);
  if (!share) {
    await takeTry(gate, { key: `unknown-token:${addressKey(proofs.request)}`, ...UNKNOWN_TOKENS });
    throw new AppError('transfer_not_found');
  }
  return { share, standing: findStanding(gate, share, proofs) };
}

/**
 * The same gate for all that gives bytes away. Throws what `viewTransfer` throws, AppError `transfer_taken_down`,
 * `transfer_blocked`, `transfer_expired`, `transfer_checking`, `password_required`, `not_yet_available`. Whether a download is left is decided by `claimDownload`.
 */
export async function openTransfer(gate: Gate, token: string, proofs: Proofs): Promise<Share> {
  const { share, standing } = await viewTransfer(gate, token, proofs);
  refuseClosed(standing);
  if (standing === 'expired') throw new AppError('transfer_expired');
  if (standing === 'checking')
    throw new AppError('transfer_checking', { retryAfterSeconds: CHECK_AGAIN_SECONDS });
  if (standing === 'locked') throw new AppError('password_required');
  if (standing === 'scheduled') throw notYetAvailable(share.scheduledAvailableAt!, gate.clock.now());
  return share;
}

/**
 * Closed by an administrator or by the scanner: nobody but its owner sees anything of it. Throws AppError
 * `transfer_taken_down`, `transfer_blocked`.
 */
export function refuseClosed(standing: Standing): void {
  if (standing === 'taken-down') throw new AppError('transfer_taken_down');
  if (standing === 'blocked') throw new AppError('transfer_blocked');
}

/** Whether no new download is left, as far as one look can say. */
export function isUsedUp({ closedAt, maxDownloads, downloadCount }: Share): boolean {
  return closedAt !== null || (maxDownloads !== null && downloadCount >= maxDownloads);
}

function findStanding({ clock, secret, previousSecret }: Gate, share: Share, { grant }: Proofs): Standing {
  if (share.takenDownAt !== null) return 'taken-down';
  const now = clock.now();
  if (isExpired(share, now)) return 'expired';
  if (share.scanState === 'blocked') return 'blocked';
  if (share.scanState !== null && share.scanState !== 'partial') return 'checking';
  if (!isUnlocked({ secret, previousSecret, now }, share, grant)) return 'locked';
  return share.scheduledAvailableAt !== null && share.scheduledAvailableAt > now ? 'scheduled' : 'open';
}

function notYetAvailable(availableAt: number, now: number): AppError {
  return new AppError('not_yet_available', {
    details: { availableAt: toIso(availableAt) },
    retryAfterSeconds: Math.ceil((availableAt - now) / SECOND_MS),
  });
}

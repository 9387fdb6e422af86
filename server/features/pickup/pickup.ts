import type { FastifyRequest } from 'fastify';
import {
  PICKUP_HOURS,
  type PickupCode,
  parsePickupCode,
} from '../../../contracts/transfers/downloads/pickup.ts';
import { HOUR_MS, MINUTE_MS } from '../../../contracts/values/durations.ts';
import type { Context } from '../../context.ts';
import { isUniqueViolation } from '../../platform/db/engines/errors.ts';
import {
  claimFromBudget,
  refundCounter,
  refundToBudget,
  requireAddressWithinLimits,
  tooManyRequests,
} from '../../platform/http/limits/rate-limits.ts';
import { AppError } from '../../platform/lib/app-error.ts';
import { toIso } from '../../platform/lib/clock.ts';
import { randomId } from '../../platform/lib/tokens.ts';
import { requireOwnTransfer } from '../transfers/index.ts';
import { deriveCode, hashCode, hashesOf, readCode } from './codes.ts';
import { findPickupCode, findTokenByCode, removePickupCode, writePickupCode } from './queries.ts';

type Owned = { transferId: string; userId: string };

/** With a million valid codes, a new code is already in use once in 64 attempts. */
const ATTEMPTS = 8;

/**
 * Replaces an earlier code of the transfer. Throws AppError `transfer_not_found`, `pickup_encrypted`,
 * `transfer_expired`.
 */
export async function createPickupCode(context: Context, owned: Owned): Promise<PickupCode> {
  const { db, clock, secret } = context;
  const { encryption } = await requireOwnTransfer(context, owned);
  if (encryption !== null) throw new AppError('pickup_encrypted');
  const now = clock.now();
  for (let attempt = 1; ; attempt += 1) {
    const nonce = randomId();
    const code = deriveCode(secret, owned.transferId, nonce);
    const expiresAt = now + PICKUP_HOURS * HOUR_MS;
    try {
      const codeHash = hashCode(secret, code);
      if (!(await writePickupCode(db, { ...owned, nonce, codeHash, expiresAt, now })))
        throw new AppError('transfer_expired');
      return { code, expiresAt: toIso(expiresAt) };
    } catch (error) {
      if (!isUniqueViolation(error) || attempt === ATTEMPTS) throw error;
    }
  }
}

/** Throws AppError `transfer_not_found`. */
export async function getPickupCode(context: Context, owned: Owned): Promise<PickupCode | null> {
  await requireOwnTransfer(context, owned);
  const row = await findPickupCode(context.db, owned.transferId, context.clock.now());
  const code = row && readCode(context, row);
  return row && code !== undefined ? { code, expiresAt: toIso(row.expiresAt) } : null;
}

/** Throws AppError `transfer_not_found`. */
export async function voidPickupCode(context: Context, owned: Owned): Promise<void> {
  await requireOwnTransfer(context, owned);
  await removePickupCode(context.db, owned.transferId);
}

/** Wrong codes of one address (larger IPv6 networks get more). */
const PER_ADDRESS = { key: 'pickup', limit: 10, windowMs: HOUR_MS };

/** Wrong codes of everybody: 780 on the first day, 720 on each later one. docs/decisions/0047-pickup-codes.md */
const FOR_ALL = { key: 'pickup:all', tries: 60, refillMs: 2 * MINUTE_MS };

/** Returns the share token. Only wrong codes count. Throws AppError `pickup_code_unknown`, `too_many_requests`. */
export async function pickUp(context: Context, text: string, request: FastifyRequest): Promise<string> {
  const limits = await requireAddressWithinLimits(context, request, PER_ADDRESS);
  const refundAddress = async () => {
    for (const limit of limits) await refundCounter(context, limit);
  };
  const waitMs = await claimFromBudget(context, FOR_ALL);
  if (waitMs !== undefined) {
    await refundAddress();
    throw tooManyRequests(waitMs);
  }
  const code = parsePickupCode(text);
  const token = code && (await findTokenByCode(context.db, hashesOf(context, code), context.clock.now()));
  if (!token) throw new AppError('pickup_code_unknown');
  await refundAddress();
  if (context.config.rateLimit) await refundToBudget(context, FOR_ALL);
  return token;
}

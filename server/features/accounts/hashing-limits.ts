import type { Context } from '../../context.ts';
import { claimTries, tooManyRequests } from '../../platform/http/rate-limits.ts';
import { MINUTE_MS } from '../../platform/lib/clock.ts';

/** Far more than people need, and too few to keep the processor busy. */
const HASHES = { limit: 300, windowMs: 15 * MINUTE_MS };

/**
 * Counts a password check that is about to run, whether the password turns out right or not: each costs about 20 ms of
 * a core. It counts for the network address, the account, or both. Call it after the limits of wrong passwords, so
 * that refused tries do not count. Throws AppError `too_many_requests`.
 */
export async function takeHashing(
  deps: Pick<Context, 'db' | 'clock' | 'config'>,
  { address, userId }: { address?: string; userId?: string },
): Promise<void> {
  const costs = new Map<string, number>();
  if (address !== undefined) costs.set(`hashing:address:${address}`, 1);
  if (userId !== undefined) costs.set(`hashing:user:${userId}`, 1);
  const refusal = await claimTries(deps, { ...HASHES, costs });
  if (refusal) throw tooManyRequests(refusal.waitMs);
}

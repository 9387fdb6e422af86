import type { Context } from '../../context.ts';
import { takeTries } from '../../platform/http/rate-limits.ts';
import { MINUTE_MS } from '../../platform/lib/clock.ts';

/** Far more than people need, and too few to keep the processor busy. */
const HASHES = { limit: 300, windowMs: 15 * MINUTE_MS };

/**
 * Counts a password check for the network address and for the account or transfer, whether the password turns out
 * right or not: each costs about 20 ms of a core. Throws AppError `too_many_requests`.
 */
export function takeHashing(
  deps: Pick<Context, 'db' | 'clock' | 'config'>,
  { address, account }: { address?: string; account: string },
): Promise<void> {
  const keys = [`hashing:${account}`, ...(address === undefined ? [] : [`hashing:${address}`])];
  return takeTries(deps, { ...HASHES, keys });
}

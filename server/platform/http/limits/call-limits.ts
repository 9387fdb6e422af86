import { SECOND_MS } from '../../../../contracts/values/durations.ts';
import type { Db } from '../../db/open.ts';
import { AppError } from '../../lib/app-error.ts';
import type { Clock } from '../../lib/clock.ts';
import { claimAhead, formatWait, toRetryAfter } from './rate-limits.ts';

export type CallLimit = {
  name: string;
  key: string;
  limit: number;
  windowMs: number;
};

export type Allowance = {
  isUsedUp: boolean;
  remaining: number;
  waitMs: number;
};

type Lease = { left: number; remaining: number; limit: number; windowEndsAt: number };

const LEASES_KEPT = 10_000;

type Deps = { db: Db; clock: Clock; config: { rateLimit: boolean } };

export type CallLimits = {
  /** Undefined if limits are off. */
  claim(limit: CallLimit): Promise<Allowance | undefined>;
};

/**
 * Counts calls of all processes in the database, without a write per call: a process claims several calls in
 * advance, fewer as the limit gets closer. Unused ones expire with the window.
 */
export function createCallLimits(deps: Deps): CallLimits {
  const leases = new Map<string, Lease>();
  /** Of concurrent calls, one claims the next lease and the others wait for it. */
  const turns = new Map<string, Promise<void>>();
  const claimNextLease = async (limit: CallLimit) => {
    const { granted, ...rest } = await claimAhead(deps, limit);
    if (leases.size >= LEASES_KEPT) deleteEndedLeases(leases, deps.clock.now());
    leases.set(limit.key, { ...rest, left: granted, limit: limit.limit });
  };
  return {
    async claim(limit) {
      if (!deps.config.rateLimit) return undefined;
      for (;;) {
        const now = deps.clock.now();
        const lease = leases.get(limit.key);
        if (lease && isUsable(lease, limit, now)) return claimFromLease(lease, now);
        const turn = turns.get(limit.key) ?? claimNextLease(limit).finally(() => turns.delete(limit.key));
        turns.set(limit.key, turn);
        await turn;
      }
    },
  };
}

/** An exhausted lease stays valid until its window ends, so that refusals don't query the database. */
function isUsable({ left, remaining, windowEndsAt, limit }: Lease, wanted: CallLimit, now: number): boolean {
  const isRunning = windowEndsAt > now && windowEndsAt <= now + wanted.windowMs;
  return isRunning && limit === wanted.limit && (left > 0 || remaining === 0);
}

function claimFromLease(lease: Lease, now: number): Allowance {
  const waitMs = lease.windowEndsAt - now;
  if (lease.left === 0) return { isUsedUp: true, remaining: 0, waitMs };
  lease.left -= 1;
  return { isUsedUp: false, remaining: lease.remaining + lease.left, waitMs };
}

function deleteEndedLeases(leases: Map<string, Lease>, now: number): void {
  for (const [key, { windowEndsAt }] of leases) if (windowEndsAt <= now) leases.delete(key);
}

/** draft-ietf-httpapi-ratelimit-headers */
export function describeAllowance(
  { name, limit, windowMs }: CallLimit,
  { remaining, waitMs }: Allowance,
): Record<string, string> {
  return {
    'ratelimit-policy': `"${name}";q=${limit};w=${windowMs / SECOND_MS}`,
    ratelimit: `"${name}";r=${remaining};t=${toRetryAfter(waitMs)}`,
  };
}

export function callLimitExceeded(
  { limit }: CallLimit,
  { waitMs }: Allowance,
  code: 'api_limit_exceeded' | 'call_limit_exceeded' = 'api_limit_exceeded',
): AppError {
  return new AppError(code, {
    details: { limit, wait: formatWait(waitMs) },
    retryAfterSeconds: toRetryAfter(waitMs),
  });
}

import { setTimeout } from 'node:timers/promises';
import type { Context } from '../../context.ts';
import { AppError } from '../../platform/lib/app-error.ts';
import { MINUTE_MS } from '../../platform/lib/clock.ts';
import { randomId } from '../../platform/lib/tokens.ts';
import { claimTurn, releaseTurn } from './turn-queries.ts';

/** Longer than any conversation with the provider. */
const TURN_MS = 3 * MINUTE_MS;
const POLL_MS = 100;
const PATIENCE_MS = 10_000;

/**
 * Runs a change of a user's subscription at the provider, one call at a time across all processes, so that a second
 * call finds what the first one has begun. Throws AppError `conflict` if the turn does not come within `patienceMs`
 * (ten seconds by default).
 */
export async function inTurn<T>(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  userId: string,
  run: () => Promise<T>,
  { patienceMs = PATIENCE_MS } = {},
): Promise<T> {
  const turnId = randomId();
  for (let waitedMs = 0; ; waitedMs += POLL_MS) {
    const now = clock.now();
    const turn = { userId, turnId, endsAt: now + TURN_MS };
    if (await claimTurn(db, turn, { now, latestEnd: now + 2 * TURN_MS })) break;
    if (waitedMs >= patienceMs) throw new AppError('conflict');
    await setTimeout(POLL_MS);
  }
  try {
    return await run();
  } finally {
    await releaseTurn(db, { userId, turnId });
  }
}

import { setTimeout } from 'node:timers/promises';
import type { Context } from '../../context.ts';
import { AppError } from '../../platform/lib/app-error.ts';
import { MINUTE_MS } from '../../platform/lib/clock.ts';
import { randomId } from '../../platform/lib/tokens.ts';
import { claimTurn, releaseTurn } from './turn-queries.ts';

/** Longer than any conversation with the provider. */
const TURN_MS = 3 * MINUTE_MS;
const WAIT_MS = 100;
const WAITS = 100;

/**
 * Runs what changes a user's subscription at the provider, one call at a time in all processes: two at once are
 * one behind the other, and the second finds what the first has begun. Throws AppError `conflict` when the turn
 * does not come within ten seconds.
 */
export async function inTurn<T>(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  userId: string,
  run: () => Promise<T>,
): Promise<T> {
  const turnId = randomId();
  for (let waits = 0; ; waits += 1) {
    const now = clock.now();
    const turn = { userId, turnId, endsAt: now + TURN_MS };
    if (await claimTurn(db, turn, { now, latestEnd: now + 2 * TURN_MS })) break;
    if (waits === WAITS) throw new AppError('conflict');
    await setTimeout(WAIT_MS);
  }
  try {
    return await run();
  } finally {
    await releaseTurn(db, { userId, turnId });
  }
}

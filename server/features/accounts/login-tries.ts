import type { Context } from '../../context.ts';
import { forgetTries, giveBackTry, type RateLimit, takeTry } from '../../platform/http/rate-limits.ts';
import { isAppError } from '../../platform/lib/app-error.ts';
import { HOUR_MS, MINUTE_MS } from '../../platform/lib/clock.ts';
import { hashToken } from '../../platform/lib/tokens.ts';

type Deps = Pick<Context, 'db' | 'clock' | 'config'>;

const WINDOW_MS = 15 * MINUTE_MS;

/**
 * Counts a try to sign in before it is judged, by network address, by account from that address, and by
 * account. Too many at one account do not lock its owner out: they only leave every address fewer tries.
 * Names are counted as typed, whether they exist or not. Returns what `giveBackLoginTry` takes; throws
 * AppError `too_many_requests`.
 */
export async function takeLoginTry(deps: Deps, name: string, address: string): Promise<RateLimit[]> {
  const { byAddress, byBoth, byAccount, underAttack } = limitsFor(name, address);
  await takeTry(deps, byAddress);
  await takeTry(deps, byBoth);
  if (await isWithin(deps, byAccount)) return [byAddress, byBoth, byAccount];
  await takeTry(deps, underAttack);
  return [byAddress, byBoth, byAccount, underAttack];
}

/** The try was right: only wrong ones count. */
export async function giveBackLoginTry(deps: Deps, tries: RateLimit[]): Promise<void> {
  for (const each of tries) await giveBackTry(deps, each);
}

/** Who forgot the password, tried too often and has a new one by mail need not wait, from where they are. */
export async function forgetLoginTries(deps: Deps, names: string[], address: string): Promise<void> {
  const limits = names.map((name) => limitsFor(name, address));
  await forgetTries(
    deps,
    limits.flatMap(({ byBoth, underAttack }) => [byBoth.key, underAttack.key]),
  );
}

function limitsFor(name: string, address: string) {
  const account = hashToken(name);
  return {
    byAddress: { key: `login:${address}`, limit: 100, windowMs: WINDOW_MS },
    byBoth: { key: `login:${account}:${address}`, limit: 10, windowMs: WINDOW_MS },
    byAccount: { key: `login:${account}`, limit: 50, windowMs: HOUR_MS },
    underAttack: { key: `login:${account}:${address}:attacked`, limit: 3, windowMs: WINDOW_MS },
  };
}

async function isWithin(deps: Deps, limit: RateLimit): Promise<boolean> {
  try {
    await takeTry(deps, limit);
    return true;
  } catch (error) {
    if (isAppError(error, 'too_many_requests')) return false;
    throw error;
  }
}

import type { Context } from '../../context.ts';
import type { AdRow, UserRow } from '../../platform/db/schema.ts';
import { claimTry } from '../../platform/http/rate-limits.ts';
import { AppError } from '../../platform/lib/app-error.ts';
import { MINUTE_MS } from '../../platform/lib/clock.ts';
import { countEvent, findRunningAd, selectRunningAds } from './queries.ts';

type Watcher = Pick<UserRow, 'id' | 'tier'>;

/** The ads that run now, for who is shown any: "nothing for pro and premium". */
export async function listAdsFor(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  { tier }: Pick<Watcher, 'tier'>,
): Promise<AdRow[]> {
  return tier === 'free' ? selectRunningAds(db, clock.now()) : [];
}

/** One of them. */
export async function findAdFor(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  { tier }: Pick<Watcher, 'tier'>,
  id: string,
): Promise<AdRow | undefined> {
  return tier === 'free' ? findRunningAd(db, id, clock.now()) : undefined;
}

/**
 * Counts that a user saw an ad or followed it. More than one of a kind in a minute is the same look, and is passed
 * over without a word. Throws AppError `ad_not_found` for an ad that this user is not shown.
 */
export async function noteEvent(
  context: Pick<Context, 'db' | 'clock' | 'config'>,
  user: Watcher,
  { id, event }: { id: string; event: 'view' | 'click' },
): Promise<void> {
  if (!(await findAdFor(context, user, id))) throw new AppError('ad_not_found');
  const refusal = await claimTry(context, {
    key: `ad-${event}:${id}:${user.id}`,
    limit: 1,
    windowMs: MINUTE_MS,
  });
  if (!refusal) await countEvent(context.db, id, event === 'view' ? 'views' : 'clicks');
}

import { MINUTE_MS } from '../../../contracts/values/durations.ts';
import type { Context } from '../../context.ts';
import type { Db } from '../../platform/db/open.ts';

const FOR_MS = MINUTE_MS;

/**
 * Caches an expensive aggregate per database for a minute, so that repeated requests by administrators don't slow down
 * others. Concurrent callers share one computation. Results that are not `isCacheable` aren't cached.
 */
export function createMinuteCache<T>() {
  const known = new WeakMap<Db, { at: number; answer: Promise<T> }>();
  return async (
    { db, clock }: Pick<Context, 'db' | 'clock'>,
    compute: () => Promise<T>,
    { isCacheable }: { isCacheable: (answer: T) => boolean },
  ): Promise<T> => {
    const now = clock.now();
    const last = known.get(db);
    if (last && now >= last.at && now < last.at + FOR_MS) return last.answer;
    const entry = { at: now, answer: compute() };
    known.set(db, entry);
    const forget = () => void (known.get(db) === entry && known.delete(db));
    const answer = await entry.answer.catch((error) => {
      forget();
      throw error;
    });
    if (!isCacheable(answer)) forget();
    return answer;
  };
}

import type { Context } from '../../context.ts';
import type { Db } from '../../platform/db/open.ts';
import { MINUTE_MS } from '../../platform/lib/clock.ts';

const FOR_MS = MINUTE_MS;

/**
 * Remembers for a minute what took adding up very many rows: administrators who look again and again must not
 * slow everybody else down. What is not worth it is worked out anew each time; who asks meanwhile waits for the
 * same answer.
 */
export function createMinuteCache<T>() {
  const known = new WeakMap<Db, { at: number; answer: Promise<T> }>();
  return async (
    { db, clock }: Pick<Context, 'db' | 'clock'>,
    compute: () => Promise<T>,
    { isWorthKeeping }: { isWorthKeeping: (answer: T) => boolean },
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
    if (!isWorthKeeping(answer)) forget();
    return answer;
  };
}

import { MINUTE_MS } from '../../platform/lib/clock.ts';

/** "Only a transfer's first page view per visitor and half hour is a view" (decisions, "Downloads"). */
export const VIEW_WINDOW_MS = 30 * MINUTE_MS;

const MAX_VISITORS = 20_000;

/** Whoever shows a new browser with every request writes no more rows than this in half an hour. */
const MAX_NEW_PER_ADDRESS = 1_000;

export type Look = { transferId: string; address: string; userAgent: string };

type Seen = { firstAt: number; times: number };

/**
 * Who looked at what within the last half hour, as far as this process remembers: it answers nearly all page
 * views without the database. It may forget (a restart, too many visitors); the insert decides then.
 */
export class RecentVisitors {
  readonly #visitors = new Map<string, Seen>();
  readonly #addresses = new Map<string, Seen>();

  /** Whether this look may be the visitor's first in half an hour. Asked at once twenty times, one is. */
  isFirstLook(look: Look, now: number): boolean {
    if (count(this.#visitors, keyOf(look), now) > 1) return false;
    return count(this.#addresses, look.address, now) <= MAX_NEW_PER_ADDRESS;
  }

  /** It was no view after all: the next look of this visitor may be one. */
  forget(look: Look): void {
    this.#visitors.delete(keyOf(look));
  }
}

function keyOf({ transferId, address, userAgent }: Look): string {
  return `${transferId} ${address} ${userAgent}`;
}

/** How often the key was seen in its half hour, this time included. */
function count(map: Map<string, Seen>, key: string, now: number): number {
  const seen = map.get(key);
  const ago = seen ? now - seen.firstAt : VIEW_WINDOW_MS;
  // A negative age: the clock was set back, and what it said then is worth nothing.
  if (seen && ago >= 0 && ago < VIEW_WINDOW_MS) {
    seen.times += 1;
    return seen.times;
  }
  map.delete(key);
  map.set(key, { firstAt: now, times: 1 });
  if (map.size > MAX_VISITORS) map.delete(map.keys().next().value!);
  return 1;
}

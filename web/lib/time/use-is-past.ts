import { useEffect, useState } from 'react';
import { wakeAt } from './shared-timer.ts';

/** Whether an instant (ISO text; null: never) has passed. Updates when it passes. */
export function useIsPast(instant: string | null): boolean {
  const target = instant === null ? Number.POSITIVE_INFINITY : Date.parse(instant);
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (Number.isFinite(target) && target > now) return wakeAt(target, () => setNow(Date.now()));
  }, [target, now]);
  return target <= Math.max(now, Date.now());
}

import { useEffect, useState } from 'react';
import { ApiError } from '../../client/api-error.ts';

type CoolDown = {
  /** 0 when an attempt is allowed. */
  secondsLeft: number;
  start: (seconds: number) => void;
  /** Starts if the error is a 429 with a Retry-After. */
  startAfter: (error: unknown) => void;
};

/**
 * Counts whole seconds down to 0 by the clock, so that it is correct after the tab slept. `initialEndsAt` (epoch
 * milliseconds) starts it with the first render.
 */
export function useCoolDown(initialEndsAt = 0): CoolDown {
  const [endsAt, setEndsAt] = useState(initialEndsAt);
  const [now, setNow] = useState(() => (initialEndsAt === 0 ? 0 : Date.now()));
  const secondsLeft = Math.max(0, Math.ceil((endsAt - now) / 1000));
  const isRunning = secondsLeft > 0;
  useEffect(() => {
    if (!isRunning) return;
    const timer = setInterval(() => setNow(Date.now()), 250);
    return () => clearInterval(timer);
  }, [isRunning]);
  const start = (seconds: number) => {
    setNow(Date.now());
    setEndsAt(Date.now() + seconds * 1000);
  };
  const startAfter = (error: unknown) => {
    if (error instanceof ApiError && error.status === 429 && error.retryAfterSeconds)
      start(error.retryAfterSeconds);
  };
  return { secondsLeft, start, startAfter };
}

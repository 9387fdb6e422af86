import { useEffect, useLayoutEffect, useRef } from 'react';

type Timing = {
  /** A new subject restarts the timer. */
  subject: number;
  durationMs: number;
  isRunning: boolean;
  onDone: () => void;
};

/** Calls `onDone` once per subject after this much running time; pauses do not count. */
export function usePausableTimer({ subject, durationMs, isRunning, onDone }: Timing): void {
  const latest = useRef(onDone);
  useLayoutEffect(() => {
    latest.current = onDone;
  });
  const spent = useRef({ subject, ms: 0, isDone: false });
  useEffect(() => {
    if (spent.current.subject !== subject) spent.current = { subject, ms: 0, isDone: false };
    const { current } = spent;
    if (!isRunning || current.isDone) return;
    const startedAt = performance.now();
    const timer = setTimeout(
      () => {
        current.isDone = true;
        latest.current();
      },
      Math.max(0, durationMs - current.ms),
    );
    return () => {
      clearTimeout(timer);
      current.ms += performance.now() - startedAt;
    };
  }, [subject, durationMs, isRunning]);
}

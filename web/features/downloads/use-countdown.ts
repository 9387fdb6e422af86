import { useEffect, useState } from 'react';

const SECOND_MS = 1000;
/** How often to ask again when this device's clock runs ahead of the server's. */
const ASK_AGAIN_MS = 3000;

/** Milliseconds until an instant, told every second; at its end `onEnd` is called until the page changes. */
export function useCountdown(instant: string, onEnd: () => void): number {
  const target = Date.parse(instant);
  const [now, setNow] = useState(Date.now);
  const isOver = now >= target;
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), SECOND_MS);
    return () => clearInterval(timer);
  }, []);
  useEffect(() => {
    if (!isOver) return;
    onEnd();
    const timer = setInterval(onEnd, ASK_AGAIN_MS);
    return () => clearInterval(timer);
  }, [isOver, onEnd]);
  return target - now;
}

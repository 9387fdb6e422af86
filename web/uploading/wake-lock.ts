import { useEffect } from 'react';

export function useKeepAwake(isActive: boolean): void {
  useEffect(() => (isActive ? keepAwake() : undefined), [isActive]);
}

/** Keeps the screen on until the returned function is called. Browsers release the lock in hidden tabs, so it is requested again. */
export function keepAwake(): () => void {
  if (!('wakeLock' in navigator)) return () => {};
  let isOver = false;
  let lock: WakeLockSentinel | undefined;
  const acquire = async () => {
    if (document.visibilityState !== 'visible') return;
    // The system may refuse, for instance on low battery. The upload runs without a lock then.
    const granted = await navigator.wakeLock.request('screen').catch(() => undefined);
    if (isOver) void granted?.release();
    else lock = granted;
  };
  void acquire();
  document.addEventListener('visibilitychange', acquire);
  return () => {
    isOver = true;
    document.removeEventListener('visibilitychange', acquire);
    void lock?.release();
  };
}

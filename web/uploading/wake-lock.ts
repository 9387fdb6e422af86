import { useEffect } from 'react';

/** Keeps the screen, and with it the device, awake while the work runs; asked for again after the tab was hidden. */
export function useWakeLock(isNeeded: boolean): void {
  useEffect(() => {
    if (!isNeeded || !('wakeLock' in navigator)) return;
    let isOver = false;
    let lock: WakeLockSentinel | undefined;
    const acquire = async () => {
      if (document.visibilityState !== 'visible') return;
      // The system may refuse (low battery): then the upload runs without.
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
  }, [isNeeded]);
}

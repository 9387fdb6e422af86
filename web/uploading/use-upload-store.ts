import { useEffect, useLayoutEffect, useState, useSyncExternalStore } from 'react';
import { type UploadPage, type UploadState, UploadStore } from './upload-store.ts';

/** The page's upload store and its current state. `options` are read once. */
export function useUploadStore(
  options: ConstructorParameters<typeof UploadStore>[0],
): [store: UploadStore, state: UploadState] {
  const [store] = useState(() => new UploadStore(options));
  const state = useSyncExternalStore(store.subscribe, () => store.state);
  useEffect(() => store.open(), [store]);
  useWakeLock(state.isActive);
  return [store, state];
}

/** Gives the store the page's callbacks of the latest render. */
export function useUploadPage(store: UploadStore, page: UploadPage): void {
  useLayoutEffect(() => store.connect(page));
}

/** Keeps the screen on while work runs. Browsers release the lock in hidden tabs, so it is requested again. */
function useWakeLock(isNeeded: boolean): void {
  useEffect(() => {
    if (!isNeeded || !('wakeLock' in navigator)) return;
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
  }, [isNeeded]);
}

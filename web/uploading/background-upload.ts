import { useSyncExternalStore } from 'react';
import type { UploadState, UploadStore } from './upload-store.ts';
import { keepAwake } from './wake-lock.ts';

let current: UploadStore | undefined;
const listeners = new Set<() => void>();

/**
 * Lets an upload go on while the user visits other pages: keeps the screen on, and asks before the browser leaves the
 * application. There is one at a time. Returns the function that ends this.
 */
export function runInBackground(store: UploadStore): () => void {
  current = store;
  let release: (() => void) | undefined;
  const warn = (event: BeforeUnloadEvent) => event.preventDefault();
  const follow = () => {
    const { isActive, isUnfinished } = store.state;
    if (isActive) release ??= keepAwake();
    else {
      release?.();
      release = undefined;
    }
    // Adding the same listener twice has no effect.
    if (isUnfinished) window.addEventListener('beforeunload', warn);
    else window.removeEventListener('beforeunload', warn);
    notify();
  };
  const unsubscribe = store.subscribe(follow);
  follow();
  return () => {
    unsubscribe();
    release?.();
    window.removeEventListener('beforeunload', warn);
    if (current === store) current = undefined;
    notify();
  };
}

/** The upload in the background, if any. */
export function useBackgroundUpload(): UploadState | undefined {
  return useSyncExternalStore(subscribe, () => current?.state);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function notify(): void {
  for (const listener of listeners) listener();
}

import { useSyncExternalStore } from 'react';

/** Set to 'off' on devices that send files only when Upload is pressed. */
const STORAGE_KEY = 'send-ahead';
const listeners = new Set<() => void>();
/** Used where storage is disabled. */
let last = true;

/** Whether files are sent as soon as they are added. */
export function sendsAhead(): boolean {
  try {
    return localStorage.getItem(STORAGE_KEY) !== 'off';
  } catch {
    return last;
  }
}

export function setSendsAhead(isOn: boolean): void {
  last = isOn;
  try {
    if (isOn) localStorage.removeItem(STORAGE_KEY);
    else localStorage.setItem(STORAGE_KEY, 'off');
  } catch {
    // The choice lasts until the page is closed.
  }
  for (const listener of listeners) listener();
}

export function useSendsAhead(): boolean {
  return useSyncExternalStore(subscribe, sendsAhead);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

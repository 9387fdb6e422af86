import { useCallback, useSyncExternalStore } from 'react';

/** Choices of this browser that are no one else's business, with their defaults. */
const DEFAULTS = {
  /** Shortcuts without Ctrl, Alt or Cmd (WCAG 2.1.4). */
  'single-key-shortcuts': true,
  /** Files are sent as soon as they are added. */
  'send-ahead': true,
  'notify-upload-end': false,
  'notify-first-download': false,
};
export type DeviceSwitch = keyof typeof DEFAULTS;

const listeners = new Set<() => void>();

export function isSwitchedOn(name: DeviceSwitch): boolean {
  try {
    const stored = localStorage.getItem(name);
    return stored === null ? DEFAULTS[name] : stored === 'on';
  } catch {
    return DEFAULTS[name];
  }
}

export function setDeviceSwitch(name: DeviceSwitch, isOn: boolean): void {
  try {
    localStorage.setItem(name, isOn ? 'on' : 'off');
  } catch {
    // Storage may be disabled; the default stands.
  }
  for (const listener of listeners) listener();
}

/** Also follows other tabs. */
export function useDeviceSwitch(name: DeviceSwitch): boolean {
  const read = useCallback(() => isSwitchedOn(name), [name]);
  return useSyncExternalStore(subscribe, read);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  window.addEventListener('storage', listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener('storage', listener);
  };
}

import { useEffect, useRef } from 'react';
import { isSwitchedOn } from '../browser/device-switch.ts';

/**
 * Runs on a key without Ctrl, Alt or Cmd, except while someone is typing or a dialog is open. The user can switch
 * these shortcuts off, because speech input would trigger them (WCAG 2.1.4).
 */
export function useSingleKey(key: string, run: () => void): void {
  const latest = useRef(run);
  useEffect(() => {
    latest.current = run;
  });
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const hasModifier = event.metaKey || event.ctrlKey || event.altKey;
      if (event.key.toLowerCase() !== key || hasModifier || event.repeat || event.defaultPrevented) return;
      if (isTyping(event.target) || isDialogOpen() || !isSwitchedOn('single-key-shortcuts')) return;
      event.preventDefault();
      latest.current();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [key]);
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('input, textarea, select, [contenteditable]') !== null;
}

export function isDialogOpen(): boolean {
  return document.querySelector('[role$="dialog"][data-state="open"]') !== null;
}

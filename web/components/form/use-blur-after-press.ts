import { useEffect, useRef } from 'react';

/**
 * For what a field does when it is left and that may change its height: when a press of the pointer takes the
 * focus away, it waits until the pressed button has had its click, which must not move from under the pointer.
 * Returns what to call on blur.
 */
export function useBlurAfterPress(run: () => void): () => void {
  const latest = useRef(run);
  const isPressing = useRef(false);
  const isDue = useRef(false);
  useEffect(() => {
    latest.current = run;
  });
  useEffect(() => {
    const press = () => {
      isPressing.current = true;
    };
    const release = () => {
      isPressing.current = false;
      if (!isDue.current) return;
      isDue.current = false;
      // The click comes right behind the release.
      setTimeout(() => latest.current());
    };
    const events = { pointerdown: press, pointerup: release, pointercancel: release } as const;
    for (const [name, listener] of Object.entries(events)) window.addEventListener(name, listener, true);
    return () => {
      for (const [name, listener] of Object.entries(events)) window.removeEventListener(name, listener, true);
    };
  }, []);
  return () => {
    if (isPressing.current) isDue.current = true;
    else run();
  };
}

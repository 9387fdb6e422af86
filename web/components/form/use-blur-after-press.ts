import { useEffect, useRef } from 'react';

/**
 * For blur handlers that may change the layout: if a pointer press causes the blur, waits for the click, so that the
 * pressed button does not move away first. Returns the function to call on blur.
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
      // The click event follows the release.
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

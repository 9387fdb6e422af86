import { type RefObject, useEffect, useState } from 'react';

const HALF = 0.5;

/** Whether at least half of an element is visible in a visible window. */
export function useIsSeen(element: RefObject<Element | null>): boolean {
  const [isInView, setIsInView] = useState(false);
  const [isHidden, setIsHidden] = useState(() => document.hidden);
  useEffect(() => {
    const observer = new IntersectionObserver(
      (entries) => setIsInView(entries.at(-1)!.intersectionRatio >= HALF),
      { threshold: HALF },
    );
    observer.observe(element.current!);
    const look = () => setIsHidden(document.hidden);
    document.addEventListener('visibilitychange', look);
    return () => {
      observer.disconnect();
      document.removeEventListener('visibilitychange', look);
    };
  }, [element]);
  return isInView && !isHidden;
}

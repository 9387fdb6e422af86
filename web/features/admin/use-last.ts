import { useRef } from 'react';

/** The value, or while there is none the last one: what is fading out keeps its words. */
export function useLast<T>(value: T | undefined): T | undefined {
  const last = useRef(value);
  if (value !== undefined) last.current = value;
  return last.current;
}

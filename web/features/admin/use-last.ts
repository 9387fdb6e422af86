import { useRef } from 'react';

/** The value, or the last defined one, so that a dialog keeps its content while it fades out. */
export function useLast<T>(value: T | undefined): T | undefined {
  const last = useRef(value);
  if (value !== undefined) last.current = value;
  return last.current;
}

import { useEffect, useMemo, useState } from 'react';
import { runAtOnce, runInSlices } from './in-slices.ts';

/**
 * The result of a generator, recomputed when `work` changes (memoize it). Long work runs in time slices; until it is
 * done, this is the previous result or undefined.
 */
export function useSliced<Result>(
  work: () => Generator<void, Result>,
  { isLong }: { isLong: boolean },
): Result | undefined {
  const atOnce = useMemo(() => (isLong ? undefined : { result: runAtOnce(work()) }), [work, isLong]);
  const [latest, setLatest] = useState<{ result: Result }>();
  useEffect(() => {
    if (atOnce) return setLatest(atOnce);
    const stop = new AbortController();
    runInSlices(work(), stop.signal).then(
      (result) => setLatest({ result }),
      () => {},
    );
    return () => stop.abort();
  }, [work, atOnce]);
  return (atOnce ?? latest)?.result;
}

import { useEffect, useMemo, useState } from 'react';
import { runAtOnce, runInSlices } from './in-slices.ts';

/**
 * What a generator returns, worked out anew when `work` changes (memoise it). Long work runs in slices of time:
 * until it is done, this is the result before; undefined when there is none.
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

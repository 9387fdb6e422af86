import { useEffect, useState } from 'react';
import { discardKeptFiles, findKeptFiles, type KeptSummary } from '../../lib/browser/kept-files.ts';

/** Files chosen before signing in: undefined while unknown, null if there are none. */
export function useKeptFiles(): { kept: KeptSummary | null | undefined; discard: () => void } {
  const [kept, setKept] = useState<KeptSummary | null>();
  useEffect(() => {
    void findKeptFiles().then((found) => setKept(found ?? null));
  }, []);
  const discard = () => {
    setKept(null);
    void discardKeptFiles();
  };
  return { kept, discard };
}

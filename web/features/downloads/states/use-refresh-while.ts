import { useEffect } from 'react';

const PAUSE_MS = 5_000;

/** Looks at the transfer again and again while something that is shown is still being made. */
export function useRefreshWhile(isPending: boolean, refresh: () => Promise<unknown>): void {
  useEffect(() => {
    if (!isPending) return;
    let timer: ReturnType<typeof setTimeout>;
    let isOver = false;
    const wait = () => {
      timer = setTimeout(async () => {
        await refresh();
        if (!isOver) wait();
      }, PAUSE_MS);
    };
    wait();
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [isPending, refresh]);
}

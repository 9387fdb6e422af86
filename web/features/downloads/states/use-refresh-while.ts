import { useEffect } from 'react';

const PAUSE_MS = 5_000;

/** Refetches the transfer repeatedly while something in it is still being computed. */
export function useRefreshWhile(
  isPending: boolean,
  refresh: () => Promise<unknown>,
  pauseMs = PAUSE_MS,
): void {
  useEffect(() => {
    if (!isPending) return;
    let timer: ReturnType<typeof setTimeout>;
    let isOver = false;
    const wait = () => {
      timer = setTimeout(async () => {
        await refresh();
        if (!isOver) wait();
      }, pauseMs);
    };
    wait();
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [isPending, refresh, pauseMs]);
}

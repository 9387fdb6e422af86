import { useCallback, useEffect, useMemo, useState } from 'react';
import { ApiError } from '../../client/api-error.ts';
import type { TransferFile } from '../../contracts/transfers/transfers.ts';
import type { Page } from '../../contracts/values/paging.ts';

/** The part that a transfer's view and detail have in common. */
type FirstPage = {
  files?: TransferFile[] | undefined;
  nextFiles?: string | null | undefined;
  fileCount?: number | undefined;
};

export type FilesLoading = {
  /** Files loaded so far, of `fileCount`. */
  loadedCount: number;
  fileCount: number;
  state: 'loading' | 'complete' | 'failed';
  /** Loads the missing pages again after a failure. */
  retry: () => void;
};

export type AllFiles = { files: TransferFile[]; loading: FilesLoading };

const TRIES = 5;
/** Shortest time between two polls for checksums that are still being computed. */
const RELOAD_MS = 20_000;

const NO_FILES: TransferFile[] = [];

/**
 * The files of a transfer: the first page immediately, the others as they load in the background. Refetching the first
 * page keeps the others. They reload only if files were added, or while some checksums are still being computed.
 * `fetchPage` must keep its identity.
 */
export function useAllFiles(
  first: FirstPage | undefined,
  fetchPage: (cursor: string, signal: AbortSignal) => Promise<Page<TransferFile>>,
): AllFiles {
  const { files: firstFiles = NO_FILES, nextFiles = null, fileCount = firstFiles.length } = first ?? {};
  const [rest, setRest] = useState<Rest>(NO_REST);
  const [progress, setProgress] = useState<Progress>(NOT_BEGUN);
  const [round, setRound] = useState(0);
  const known = rest.cursor === nextFiles ? rest : NO_REST;

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new file count and a new round mean to load again.
  useEffect(() => {
    if (nextFiles === null) return;
    const stop = new AbortController();
    const { signal } = stop;
    // Refreshing a complete list shows no loading state.
    const report = known.loadedAt === undefined ? setProgress : () => {};
    const { length } = known.items;
    const keep = (items: TransferFile[], loadedAt?: number) =>
      setRest({ cursor: nextFiles, items, loadedAt });
    report({ cursor: nextFiles, count: 0, hasFailed: false });
    const load = async () => {
      const { loadPages } = await import('../lib/loading/page-loader.ts');
      await loadPages<TransferFile>({
        cursor: nextFiles,
        fetchPage: (cursor) => fetchPage(cursor, signal),
        retryAfter,
        onProgress: (count) => report({ cursor: nextFiles, count, hasFailed: false }),
        // Don't shrink the list while it reloads.
        onItems: (items, isLast) => {
          if (isLast) keep(items, performance.now());
          else if (items.length > length) keep(items);
        },
        signal,
      });
    };
    load().catch(() => {
      if (!signal.aborted) report((current) => ({ ...current, hasFailed: true }));
    });
    return () => stop.abort();
  }, [nextFiles, fileCount, fetchPage, round]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: decided each time the first page was fetched.
  useEffect(() => {
    const { items, loadedAt = Number.POSITIVE_INFINITY } = known;
    const isDue = performance.now() - loadedAt > RELOAD_MS;
    if (isDue && items.some(isComputing)) setRound((each) => each + 1);
  }, [firstFiles]);

  const { items, loadedAt } = known;
  const files = useMemo(
    () => (items.length === 0 ? firstFiles : firstFiles.concat(items)),
    [firstFiles, items],
  );
  const retry = useCallback(() => setRound((each) => each + 1), []);
  const isComplete = nextFiles === null || loadedAt !== undefined;
  const { count, hasFailed } = progress.cursor === nextFiles ? progress : NOT_BEGUN;
  const loading: FilesLoading = {
    loadedCount: isComplete ? files.length : firstFiles.length + count,
    fileCount,
    state: isComplete ? 'complete' : hasFailed ? 'failed' : 'loading',
    retry,
  };
  return { files, loading };
}

/** The files behind the first page, which ends at `cursor`; `loadedAt` once they are all. */
type Rest = { cursor: string | null; items: TransferFile[]; loadedAt?: number | undefined };
type Progress = { cursor: string | null; count: number; hasFailed: boolean };

const NO_REST: Rest = { cursor: null, items: NO_FILES };
const NOT_BEGUN: Progress = { cursor: null, count: 0, hasFailed: false };

function isComputing({ sha256, isDamaged }: TransferFile): boolean {
  return sha256 === null && !isDamaged;
}

/** Don't retry permanent refusals (deleted, locked, expired): the first page's query reports them. */
function retryAfter(error: unknown, failedTries: number): number | undefined {
  if (failedTries >= TRIES) return undefined;
  const backOff = 2 ** (failedTries - 1);
  if (!(error instanceof ApiError)) return backOff;
  const isPassing = error.status === 429 || error.status >= 500;
  return isPassing ? Math.max(error.retryAfterSeconds ?? 0, backOff) : undefined;
}

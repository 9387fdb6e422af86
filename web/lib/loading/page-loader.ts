import { fetchPages, type Page } from '../../../contracts/values/paging.ts';

type Loading<Item> = {
  cursor: string;
  fetchPage: (cursor: string) => Promise<Page<Item>>;
  /** Seconds until the same page is retried; undefined gives up. */
  retryAfter: (error: unknown, failedTries: number) => number | undefined;
  /** Called after each page with the number of loaded items. */
  onProgress: (count: number) => void;
  /** Called with all items so far, each time their number doubles, and at the end. */
  onItems: (items: Item[], isLast: boolean) => void;
  signal: AbortSignal;
};

/** The first batch of items. Redrawing after every page would cost more than loading it. */
const FIRST_BATCH = 2_000;

/**
 * Loads the pages behind a cursor one after another and retries failed ones. Rejects with the last error when it gives
 * up, and when the signal aborts.
 */
export async function loadPages<Item>({ cursor, retryAfter, signal, ...on }: Loading<Item>): Promise<void> {
  const items: Item[] = [];
  let nextBatch = FIRST_BATCH;
  const fetchPage = async (wanted: string) => {
    for (let failedTries = 1; ; failedTries += 1) {
      try {
        return await on.fetchPage(wanted);
      } catch (error) {
        signal.throwIfAborted();
        const seconds = retryAfter(error, failedTries);
        if (seconds === undefined) throw error;
        await sleep(seconds * 1_000, signal);
      }
    }
  };
  for await (const page of fetchPages(cursor, fetchPage)) {
    signal.throwIfAborted();
    for (const item of page) items.push(item);
    on.onProgress(items.length);
    if (items.length < nextBatch) continue;
    on.onItems([...items], false);
    nextBatch = items.length * 2;
  }
  on.onItems(items, true);
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}

import { ApiError } from '../../../client/api-error.ts';
import { ARRIVAL_POLL_MS, type ArrivalProgress } from '../../../contracts/transfers/arrival.ts';

type Following = {
  /** Of the list of files that the page shows. */
  listVersion: string;
  signal: AbortSignal;
  fetchProgress: () => Promise<ArrivalProgress>;
  onProgress: (progress: ArrivalProgress) => void;
  /** The list of files, or what the page may show, has changed. */
  onChange: () => Promise<void>;
};

/** Asks for the progress of an arriving transfer until the signal aborts. */
export async function followArrival({
  listVersion,
  signal,
  fetchProgress,
  ...follower
}: Following): Promise<void> {
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, ARRIVAL_POLL_MS));
    if (signal.aborted) return;
    const progress = await fetchProgress().catch(asRefusal);
    if (signal.aborted) return;
    // The server can't be reached: ask again.
    if (!progress) continue;
    if (progress.status === 'arriving') follower.onProgress(progress);
    if (progress.status !== 'arriving' || progress.listVersion !== listVersion) await follower.onChange();
  }
}

/** The transfer was withdrawn, locked or closed. Undefined if the server can't be reached. */
function asRefusal(error: unknown): { status: 'refused' } | undefined {
  return error instanceof ApiError && error.status < 429 ? { status: 'refused' } : undefined;
}

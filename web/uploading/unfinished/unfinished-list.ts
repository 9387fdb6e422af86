import { listUploads } from '../../../contracts/transfers/uploads/uploads.ts';
import { SECOND_MS } from '../../../contracts/values/durations.ts';
import { queryClient, queryKeyOf } from '../../api/query-client.ts';
import type { UploadTransport } from '../engine/upload-transport.ts';
import { forgetDraft } from './forget-draft.ts';
import type { UploadScope } from './resume-records.ts';
import { waitUntilUnlocked } from './transfer-lock.ts';
import { discardUnfinished, loadUnfinished, type UnfinishedTransfer } from './unfinished-transfers.ts';

/** A list that takes longer must not hold up new files. */
const SLOW_MS = 2 * SECOND_MS;

type ListOptions = {
  transport: UploadTransport;
  scope: UploadScope;
  /** Lists only what is being added to this transfer. */
  joins: string | undefined;
  onChange: (transfers: readonly UnfinishedTransfer[]) => void;
};

/** The unfinished transfers a page lists. Reloads when another window stops sending one of them. */
export class UnfinishedList {
  readonly #options: ListOptions;
  #transfers: readonly UnfinishedTransfer[] = [];
  #waiting = new AbortController();
  #isOpen = false;
  #firstLoad: Promise<void> | undefined;

  constructor(options: ListOptions) {
    this.#options = options;
  }

  /** Loads the list. Returns a function that stops watching other windows. */
  open(): () => void {
    this.#isOpen = true;
    const firstLoad = Promise.race([
      this.#load(),
      new Promise((resolve) => setTimeout(resolve, SLOW_MS)),
    ]).then(() => {
      if (this.#firstLoad === firstLoad) this.#firstLoad = undefined;
    });
    this.#firstLoad = firstLoad;
    return () => {
      this.#isOpen = false;
      this.#waiting.abort();
    };
  }

  /** Undefined once the list was loaded, could not be loaded, or is slow. */
  get firstLoad(): Promise<void> | undefined {
    return this.#firstLoad;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  reload(): void {
    if (this.#isOpen) void this.#load();
  }

  /** Removes a transfer from the list because it was resumed or is over. */
  forget(transferId: string): void {
    this.#show(this.#transfers.filter((each) => each.transferId !== transferId));
  }

  /** Deletes a transfer here and on the server. Throws ApiError. */
  async discard(transfer: UnfinishedTransfer): Promise<void> {
    await discardUnfinished(this.#options.transport, transfer);
    await forgetDraft(transfer.transferId);
    this.forget(transfer.transferId);
  }

  async #load(): Promise<void> {
    const { transport, scope, joins } = this.#options;
    // Nothing is cached; the query client only reports an ended session.
    const found = await queryClient
      .fetchQuery({
        queryKey: [...queryKeyOf(listUploads), scope],
        queryFn: () => loadUnfinished(transport, scope),
        staleTime: 0,
        gcTime: 0,
      })
      .catch(() => undefined);
    if (!found || !this.#isOpen) return;
    this.#show(joins ? found.filter(({ transferId }) => transferId === joins) : found);
  }

  #show(transfers: readonly UnfinishedTransfer[]): void {
    this.#transfers = transfers;
    this.#waiting.abort();
    this.#waiting = new AbortController();
    const { signal } = this.#waiting;
    const reload = () => void this.#load();
    for (const { transferId, isElsewhere } of transfers)
      if (isElsewhere) waitUntilUnlocked(transferId, signal).then(reload, () => {});
    this.#options.onChange(transfers);
  }
}

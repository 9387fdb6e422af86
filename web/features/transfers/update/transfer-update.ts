import { errorDetail } from '../../../../client/api-error.ts';
import type { TransferVersion } from '../../../../contracts/transfers/versions.ts';
import { translateSentence } from '../../../lib/language/sentences.ts';
import type { UploadEngine } from '../../../uploading/engine/upload-engine.ts';
import type { PickedFile } from '../../../uploading/files/picked-files.ts';
import { discardDraft, OutdatedUpdateError, prepareDraft, publishDraft } from './update-draft.ts';
import { planUpdateOf, type UpdatePlan } from './update-plan.ts';

export type UpdateState =
  | { step: 'choose' }
  /** `share` is from 0 to 1. */
  | { step: 'comparing'; share: number }
  | { step: 'planned'; plan: UpdatePlan }
  /** Without an engine the draft is being opened. */
  | { step: 'sending'; plan: UpdatePlan; engine: UploadEngine | undefined }
  | { step: 'publishing' }
  | { step: 'published'; version: TransferVersion }
  /** Without a message the transfer was updated in the meantime. */
  | { step: 'failed'; message: string | undefined; retry: () => void };

/** One update of a transfer, from the choice of files until they are published. */
export class TransferUpdate {
  readonly #transferId: string;
  readonly #listeners = new Set<() => void>();
  #state: UpdateState = { step: 'choose' };
  #stop = new AbortController();
  #picked: PickedFile[] = [];

  constructor(transferId: string) {
    this.#transferId = transferId;
  }

  get state(): UpdateState {
    return this.#state;
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Shows what these files would change. */
  compare = (picked: PickedFile[]): void => {
    this.#picked = picked;
    void this.#run(
      async (signal) => {
        this.#set({ step: 'comparing', share: 0 });
        const onProgress = (share: number) => this.#set({ step: 'comparing', share });
        const plan = await planUpdateOf({ transferId: this.#transferId, picked, onProgress, signal });
        this.#set({ step: 'planned', plan });
      },
      () => this.compare(picked),
    );
  };

  /** Sends what has changed, then publishes it. */
  publish = (plan: UpdatePlan): void => {
    void this.#run(
      async (signal) => {
        const update = { transferId: this.#transferId, plan, signal };
        this.#set({ step: 'sending', plan, engine: undefined });
        const { engine, draftId } = await prepareDraft(update);
        signal.throwIfAborted();
        signal.addEventListener('abort', () => engine.reset());
        if (engine.state.items.length > 0) {
          this.#set({ step: 'sending', plan, engine });
          await engine.submit(async () => ({}));
          // The engine's view says why, and offers to try again.
          if (engine.state.phase !== 'success') return;
          signal.throwIfAborted();
        }
        this.#set({ step: 'publishing' });
        const version = await publishDraft(update, draftId);
        this.#set({ step: 'published', version });
      },
      () => this.publish(plan),
    );
  };

  /** Lets people choose other files. What was sent is kept until something else is published. */
  startOver = (): void => {
    this.stop();
    this.#set({ step: 'choose' });
  };

  /** Deletes what was sent. */
  cancel = (): void => {
    this.startOver();
    // If the server is unreachable, it deletes the draft after a day.
    void discardDraft(this.#transferId).catch(() => {});
  };

  /** Stops what is running. The server keeps what was sent, so that it can be continued. */
  stop = (): void => {
    this.#stop.abort();
  };

  async #run(work: (signal: AbortSignal) => Promise<void>, retry: () => void): Promise<void> {
    this.stop();
    this.#stop = new AbortController();
    const { signal } = this.#stop;
    try {
      await work(signal);
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof OutdatedUpdateError)
        this.#set({ step: 'failed', message: undefined, retry: () => this.compare(this.#picked) });
      else this.#set({ step: 'failed', message: translateSentence(errorDetail(error)), retry });
    }
  }

  #set(state: UpdateState): void {
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}

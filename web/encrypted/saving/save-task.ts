import type { SegmentKey } from '../../../encryption/keys.ts';
import { languageHeaders } from '../../lib/language/language.ts';
import type { Failure } from './failures.ts';
import { failureOf } from './failures.ts';
import { findClaim, keepClaim } from './kept-claims.ts';
import type { WaitsFor } from './reading/range-source.ts';
import type { SavePlan } from './save-plan.ts';
import type { FromSaverToPage, SaveJob, SaveResult, Target, ToSaver } from './worker/messages.ts';
import { createSaverWorker } from './worker/saver-worker.ts';
import { openStreamLink, type StreamLink } from './worker/stream-link.ts';

export type SaveState =
  | { kind: 'running' | WaitsFor | 'paused' | 'closing'; savedBytes: number; totalBytes: number }
  | { kind: 'done'; result: SaveResult }
  | { kind: 'failed'; failure: Failure }
  | { kind: 'canceled' };

export type TaskTarget =
  | Exclude<Target, { kind: 'stream' }>
  | { kind: 'stream'; name: string; sizeBytes: number };

type TaskOptions = {
  plan: SavePlan;
  isArriving: boolean;
  key: SegmentKey;
  target: TaskTarget;
  onFolder?: (root: FileSystemDirectoryHandle) => void;
  onState: (state: SaveState) => void;
};

/** The page's side of a save, which runs in a worker. */
export class SaveTask {
  readonly #options: TaskOptions;
  readonly #worker = createSaverWorker();
  #link: StreamLink | undefined;
  #progress = { savedBytes: 0, totalBytes: 0 };
  #isPaused = false;
  #waitsFor: WaitsFor | undefined;
  #isClosing = false;
  #isOver = false;

  constructor(options: TaskOptions) {
    this.#options = options;
    this.#progress.totalBytes = options.plan.downloadBytes;
    this.#worker.onmessage = ({ data }: MessageEvent<FromSaverToPage>) => this.#receive(data);
    this.#worker.onerror = ({ message }) =>
      this.#end({ kind: 'failed', failure: { kind: 'unexpected', reason: message } });
  }

  /** Not part of the constructor: `onState` is called at once, and its owner may need the task. */
  start(): void {
    this.#tell();
    this.#sendJob().catch((error: unknown) => this.#end({ kind: 'failed', failure: failureOf(error) }));
  }

  pause(): void {
    this.#isPaused = true;
    this.#post({ kind: 'pause' });
    this.#tell();
  }

  resume(): void {
    this.#isPaused = false;
    this.#post({ kind: 'resume' });
    this.#tell();
  }

  cancel(): void {
    this.#post({ kind: 'cancel' });
  }

  async #sendJob(): Promise<void> {
    const { plan, isArriving, key, target } = this.#options;
    const job: SaveJob = {
      downloadUrl: new URL(plan.downloadPath, window.location.origin).href,
      downloadBytes: plan.downloadBytes,
      key,
      files: plan.files,
      isArriving,
      target: target.kind === 'stream' ? await this.#openStream(target) : target,
      claim: findClaim(plan.downloadPath),
      headers: languageHeaders(),
    };
    this.#post({ kind: 'start', job }, job.target.kind === 'stream' ? [job.target.port] : []);
  }

  async #openStream({ name, sizeBytes }: { name: string; sizeBytes: number }): Promise<Target> {
    this.#link = await openStreamLink(name, sizeBytes, () => this.#post({ kind: 'worker-ended' }));
    return { kind: 'stream', port: this.#link.port };
  }

  #receive(message: FromSaverToPage): void {
    const { downloadPath } = this.#options.plan;
    if (message.kind === 'claimed') keepClaim(downloadPath, message.claim);
    if (message.kind === 'folder-created') this.#options.onFolder?.(message.root);
    if (message.kind === 'stream-ready') this.#link?.begin();
    if (message.kind === 'progress') this.#progress = message;
    if (message.kind === 'waiting') this.#waitsFor = message.waitsFor;
    if (message.kind === 'closing') this.#isClosing = true;
    if (message.kind === 'progress' || message.kind === 'waiting' || message.kind === 'closing') this.#tell();
    const isClaimOver =
      message.kind === 'done' || (message.kind === 'failed' && message.failure.kind === 'changed');
    if (isClaimOver) keepClaim(downloadPath, undefined);
    if (message.kind === 'done' || message.kind === 'failed' || message.kind === 'canceled')
      this.#end(message);
  }

  #tell(): void {
    if (this.#isOver) return;
    const kind = this.#isClosing ? 'closing' : this.#isPaused ? 'paused' : (this.#waitsFor ?? 'running');
    const { savedBytes, totalBytes } = this.#progress;
    this.#options.onState({ kind, savedBytes, totalBytes });
  }

  #end(state: Extract<SaveState, { kind: 'done' | 'failed' | 'canceled' }>): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#worker.terminate();
    // The browser may still be asking for the download's last answer.
    const link = this.#link;
    setTimeout(() => link?.close(), state.kind === 'done' ? 60_000 : 0);
    this.#options.onState(state);
  }

  #post(message: ToSaver, transfer: Transferable[] = []): void {
    this.#worker.postMessage(message, transfer);
  }
}

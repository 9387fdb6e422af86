import { MAX_FILES_PER_CALL } from '../../../contracts/limits.ts';
import type { CompletedUpload, TransferSettingsInput, UnfinishedUpload } from '../../../contracts/uploads.ts';
import { ApiError, errorDetail } from '../../api/api-error.ts';
import { ChunkSender, type Trouble } from './chunk-sender.ts';
import { judgeFailure, waitBefore } from './failures.ts';
import { SpeedMeter } from './speed-meter.ts';
import { fingerprint, isWhole, sentBytes, type UploadItem } from './upload-item.ts';
import type { UploadTransport } from './upload-transport.ts';

/** Specification section 4 ("Upload"), with the pause in between. */
export type EnginePhase = 'idle' | 'preparing' | 'uploading' | 'paused' | 'completing' | 'success' | 'failed';

/** What a page shows; a new object with every change. `items` are the engine's own. */
export type EngineState = {
  phase: EnginePhase;
  items: readonly UploadItem[];
  trouble: Trouble | undefined;
  /** The sentence of a failure. */
  error: string | undefined;
  totalBytes: number;
  sentBytes: number;
  bytesPerSecond: number | undefined;
  secondsLeft: number | undefined;
  transferId: string | undefined;
  result: CompletedUpload | undefined;
};

const TICK_MS = 250;
const ACTIVE: EnginePhase[] = ['preparing', 'uploading', 'completing'];

/** Takes chosen files to a share link: announces, sends, completes, and goes on where it stopped. */
export class UploadEngine {
  readonly #transport: UploadTransport;
  readonly #listeners = new Set<() => void>();
  #meter = new SpeedMeter();
  #items: UploadItem[] = [];
  #settings: TransferSettingsInput = {};
  #sender: ChunkSender | undefined;
  #run: object | undefined;
  #ticking: ReturnType<typeof setInterval> | undefined;
  #wakeUp: (() => void) | undefined;
  /** Files of this transfer that an earlier visit of the page already completed. */
  #earlierFiles = 0;
  #state: EngineState;

  constructor(transport: UploadTransport) {
    this.#transport = transport;
    this.#state = this.#snapshot({ phase: 'idle' });
  }

  get state(): EngineState {
    return this.#state;
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  get isActive(): boolean {
    return ACTIVE.includes(this.#state.phase) || this.#state.phase === 'paused';
  }

  add(items: UploadItem[]): void {
    const known = new Set(this.#items.map(fingerprint));
    this.#items.push(...items.filter((item) => !known.has(fingerprint(item))));
    this.#update();
  }

  /** Takes a file off the list; on the server too, if it was announced. */
  remove(item: UploadItem): void {
    item.phase = 'removed';
    this.#items.splice(this.#items.indexOf(item), 1);
    if (item.uploadId) void this.#transport.abort(item.uploadId).catch(() => {});
    if (this.#items.length === 0) this.reset();
    else this.#update();
  }

  /** Gives the whole transfer up, here and on the server. */
  cancel(): void {
    const { transferId } = this.#state;
    this.reset();
    if (transferId) void this.#transport.discard(transferId).catch(() => {});
  }

  /** Forgets everything and is ready for the next transfer. */
  reset(): void {
    this.#run = undefined;
    this.#sender?.pause();
    this.#items = [];
    this.#earlierFiles = 0;
    this.#meter.reset();
    this.#update({
      phase: 'idle',
      transferId: undefined,
      result: undefined,
      error: undefined,
      trouble: undefined,
    });
  }

  /** Continues unfinished uploads with files chosen again; returns how many of them were recognised. */
  adopt(unfinished: UnfinishedUpload[], fileCount: number | undefined): number {
    const byPrint = new Map(
      unfinished.map((upload) => [fingerprint({ ...upload, size: upload.fileSize }), upload]),
    );
    const matched = this.#items.filter((item) => {
      const upload = byPrint.get(fingerprint(item));
      if (upload)
        Object.assign(item, { uploadId: upload.uploadId, received: new Set(upload.receivedChunks) });
      return upload !== undefined;
    });
    this.#earlierFiles = Math.max(0, (fileCount ?? unfinished.length) - unfinished.length);
    this.#update({ transferId: unfinished[0]?.transferId });
    return matched.length;
  }

  /** Starts, or tries again after a failure with what is already on the server. */
  async start(settings: TransferSettingsInput): Promise<void> {
    const run = {};
    this.#run = run;
    this.#settings = settings;
    this.#ticking ??= setInterval(() => this.#tick(), TICK_MS);
    try {
      this.#update({ phase: 'preparing', error: undefined });
      await this.#announce();
      await this.#sendAll();
      this.#update({ phase: 'completing' });
      const result = await this.#complete();
      this.#update({ phase: 'success', result });
    } catch (error) {
      // A transfer given up meanwhile has nobody to tell.
      if (this.#run === run) this.#fail(error);
    } finally {
      clearInterval(this.#ticking);
      this.#ticking = undefined;
    }
  }

  pause(): void {
    this.#sender?.pause();
    this.#meter.reset();
    this.#update({ phase: 'paused', trouble: undefined });
  }

  resume(): void {
    this.#update({ phase: 'uploading', trouble: undefined });
    this.#sender?.resume();
    this.#wakeUp?.();
  }

  /** The network is said to be back. */
  wake(): void {
    this.#sender?.wake();
    this.#wakeUp?.();
  }

  async #announce(): Promise<void> {
    const fresh = this.#items.filter((item) => !item.uploadId);
    for (let start = 0; start < fresh.length; start += MAX_FILES_PER_CALL) {
      const batch = fresh.slice(start, start + MAX_FILES_PER_CALL);
      const files = batch.map(toRequest);
      const answer = await this.#persist('Failed to initialize upload', () =>
        this.#transport.announce({ transferId: this.#state.transferId, files }),
      );
      for (const [index, session] of answer.uploads.entries()) batch[index]!.uploadId = session.uploadId;
      this.#update({ transferId: answer.transferId });
    }
  }

  async #sendAll(): Promise<void> {
    for (const item of this.#items) if (isWhole(item) && item.phase !== 'done') item.phase = 'sent';
    this.#sender = new ChunkSender(this.#items, this.#transport, {
      onProgress: () => {},
      onTrouble: (trouble) =>
        this.#update({ trouble, ...(trouble?.kind === 'sign-in' && { phase: 'paused' }) }),
    });
    this.#update({ phase: 'uploading' });
    await this.#sender.run();
    const failed = this.#items.find((item) => item.phase === 'failed');
    if (failed) throw new Error(`${failed.name}: ${failed.error}`);
  }

  async #complete(): Promise<CompletedUpload> {
    const fileCount = this.#items.length + this.#earlierFiles;
    const transferId = this.#state.transferId!;
    let result: CompletedUpload | undefined;
    for (let start = 0; start < this.#items.length; start += MAX_FILES_PER_CALL) {
      const batch = this.#items.slice(start, start + MAX_FILES_PER_CALL);
      const uploadIds = batch.map((item) => item.uploadId!);
      result = await this.#persist('Failed to complete upload', () =>
        this.#transport.complete({ transferId, uploadIds, fileCount, settings: this.#settings }),
      );
      for (const item of batch) item.phase = 'done';
    }
    return result!;
  }

  /** Repeats a call for as long as only the network or the server's health stand in its way. */
  async #persist<T>(what: string, run: () => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries += 1) {
      try {
        const answer = await run();
        if (tries > 1) this.#update({ trouble: undefined });
        return answer;
      } catch (error) {
        const failure = judgeFailure(error);
        if (failure !== 'wait') throw new Error(`${what}: ${errorDetail(error)}`, { cause: error });
        const isRefusal = error instanceof ApiError;
        this.#update({
          trouble: { kind: 'network', message: isRefusal ? error.detail : 'Waiting for the network…' },
        });
        await this.#sleep(waitBefore(tries, Math.random(), isRefusal ? error.retryAfterSeconds : undefined));
      }
    }
  }

  #sleep(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.#wakeUp = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #fail(error: unknown): void {
    const cause = error instanceof Error ? error.cause : undefined;
    // What the server no longer knows is announced anew at the next try.
    if (cause instanceof ApiError && cause.status === 404) this.#forgetServerSide();
    if (cause instanceof ApiError && cause.code === 'chunks_missing') this.#forgetMissing(cause);
    this.#meter.reset();
    this.#update({ phase: 'failed', error: errorDetail(error), trouble: undefined });
  }

  #forgetServerSide(): void {
    this.#state = { ...this.#state, transferId: undefined };
    for (const item of this.#items)
      Object.assign(item, { uploadId: undefined, received: new Set(), phase: 'waiting' });
  }

  #forgetMissing({ problem }: ApiError): void {
    for (const item of this.#items) {
      if (problem.uploadId !== undefined && problem.uploadId !== item.uploadId) continue;
      for (const index of (problem.missing as number[] | undefined) ?? []) item.received.delete(index);
      item.phase = 'waiting';
    }
  }

  #tick(): void {
    this.#meter.note(this.#sentBytes(), performance.now());
    this.#update();
  }

  #update(change: Partial<EngineState> = {}): void {
    this.#state = this.#snapshot(change);
    for (const listener of this.#listeners) listener();
  }

  #snapshot(change: Partial<EngineState>): EngineState {
    const totalBytes = this.#items.reduce((sum, item) => sum + item.size, 0);
    const sent = this.#sentBytes();
    return {
      ...(this.#state ?? { trouble: undefined, error: undefined, transferId: undefined, result: undefined }),
      phase: this.#state?.phase ?? 'idle',
      ...change,
      items: [...this.#items],
      totalBytes,
      sentBytes: sent,
      bytesPerSecond: this.#meter.bytesPerSecond,
      secondsLeft: this.#meter.secondsFor(totalBytes - sent),
    };
  }

  #sentBytes(): number {
    return this.#items.reduce((sum, item) => sum + sentBytes(item), 0);
  }
}

function toRequest({ name, relativePath, size, totalChunks, mimeType }: UploadItem) {
  return { fileName: name, relativePath, fileSize: size, totalChunks, mimeType };
}

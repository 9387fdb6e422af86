import { ApiError } from './api-error.ts';
import { LaneControl } from './lane-control.ts';
import { judgeFailure, type Retries } from './retries.ts';
import { ChunkQueue, type ChunkTask, isWhole, receivedBytes, type UploadFile } from './upload-plan.ts';

export type SendOptions = {
  signal: AbortSignal;
  /** Bytes of the chunk sent so far. */
  onProgress(sentBytes: number): void;
};

/** The server's answer to a chunk. */
// biome-ignore lint/suspicious/noConfusingVoidType: a sender whose server sends no answer returns nothing
export type Stored = { wanted?: number | undefined } | void;

type Options<File extends UploadFile> = {
  /**
   * Resolves when the server has stored the chunk. Returns the chunk of the file that a download waits for, if any.
   * Throws ApiError, NetworkError, UnreadableFileError or the signal's reason.
   */
  send(task: ChunkTask<File>, options: SendOptions): Promise<Stored>;
  maxLanes: number;
  /** Called once for each file, when all its chunks are stored. */
  onWhole?(file: File): void;
  retries: Retries;
  /** The session ended, and the sender is paused until `resume`. Called only if the retry policy has `canSignIn`. */
  onSignInNeeded?(error: unknown): void;
  /** Maps the final failure of a chunk to the error that `run` rejects with; by default the failure itself. */
  toError?(task: ChunkTask<File>, error: unknown): unknown;
};

/** Sends the missing chunks of many files over several lanes, and retries failed ones. */
export class ChunkSender<File extends UploadFile> {
  readonly #options: Options<File>;
  readonly #queue: ChunkQueue<File>;
  readonly #lanes: LaneControl;
  readonly #ended = Promise.withResolvers<void>();
  #abort = new AbortController();
  #running = 0;
  #isPaused = false;
  #stopReason: { reason: unknown } | undefined;
  #refill: Promise<void> | undefined;
  #sentBytes: number;
  #wholeFiles: number;

  constructor(files: readonly File[], options: Options<File>) {
    this.#options = options;
    this.#queue = new ChunkQueue([...files]);
    this.#lanes = new LaneControl(options.maxLanes);
    this.#sentBytes = files.reduce((sum, file) => sum + receivedBytes(file), 0);
    this.#wholeFiles = files.filter(isWhole).length;
  }

  /** Bytes stored on the server or in flight. */
  get sentBytes(): number {
    return this.#sentBytes;
  }

  get wholeFiles(): number {
    return this.#wholeFiles;
  }

  /**
   * Resolves when no chunk is missing. Rejects with the final failure or the reason of `stop`, after all lanes have
   * released their connections and buffers.
   */
  run(): Promise<void> {
    this.#fill();
    return this.#ended.promise;
  }

  /** Aborts running requests until `resume`. */
  pause(): void {
    this.#isPaused = true;
    this.#abort.abort();
    this.#options.retries.wake();
  }

  resume(): void {
    this.#isPaused = false;
    this.#abort = new AbortController();
    this.#fill();
  }

  /** Makes `run` reject with `reason`. */
  stop(reason: unknown): void {
    this.#stopReason ??= { reason };
    this.pause();
    this.#fill();
  }

  #fill(): void {
    const { retries } = this.#options;
    if (this.#stopReason && this.#running === 0) this.#ended.reject(this.#stopReason.reason);
    if (this.#stopReason || this.#isPaused) return;
    if (retries.isWaiting) {
      this.#refill ??= retries.wait().then(() => {
        this.#refill = undefined;
        this.#fill();
      });
      return;
    }
    while (this.#running < this.#lanes.lanes) {
      const task = this.#queue.next();
      if (!task) {
        if (this.#running === 0) this.#ended.resolve();
        return;
      }
      this.#running += 1;
      void this.#send(task).finally(() => {
        this.#running -= 1;
        this.#fill();
      });
    }
  }

  async #send(task: ChunkTask<File>): Promise<void> {
    const { file } = task;
    if (file.phase === 'waiting') file.phase = 'uploading';
    const started = performance.now();
    const { signal } = this.#abort;
    let inFlightBytes = 0;
    let isOver = false;
    const onProgress = (sentBytes: number) => {
      if (isOver) return;
      file.inFlightBytes += sentBytes - inFlightBytes;
      this.#sentBytes += sentBytes - inFlightBytes;
      inFlightBytes = sentBytes;
    };
    // A body may still report progress after an early refusal; ignore it.
    const end = () => {
      onProgress(0);
      isOver = true;
    };
    try {
      const stored = await this.#options.send(task, { signal, onProgress });
      end();
      if (stored?.wanted !== undefined) this.#queue.prefer(task.file, stored.wanted);
      this.#lanes.succeed(performance.now() - started);
      this.#succeed(task);
    } catch (error) {
      end();
      this.#fail(task, error, signal);
    }
  }

  #succeed({ file, index, start, end }: ChunkTask<File>): void {
    file.received.add(index);
    this.#sentBytes += end - start;
    if (isWhole(file)) {
      this.#wholeFiles += 1;
      if (file.phase === 'uploading') file.phase = 'sent';
      this.#options.onWhole?.(file);
    }
    this.#options.retries.succeed();
  }

  #fail(task: ChunkTask<File>, error: unknown, { aborted }: AbortSignal): void {
    const { retries, onSignInNeeded, toError } = this.#options;
    if (task.file.phase === 'removed') return;
    // An earlier attempt succeeded, but its response was lost.
    if (error instanceof ApiError && error.code === 'upload_closed') {
      this.#succeed(task);
      return;
    }
    this.#queue.requeue(task);
    // A pause aborted it; sending may have been resumed since.
    if (aborted) return;
    const verdict = judgeFailure(error, retries.policy);
    if (verdict === 'wait') this.#wait(error);
    if (verdict === 'sign-in') {
      this.pause();
      onSignInNeeded?.(error);
    }
    if (verdict === 'file') Object.assign(task.file, { phase: 'failed', error: (error as Error).message });
    if (verdict === 'fatal') this.stop(toError ? toError(task, error) : error);
  }

  /** A network failure that interrupts several lanes counts once. */
  #wait(error: unknown): void {
    const { retries } = this.#options;
    if (retries.isWaiting) return;
    this.#lanes.fail();
    retries.fail(error).catch((reason: unknown) => this.stop(reason));
  }
}

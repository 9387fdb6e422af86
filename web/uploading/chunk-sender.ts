import { ApiError, errorDetail } from '../../client/api-error.ts';
import { ChunkQueue, type ChunkTask } from './chunk-queue.ts';
import { judgeFailure, waitBefore } from './failures.ts';
import { LaneControl } from './lane-control.ts';
import { isWhole, type UploadItem } from './upload-item.ts';
import type { UploadTransport } from './upload-transport.ts';

/** Why nothing moves at the moment. */
export type Trouble = { kind: 'network' | 'sign-in'; message: string };

const UNREADABLE = 'This file changed or can no longer be read.';

type Events = {
  /** Bytes moved, or an item changed its phase. */
  onProgress(): void;
  /** undefined: it moves again. */
  onTrouble(trouble: Trouble | undefined): void;
};

/** Sends the missing chunks of many files over a few lanes, and does not give up while there is hope. */
export class ChunkSender {
  readonly #queue: ChunkQueue;
  readonly #transport: UploadTransport;
  readonly #events: Events;
  readonly #lanes = new LaneControl();
  readonly #ended = Promise.withResolvers<void>();
  #abort = new AbortController();
  #running = 0;
  #failedTries = 0;
  #isPaused = false;
  #waiting: ReturnType<typeof setTimeout> | undefined;

  constructor(items: UploadItem[], transport: UploadTransport, events: Events) {
    this.#queue = new ChunkQueue([...items]);
    this.#transport = transport;
    this.#events = events;
  }

  /** Resolves when no chunk is missing. Throws the ApiError that makes going on pointless. */
  run(): Promise<void> {
    this.#fill();
    return this.#ended.promise;
  }

  pause(): void {
    this.#isPaused = true;
    this.#stopWaiting();
    this.#abort.abort();
  }

  resume(): void {
    this.#isPaused = false;
    this.#abort = new AbortController();
    this.#fill();
  }

  /** The network is said to be back: tries at once instead of waiting on. */
  wake(): void {
    if (this.#stopWaiting()) this.#fill();
  }

  /** Gives up for good; `run` rejects with the reason. */
  stop(reason: Error): void {
    this.pause();
    this.#ended.reject(reason);
  }

  #fill(): void {
    while (!this.#isPaused && !this.#waiting && this.#running < this.#lanes.lanes) {
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

  async #send(task: ChunkTask): Promise<void> {
    const { item, index } = task;
    if (item.phase === 'waiting') item.phase = 'uploading';
    const started = performance.now();
    try {
      await this.#transport.send(task, {
        signal: this.#abort.signal,
        onProgress: (sentBytes) => {
          item.inFlight.set(index, sentBytes);
          this.#events.onProgress();
        },
      });
      this.#lanes.succeed(performance.now() - started);
      this.#succeed(task);
    } catch (error) {
      this.#fail(task, error);
    } finally {
      item.inFlight.delete(index);
      this.#events.onProgress();
    }
  }

  #succeed({ item, index }: ChunkTask): void {
    item.received.add(index);
    if (isWhole(item) && item.phase === 'uploading') item.phase = 'sent';
    if (this.#failedTries > 0) this.#events.onTrouble(undefined);
    this.#failedTries = 0;
  }

  #fail(task: ChunkTask, error: unknown): void {
    const { item } = task;
    if (item.phase === 'removed') return;
    if (error instanceof ApiError && error.code === 'upload_closed') this.#succeed(task);
    else this.#queue.giveBack(task);
    if (this.#isPaused || item.received.has(task.index)) return;
    const failure = judgeFailure(error);
    if (failure === 'wait') this.#wait(error);
    if (failure === 'sign-in') this.#askToSignIn(error);
    if (failure === 'file') Object.assign(item, { phase: 'failed', error: UNREADABLE });
    if (failure === 'fatal') this.stop(chunkError(task, error));
  }

  #askToSignIn(error: unknown): void {
    this.pause();
    this.#events.onTrouble({ kind: 'sign-in', message: errorDetail(error) });
  }

  /** One wait for all lanes: what fails together is tried together. */
  #wait(error: unknown): void {
    if (this.#waiting) return;
    this.#failedTries += 1;
    this.#lanes.fail();
    const retryAfter = error instanceof ApiError ? error.retryAfterSeconds : undefined;
    this.#waiting = setTimeout(() => this.wake(), waitBefore(this.#failedTries, Math.random(), retryAfter));
    const message = error instanceof ApiError ? error.detail : 'Waiting for the network…';
    // The first stumble is mended before anybody could read about it.
    if (this.#failedTries > 1 || !navigator.onLine) this.#events.onTrouble({ kind: 'network', message });
  }

  #stopWaiting(): boolean {
    const wasWaiting = this.#waiting !== undefined;
    clearTimeout(this.#waiting);
    this.#waiting = undefined;
    return wasWaiting;
  }
}

/** The specification's wording (section 8); chunks are counted from 1 for people. */
function chunkError({ index }: ChunkTask, error: unknown): Error {
  const message = `Failed to upload chunk ${index + 1}: ${errorDetail(error)}`;
  return new Error(message, { cause: error });
}

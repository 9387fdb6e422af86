import { UnreadableFileError } from '../../../../client/retries.ts';
import { startWorker } from '../../../lib/loading/load-for-user.ts';
import type { HashAnswer, HashRequest } from './sha256.worker.ts';
import workerUrl from './sha256.worker.ts?worker&url';

type Waiting = PromiseWithResolvers<string> & { onProgress: (hashedBytes: number) => void };

/** Computes SHA-256 of files in a worker. */
export class FileHasher {
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #tickets = 0;

  /**
   * In lower-case hex. Throws UnreadableFileError; if the worker cannot be loaded, NetworkError or an Error for the
   * user.
   */
  hash(blob: Blob, onProgress: (hashedBytes: number) => void): Promise<string> {
    const ticket = ++this.#tickets;
    const waiting = { ...Promise.withResolvers<string>(), onProgress };
    this.#waiting.set(ticket, waiting);
    this.#worker ??= this.#start();
    this.#worker.postMessage({ ticket, blob } satisfies HashRequest);
    return waiting.promise;
  }

  /** Files that are being hashed are rejected with `reason`. */
  close(reason: unknown): void {
    this.#worker?.terminate();
    this.#rejectAll(reason);
  }

  #start(): Worker {
    const worker = startWorker(workerUrl, (reason) => this.#rejectAll(reason));
    worker.onmessage = ({ data }: MessageEvent<HashAnswer>) => this.#receive(data);
    return worker;
  }

  #rejectAll(reason: unknown): void {
    for (const { reject } of this.#waiting.values()) reject(reason);
    this.#waiting.clear();
  }

  #receive(answer: HashAnswer): void {
    const waiting = this.#waiting.get(answer.ticket);
    if ('hashedBytes' in answer) {
      waiting?.onProgress(answer.hashedBytes);
      return;
    }
    this.#waiting.delete(answer.ticket);
    if ('failure' in answer) waiting?.reject(new UnreadableFileError({ cause: answer.failure }));
    else waiting?.resolve(answer.sha256);
  }
}

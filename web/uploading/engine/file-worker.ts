import { UnreadableFileError } from '../../../client/retries.ts';
import { startWorker } from '../../lib/loading/load-for-user.ts';
import type { WorkerAnswer, WorkerRequest } from './answer-requests.ts';

type Waiting<Result> = PromiseWithResolvers<Result> & { onProgress: ((bytes: number) => void) | undefined };

/** Reads files in a worker that uses `answerRequests`. Starts it with the first request. */
export class FileWorker<Input, Result> {
  readonly #url: string;
  readonly #waiting = new Map<number, Waiting<Result>>();
  #worker: Worker | undefined;
  #tickets = 0;

  constructor(url: string) {
    this.#url = url;
  }

  /** Throws UnreadableFileError; if the worker cannot be loaded, NetworkError or an Error for the user. */
  run(request: Input, onProgress?: (bytes: number) => void): Promise<Result> {
    const ticket = ++this.#tickets;
    const waiting = { ...Promise.withResolvers<Result>(), onProgress };
    this.#waiting.set(ticket, waiting);
    this.#worker ??= this.#start();
    this.#worker.postMessage({ ticket, request } satisfies WorkerRequest<Input>);
    return waiting.promise;
  }

  /** What is still being read is rejected with `reason`. */
  close(reason: unknown): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    for (const { reject } of this.#waiting.values()) reject(reason);
    this.#waiting.clear();
  }

  #start(): Worker {
    const worker = startWorker(this.#url, (reason) => this.close(reason));
    worker.onmessage = ({ data }: MessageEvent<WorkerAnswer<Result>>) => this.#receive(data);
    return worker;
  }

  #receive(answer: WorkerAnswer<Result>): void {
    const waiting = this.#waiting.get(answer.ticket);
    if ('bytes' in answer) {
      waiting?.onProgress?.(answer.bytes);
      return;
    }
    this.#waiting.delete(answer.ticket);
    if ('failure' in answer) waiting?.reject(new UnreadableFileError({ cause: answer.failure }));
    else waiting?.resolve(answer.result);
  }
}

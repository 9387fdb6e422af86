import { UnreadableFileError } from '../../../../client/retries.ts';
import type { HashAnswer, HashRequest } from './sha256.worker.ts';

type Waiting = PromiseWithResolvers<string> & { onProgress: (hashedBytes: number) => void };

/** Computes SHA-256 of files in a worker. */
export class FileHasher {
  readonly #worker = new Worker(new URL('./sha256.worker.ts', import.meta.url), { type: 'module' });
  readonly #waiting = new Map<number, Waiting>();
  #tickets = 0;

  constructor() {
    this.#worker.onmessage = ({ data }: MessageEvent<HashAnswer>) => this.#receive(data);
  }

  /** In lower-case hex. Throws UnreadableFileError. */
  hash(blob: Blob, onProgress: (hashedBytes: number) => void): Promise<string> {
    const ticket = ++this.#tickets;
    const waiting = { ...Promise.withResolvers<string>(), onProgress };
    this.#waiting.set(ticket, waiting);
    this.#worker.postMessage({ ticket, blob } satisfies HashRequest);
    return waiting.promise;
  }

  /** Files that are being hashed are rejected with `reason`. */
  close(reason: unknown): void {
    this.#worker.terminate();
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
